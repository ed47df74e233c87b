#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What py-rattler makes of the conda-meta of a prefix, held against the files.

usage: conda_records.py PREFIX

Every record is read by PrefixRecord, and asked for each of its paths: is it
there, is it what its type says, has it the sums and the size that it should;
are `files` the paths; is each requirement of a record met by another. And the
other way round: every file of the prefix is in one record. Prints a line for
each finding, and what was looked at last; exit status 1 with findings.
"""
import hashlib
import os
import stat
import sys

import rattler

findings = []


def find(record, text):
    findings.append("%s: %s" % (record, text))


def sha256(path):
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


def check_content(name, full, path):
    """Of a link all of this is of the file that it leads to, if it is one."""
    if not os.path.isfile(full):
        return
    if path.sha256_in_prefix is None:
        find(name, "%s has no sha256_in_prefix" % path.relative_path)
    elif sha256(full) != path.sha256_in_prefix.hex():
        find(name, "%s has another sha256_in_prefix" % path.relative_path)
    if path.prefix_placeholder or path.path_type.softlink:
        return
    if sha256(full) != path.sha256.hex():
        find(name, "%s has another sha256" % path.relative_path)
    if os.path.getsize(full) != path.size_in_bytes:
        find(name, "%s has another size" % path.relative_path)


def check_path(name, prefix, path):
    full = os.path.join(prefix, path.relative_path)
    kind = path.path_type
    try:
        mode = os.lstat(full).st_mode
    except OSError as e:
        return find(name, "%s: %s" % (path.relative_path, e.strerror))
    if kind.directory:
        if not stat.S_ISDIR(mode):
            find(name, "%s is no folder" % path.relative_path)
        return None
    if stat.S_ISLNK(mode) != kind.softlink:
        find(name, "%s is a link, or none" % path.relative_path)
    if not kind.softlink and not stat.S_ISREG(mode):
        find(name, "%s is no file" % path.relative_path)
    if kind.unix_python_entry_point and not mode & 0o111:
        find(name, "%s cannot be executed" % path.relative_path)
    if kind.hardlink or kind.softlink:
        check_content(name, full, path)
    return None


def check_record(name, prefix, record):
    paths = record.paths_data.paths
    if "%s-%s-%s" % (record.name.normalized, record.version,
                     record.build) != name:
        find(name, "names another package")
    if not record.url or not record.channel or not record.file_name:
        find(name, "says nothing of where it is from")
    listed = sorted(str(path.relative_path) for path in paths
                    if not path.path_type.directory)
    if listed != sorted(map(str, record.files)):
        find(name, "its files are not its paths")
    for path in paths:
        check_path(name, prefix, path)
    return [str(path.relative_path) for path in paths]


def check_needs(records):
    by_name = {}
    for record in records.values():
        by_name[record.name.normalized] = record
    for name, record in records.items():
        for spec in record.depends:
            spec = rattler.MatchSpec(spec)
            wanted = spec.name.normalized
            if wanted.startswith("__"):
                continue
            if wanted not in by_name or not spec.matches(by_name[wanted]):
                find(name, "needs %s, which is not there" % spec)


def check_rest(prefix, owner):
    for folder, _, names in os.walk(prefix):
        for one in names:
            path = os.path.relpath(os.path.join(folder, one), prefix)
            if not path.startswith("conda-meta/") and path not in owner:
                find("the prefix", "%s is in no record" % path)


def main(prefix):
    meta = os.path.join(prefix, "conda-meta")
    records, owner = {}, {}
    for one in sorted(os.listdir(meta)):
        if not one.endswith(".json"):
            continue
        name = one[:-len(".json")]
        records[name] = rattler.PrefixRecord.from_path(
            os.path.join(meta, one))
        for path in check_record(name, prefix, records[name]):
            owner.setdefault(path, name)
    check_needs(records)
    check_rest(prefix, owner)
    print("\n".join(findings[:50]))
    print("%d records, %d paths, %d findings"
          % (len(records), len(owner), len(findings)))
    return 1 if findings or not records else 0


sys.exit(main(sys.argv[1]))
