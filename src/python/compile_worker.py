# SPDX-License-Identifier: Apache-2.0
"""The compile server: run by the interpreter whose bytecode is wanted.

It says that it is ready and forks workers, as many as its argument says. The
first reads requests from standard input and writes answers to standard output,
the others have descriptors 3 and 4, 5 and 6, and so on. Where one ends badly
all end. Numbers are little-endian. For each chunk of files a worker forks, so
that the bytes of a chunk do not depend on those before it; nothing is imported
of the packages.

Requests, each with a head of 17 bytes (letter, two 32-bit lengths, a signed
64-bit number):

    P  0 0 0                  a chunk begins (the fork happens here)
    F  path source mtime      a file: then that many bytes of path and source
    E  0 0 0                  the chunk ends

Answers, each with a head of 5 bytes (letter, 32-bit length) and that many
bytes:

    H  ready, of all workers: "MAJOR.MINOR TAG ID", where TAG is the cache tag
       and ID the address of None
    C  to F: the content of the .pyc
    X  to F: why it does not compile (or that the compiler crashed on it)
    D  to E: the chunk is done

The end of its input ends a worker, too. Runs with Python 3.5 and later.
"""
import gc
import marshal
import posix
import sys

import _frozen_importlib_external
import _imp
import _warnings

MAGIC = _frozen_importlib_external.MAGIC_NUMBER
HASHED = sys.version_info >= (3, 7)
CRASHES = (4, 6, 7, 8, 11)  # ILL ABRT BUS FPE SEGV


reading, writing = 0, 1


def number(part):
    return int.from_bytes(part, 'little')


def read(n):
    """Exactly n bytes; none at the end of the input."""
    parts = []
    while n:
        part = posix.read(reading, min(n, 65536))
        if not part:
            return b''
        parts.append(part)
        n -= len(part)
    return parts[0] if len(parts) == 1 else b''.join(parts)


def answer(letter, content):
    content = letter + len(content).to_bytes(4, 'little') + content
    view = memoryview(content)
    while view:
        view = view[posix.write(writing, view):]


def pyc_header(source, mtime):
    """Unchecked hash from Python 3.7 on (PEP 552), else the time stamp."""
    if HASHED:
        return (MAGIC + b'\x01\0\0\0' +
                _imp.source_hash(number(MAGIC), source))
    return (MAGIC + (mtime & 0xffffffff).to_bytes(4, 'little') +
            (len(source) & 0xffffffff).to_bytes(4, 'little'))


def compile_file(path, source, mtime):
    try:
        code = compile(source, path, 'exec', dont_inherit=True, optimize=0)
        return b'C', pyc_header(source, mtime) + marshal.dumps(code)
    except Exception as e:
        text = '%s: %s' % (type(e).__name__, e)
        return b'X', text.encode('utf-8', 'backslashreplace')


def compile_chunk():
    while True:
        head = read(17)
        if head[:1] != b'F':
            return 0 if head[:1] == b'E' else 1
        path = read(number(head[1:5])).decode('utf-8', 'surrogateescape')
        mtime = int.from_bytes(head[9:17], 'little', signed=True)
        answer(*compile_file(path, read(number(head[5:9])), mtime))


def run_chunk():
    """One process a chunk; one more after a file that crashes it.

    The crash is an answer like any other: the file was read, the next one is
    sent when the answer is there.
    """
    while True:
        pid = posix.fork()
        if pid == 0:
            posix._exit(compile_chunk())
        status = posix.waitpid(pid, 0)[1]
        if status == 0:
            answer(b'D', b'')
            return
        text = 'the compiler ended with wait status %d' % status
        if status & 127 not in CRASHES:
            posix.write(2, text.encode() + b'\n')
            posix._exit(1)
        answer(b'X', text.encode())


def work():
    while True:
        head = read(17)
        if not head:
            posix._exit(0)
        if head[:1] != b'P':
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
    # What -W ignore does, which imports a good part of the library for it.
    _warnings.filters.insert(0, ('ignore', None, Warning, None, 0))
    text = '%d.%d %s %x' % (sys.version_info[0], sys.version_info[1],
                            sys.implementation.cache_tag, id(None))
    answer(b'H', text.encode())
    workers = int(sys.argv[1])
    start([(0, 1)] + [(2 * n + 1, 2 * n + 2) for n in range(1, workers)])
    for _ in range(workers):
        status = posix.wait()[1]
        if status:
            posix._exit(status >> 8 or 128 + (status & 127))
    posix._exit(0)


main()
