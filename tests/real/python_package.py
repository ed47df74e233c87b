#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A conda channel of one Python that is installed, and a package for it.

usage: python_package.py HOME VERSION CHANNEL

HOME has bin/pythonX.Y and lib/pythonX.Y. Of its library there is what imports
json and encodings; `thing` is noarch: python, with a module for each Python's
own words.
"""
import bz2
import hashlib
import io
import json
import os
import sys
import tarfile

FOLDERS = ("", "collections", "encodings", "importlib", "json", "lib-dynload",
           "re")
THING = """import json
words = {None, 'a', 1, b'c', (2, 3)}


def told():
    return json.dumps(sorted(str(word) for word in words))
"""


def add(archive, name, data, mode=0o644, mtime=1500000000, link=None):
    member = tarfile.TarInfo(name)
    member.mode, member.mtime, member.size = mode, mtime, len(data)
    if link:
        member.type, member.linkname, member.size = tarfile.SYMTYPE, link, 0
    archive.addfile(member, None if link else io.BytesIO(data))


def files_of(home, minor):
    library = "lib/python" + minor
    yield "bin/python" + minor
    for name in sorted(os.listdir(os.path.join(home, "lib"))):
        if name.startswith("libpython") and name.endswith(".so.1.0"):
            yield "lib/" + name
    for folder in FOLDERS:
        at = os.path.join(library, folder).rstrip("/")
        if not os.path.isdir(os.path.join(home, at)):
            continue
        for name in sorted(os.listdir(os.path.join(home, at))):
            if name.endswith((".py", ".so")):
                yield at + "/" + name


def python(home, minor, archive):
    names = list(files_of(home, minor))
    for name in names:
        path = os.path.join(home, name)
        with open(path, "rb") as stream:
            add(archive, name, stream.read(),
                0o755 if name.startswith("bin/") else 0o644,
                int(os.stat(path).st_mtime))
    add(archive, "bin/python", b"", link="python" + minor)
    return names + ["bin/python"]


def thing(archive):
    add(archive, "site-packages/thing.py", THING.encode())
    add(archive, "site-packages/old.py", b"print 'two'\n")
    add(archive, "site-packages/new.py", b"def f(*, a: int = 1): pass\n")
    return ["site-packages/%s.py" % name for name in ("thing", "old", "new")]


def package(channel, record, fill):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        names = fill(archive)
        for name, text in (("index.json", json.dumps(record)),
                           ("files", "".join(n + "\n" for n in names))):
            add(archive, "info/" + name, text.encode())
    data = bz2.compress(packed.getvalue(), 1)
    fn = "%(name)s-%(version)s-%(build)s.tar.bz2" % record
    folder = os.path.join(channel, record["subdir"])
    os.makedirs(folder)
    with open(os.path.join(folder, fn), "wb") as stream:
        stream.write(data)
    record = dict(record, size=len(data),
                  sha256=hashlib.sha256(data).hexdigest())
    with open(os.path.join(folder, "repodata.json"), "w") as stream:
        json.dump({"info": {"subdir": record["subdir"]},
                   "packages": {fn: record}, "packages.conda": {}}, stream)


def main(home, version, channel):
    minor = ".".join(version.split(".")[:2])
    base = {"build": "0", "build_number": 0, "depends": []}
    package(channel, dict(base, name="python", version=version,
                          subdir="linux-64"),
            lambda archive: python(home, minor, archive))
    package(channel, dict(base, name="thing", version="1.0", subdir="noarch",
                          noarch="python", depends=["python"]), thing)


main(*sys.argv[1:4])
