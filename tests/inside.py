# SPDX-License-Identifier: Apache-2.0
"""Look at a conda environment from within, by its own Python (3.6 or later).

python inside.py [MODULE...]: the modules are imported, conda-meta is complete
and true, each module of Python that compiles has bytecode that this Python
takes. Prints what it counted; one line for each finding and exit status 1
when there is one.
"""
import glob
import hashlib
import importlib
import importlib.util
import json
import marshal
import os
import re
import sys

findings = []


def find(text, *args):
    findings.append(text % args)


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def load_records():
    records = {}
    for path in sorted(glob.glob(os.path.join(sys.prefix, "conda-meta",
                                              "*.json"))):
        record = json.loads(read(path).decode())
        records[record["name"]] = record
        stem = "%(name)s-%(version)s-%(build)s" % record
        if os.path.basename(path) != stem + ".json":
            find("%s: is not named %s.json", path, stem)
    return records


def check_depends(records):
    for record in records.values():
        for dependency in record["depends"]:
            name = re.split(r"[ <>=!~\[]", dependency)[0].lower()
            if not name.startswith("__") and name not in records:
                find("%s: depends on %s, which is not there",
                     record["name"], name)


def check_file(record, entry, owners):
    path = os.path.join(sys.prefix, entry["_path"])
    if not os.path.lexists(path):
        find("%s: %s is not there", record["name"], entry["_path"])
        return
    want = entry.get("sha256_in_prefix") or entry.get("sha256")
    if entry.get("path_type") != "hardlink" or not want or \
            owners[entry["_path"]] > 1:
        return
    if hashlib.sha256(read(path)).hexdigest() != want:
        find("%s: %s has other bytes", record["name"], entry["_path"])


def check_files(records):
    owners, count = {}, 0
    for record in records.values():
        for path in record["files"]:
            owners[path] = owners.get(path, 0) + 1
    for record in records.values():
        paths = record["paths_data"]["paths"]
        count += len(paths)
        for entry in paths:
            check_file(record, entry, owners)
        missing = set(record["files"]) ^ {e["_path"] for e in paths}
        if missing:
            find("%s: files and paths_data differ by %s", record["name"],
                 sorted(missing)[:3])
    return count


def compiles(source, path):
    try:
        compile(source, path, "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, UnicodeDecodeError):
        return False


def check_bytecode(path):
    """1 when the module's bytecode is what this Python would take."""
    source = read(path)
    cached = importlib.util.cache_from_source(path)
    if not os.path.exists(cached):
        if compiles(source, path):
            find("%s: has no bytecode", path)
        return 0
    data = read(cached)
    flags = int.from_bytes(data[4:8], "little")
    if data[:4] != importlib.util.MAGIC_NUMBER:
        find("%s: is of another Python", cached)
    elif sys.version_info < (3, 7) or flags == 0:
        start = 8 if sys.version_info >= (3, 7) else 4
        time = int.from_bytes(data[start:start + 4], "little")
        size = int.from_bytes(data[start + 4:start + 8], "little")
        found = os.stat(path)
        if (time, size) != (int(found.st_mtime) & 0xffffffff,
                            found.st_size & 0xffffffff):
            find("%s: is older or younger than its source", cached)
    elif data[8:16] != importlib.util.source_hash(source):
        find("%s: is of another source", cached)
    marshal.loads(data[16 if sys.version_info >= (3, 7) else 12:])
    return 1


def check_all_bytecode():
    home = os.path.join(sys.prefix, "lib", "python%d.%d"
                        % sys.version_info[:2])
    count = 0
    for folder, _, names in os.walk(home):
        for name in sorted(names):
            if name.endswith(".py"):
                count += check_bytecode(os.path.join(folder, name))
    return count


for module in sys.argv[1:]:
    importlib.import_module(module)
found_records = load_records()
if "python" not in found_records:
    find("conda-meta has no python")
check_depends(found_records)
files = check_files(found_records)
if not os.path.exists(os.path.join(sys.prefix, "conda-meta", "history")):
    find("conda-meta/history is not there")
bytecode = check_all_bytecode()
if not bytecode:
    find("no bytecode at all")
print("Python %d.%d.%d at %s: %d packages, %d files, %d modules with bytecode"
      "%s" % (sys.version_info[:3] + (sys.prefix, len(found_records), files,
                                      bytecode, "; imported "
                                      + ", ".join(sys.argv[1:])
                                      if sys.argv[1:] else "")))
for line in findings[:50]:
    print("finding:", line)
sys.exit(1 if findings else 0)
