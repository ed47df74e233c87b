#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peer of the solver's rows: py-rattler on the same records.

usage: peer_rattler.py solve REPODATA REQUESTS [ID...]    answers, a line each
       peer_rattler.py load FILE CHANNEL                  a repodata.json opened and its names listed
       peer_rattler.py compare REQUESTS OURS THEIRS       what differs, one JSON object

REPODATA is a folder of CHANNEL/SUBDIR/repodata.json, not packed. A request has id, channels (below it), channel_priority, virtual
(name=version=build) and specs. Every answer has the CPU seconds that opening, reading and solving took, without Python's start.
"""
import json, os, resource, sys, time

import rattler
from rattler import Channel, GenericVirtualPackage, MatchSpec, PackageName, SparseRepoData, Version
from rattler.channel import ChannelPriority
from rattler.package.build_string import BuildString


def lines(path):
    with open(path) as f:
        return [json.loads(x) for x in f if x.strip()]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def virtual(text):
    name, version, build = text.split('=')
    return GenericVirtualPackage(PackageName(name), Version(version), BuildString.new_unchecked(build))


def opened(root, channels):
    """The parts of the channels in their order; opened anew for each request, as ours is."""
    found = []
    for name in channels:
        channel = Channel(name)    # what "name::" in a spec is held against
        for sub in 'linux-64', 'noarch':
            path = '%s/%s/%s/repodata.json' % (root, name, sub)
            if os.path.exists(path):
                found.append(SparseRepoData(channel, sub, path))
    return found


async def answer(root, q):
    specs = [MatchSpec(s, strict=False) for s in q['specs']]
    priority = ChannelPriority.Disabled if q.get('channel_priority') == 'disabled' else ChannelPriority.Strict
    machine = [virtual(v) for v in q['virtual']]
    start = time.process_time()
    sparse = opened(root, q['channels'])
    try:
        records = await rattler.solve_with_sparse_repodata(specs, sparse, virtual_packages=machine, channel_priority=priority)
        out = {'packages': [{'name': r.name.normalized, 'version': str(r.version), 'build': str(r.build)} for r in records]}
    except Exception as e:
        if type(e).__name__ != 'SolverError':
            raise
        out = {"unsat": True, "why": str(e)[:300]}
    return dict(out, id=q['id'], cpu=time.process_time() - start, peak=peak())


def solve(root, requests, *ids):
    import asyncio
    for q in lines(requests):
        if not ids or q['id'] in ids:
            print(json.dumps(asyncio.run(answer(root, q))), flush=True)


def load(path, channel):
    start = time.process_time()
    names = SparseRepoData(Channel(channel), 'linux-64', path).package_names()
    print(json.dumps({'names': len(names), 'cpu': time.process_time() - start, 'peak': peak()}))


def standing(q, ours, theirs):
    """Of the requested names: same, better, traded (some newer, some older), worse; as the order of the specs has it, order."""
    names = {MatchSpec(s, strict=False).name.normalized for s in q['specs']}
    mine = {p['name']: Version(p['version']) for p in ours['packages']}
    other = {p['name']: Version(p['version']) for p in theirs['packages']}
    newer = [n for n in names if n in mine and n in other and mine[n] > other[n]]
    older = [n for n in names if n in mine and n in other and mine[n] < other[n]]
    if not older:
        return 'better' if newer else 'same'
    for o in q.get('other_orders', []):
        if all(n in mine and mine[n] >= Version(v[0]) for n, v in o['requested'].items()):
            return 'order'
    return 'traded' if newer else 'worse'


def compare(requests, ours, theirs):
    a, b = ({x['id']: x for x in lines(p)} for p in (ours, theirs))
    count = {'requests': 0, 'disagree': 0, 'unsat': 0, 'same': 0, 'better': 0, 'order': 0, 'traded': 0, 'worse': 0, 'invalid': 0}
    names = []
    for q in lines(requests):
        x, y = a[q['id']], b[q['id']]
        count['requests'] += 1
        count['invalid'] += 'wrong' in x
        if bool(x.get('unsat')) != bool(y.get('unsat')):
            count['disagree'] += 1
            names.append(q['id'])
        elif x.get('unsat'):
            count['unsat'] += 1
        else:
            how = standing(q, x, y)
            count[how] += 1
            if how in ('traded', 'worse'):
                names.append(q['id'])
    print(json.dumps(dict(count, look=names)))


if __name__ == '__main__':
    {'solve': solve, 'load': load, 'compare': compare}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.flush()
    os._exit(0)    # this peer can crash the interpreter while it is torn down
