# SPDX-License-Identifier: Apache-2.0
"""The compile server of Python 2.7: compile_worker.py tells what is asked of it
and how it answers.

A .pyc of Python 2 holds the time stamp of its source and nothing else of it.
Its compiler takes bytes, and finds their encoding itself.
"""
import gc
import imp
import marshal
import posix
import sys

import _warnings

MAGIC = imp.get_magic()
CRASHES = (4, 6, 7, 8, 11)  # ILL ABRT BUS FPE SEGV
PIECE = 65536


reading, writing = 0, 1


def number(part):
    value = 0
    for byte in reversed(bytearray(part)):
        value = value << 8 | byte
    return value


def signed(part):
    value = number(part)
    return value - (1 << 64) if value >> 63 else value


def four(value):
    value &= 0xffffffff
    return ''.join([chr(value >> shift & 255) for shift in (0, 8, 16, 24)])


def read(n):
    """Exactly n bytes; none at the end of the input."""
    parts = []
    while n:
        part = posix.read(reading, min(n, PIECE))
        if not part:
            return ''
        parts.append(part)
        n -= len(part)
    return ''.join(parts)


def answer(letter, content):
    content = letter + four(len(content)) + content
    at = 0
    while at < len(content):
        at += posix.write(writing, content[at:at + PIECE])


def compile_file(path, source, mtime):
    try:
        code = compile(source, path, 'exec', 0, True)
        return 'C', MAGIC + four(mtime) + marshal.dumps(code)
    except Exception as e:
        return 'X', '%s: %s' % (type(e).__name__, e)


def compile_chunk():
    while True:
        head = read(17)
        if head[:1] != 'F':
            return 0 if head[:1] == 'E' else 1
        path = read(number(head[1:5]))
        source = read(number(head[5:9]))
        answer(*compile_file(path, source, signed(head[9:17])))


def run_chunk():
    """One process a chunk; one more after a file that crashes it."""
    while True:
        pid = posix.fork()
        if pid == 0:
            posix._exit(compile_chunk())
        status = posix.waitpid(pid, 0)[1]
        if status == 0:
            answer('D', '')
            return
        text = 'the compiler ended with wait status %d' % status
        if status & 127 not in CRASHES:
            posix.write(2, text + '\n')
            posix._exit(1)
        answer('X', text)


def work():
    while True:
        head = read(17)
        if not head:
            posix._exit(0)
        if head[:1] != 'P':
            posix._exit(2)
        run_chunk()


def close_all(pairs):
    for pair in pairs:
        for descriptor in pair:
            posix.close(descriptor)


def start(pairs):
    """A worker for each; none holds what belongs to another."""
    global reading, writing
    for at, pair in enumerate(pairs):
        if posix.fork() == 0:
            reading, writing = pair
            close_all(pairs[:at] + pairs[at + 1:])
            work()
    close_all(pairs)


def main():
    sys.path[:] = [entry for entry in sys.path if entry]
    gc.disable()
    _warnings.filters.insert(0, ('ignore', None, Warning, None, 0))
    answer('H', '%d.%d cpython-27 %x' % (sys.version_info[0],
                                         sys.version_info[1], id(None)))
    workers = int(sys.argv[1])
    start([(0, 1)] + [(2 * n + 1, 2 * n + 2) for n in range(1, workers)])
    for _ in range(workers):
        status = posix.wait()[1]
        if status:
            posix._exit(status >> 8 or 128 + (status & 127))
    posix._exit(0)


main()
