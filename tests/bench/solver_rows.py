# SPDX-License-Identifier: Apache-2.0
"""The rows of the solver, against py-rattler on the same records in one run (tests/bench/run --only solver).

Records: ENVBUILD_DATA/conda/repodata/merged; more of them are made by repeating each with other build strings and older times ("replicated": every
name then has that many times the builds). The peer is installed by pip into a folder of the build. Its time is that of opening, reading and solving
alone, as it tells itself; ours is that of the whole process, its start included. rattler reads plain repodata.json files, ours its index of the same
files, which is there but for the row of the index. The whole takes 80 seconds of CPU, most of it the peer's and what makes the replicated records."""
import json, os, shutil, statistics, subprocess, sys, venv

PEER = 'py-rattler==0.28.0'
HERE = os.path.dirname(os.path.abspath(__file__))
COST = {'id': 'cost', 'channels': ['conda-forge'], 'channel_priority': 'strict', 'specs': ['python=3.12', 'pytorch-gpu', 'numpy', 'pandas'],
        'virtual': ['__unix=0=0', '__linux=5.15=0', '__glibc=2.35=0', '__archspec=1=x86_64', '__cuda=12.4=0']}


class Solvers:
    """Both of them; run(argv) as tests/bench/run has it."""

    def __init__(self, run, build, data, work, rows):
        self.run, self.work, self.rows = run, work, rows
        self.data = data + '/conda'
        self.tool = build + '/tests/tools/solve_requests'
        self.python = self.peer(build + '/bench-peer')
        self.plain = self.unpacked()

    def peer(self, folder):
        python = folder + '/bin/python'
        if not os.path.exists(folder + '/.' + PEER):
            venv.create(folder, with_pip=True, clear=True)
            subprocess.run([python, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', PEER], check=True, stdout=sys.stderr)
            open(folder + '/.' + PEER, 'w').close()
        return python

    def unpacked(self):
        """The records as plain files, for both."""
        root, to = self.data + '/repodata/merged', self.work + '/plain'
        for channel in sorted(os.listdir(root)):
            for sub in 'linux-64', 'noarch':
                f = '%s/%s/%s/repodata.json.zst' % (root, channel, sub)
                if os.path.exists(f):
                    os.makedirs('%s/%s/%s' % (to, channel, sub))
                    subprocess.run(['zstd', '-dq', f, '-o', '%s/%s/%s/repodata.json' % (to, channel, sub)], check=True)
        return to

    def ours(self, root, requests, *options, store=None):
        """-> wall, CPU, peak MB, answers"""
        return self.run([self.tool, *options, '--store', store or root + '.store', root, requests], ok=(0, 1))

    def told(self, root, requests):
        """The CPU seconds of each."""
        p = subprocess.run([self.tool, '--store', root + '.store', root, requests], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return sorted(float(x.rsplit('CPU ', 1)[1].split()[0]) for x in p.stderr.decode().splitlines() if 'CPU ' in x)

    def theirs(self, *args):
        wall, _, _, out = self.run([self.python, HERE + '/peer_rattler.py', *args])
        return wall, out

    def put(self, what, ours, floor, ratio, limit, met, memory, note):
        """`ours` and `floor`: wall or None, and CPU."""
        def pair(x):
            return '/'.join('-' if v is None else '%.3f' % v for v in x) if x else ''
        self.rows.append((what, pair(ours), pair(floor), '', ratio, limit, memory, ('met; ' if met else 'NOT MET; ') + note))

    def write(self, name, text):
        path = '%s/%s' % (self.work, name)
        with open(path, 'w') as f:
            f.write(text)
        return path


def replicate(s, times):
    """conda-forge with every build that many times. -> its folder, records, bytes"""
    to, records, size = '%s/times-%d' % (s.work, times), 0, 0
    for sub in 'linux-64', 'noarch':
        with open('%s/conda-forge/%s/repodata.json' % (s.plain, sub)) as f:
            data = json.load(f)
        os.makedirs('%s/conda-forge/%s' % (to, sub))
        with open('%s/conda-forge/%s/repodata.json' % (to, sub), 'w') as f:
            f.write('{"info":{"subdir":"%s"}' % sub)
            for part in 'packages', 'packages.conda':
                f.write(',"%s":{' % part)
                comma = ''
                for fn, r in data.get(part, {}).items():
                    end = '.conda' if fn.endswith('.conda') else '.tar.bz2'
                    build, stamp = r['build'], r.get('timestamp', 0)
                    for k in range(times):
                        if k:
                            r['build'], r['timestamp'] = '%s_r%d' % (build, k), max(stamp - k, 0)
                        f.write('%s%s:%s' % (comma, json.dumps('%s-%s-%s%s' % (r['name'], r['version'], r['build'], end)), json.dumps(r)))
                        comma, records = ',', records + 1
                f.write('}')
            f.write('}')
            size += f.tell()
    return to, records, size


def answers(s):
    """The 160 requests: do both agree, is each answer valid and as new, is it free of the order of the lines?"""
    packed = s.data + '/solves/requests-open.jsonl.zst'
    requests = s.write('requests', subprocess.run(['zstd', '-dcq', packed], check=True, stdout=subprocess.PIPE).stdout.decode())
    s.ours(s.plain, requests)    # the index is made
    wall, cpu, memory, _ = s.ours(s.plain, requests)
    _, _, _, out = s.ours(s.plain, requests, '--check')
    _, _, _, back = s.ours(s.plain, requests, '--check', '--reverse')
    mine = s.write('ours', out)
    peer_wall, peer = s.theirs('solve', s.plain, requests)
    theirs = s.write('theirs', peer)
    count = json.loads(s.theirs('compare', requests, mine, theirs)[1])
    peer_cpu = sum(json.loads(x)['cpu'] for x in peer.splitlines())
    n = count['requests']
    s.put('160 requests: agreement', (wall, cpu), (peer_wall, peer_cpu), '%d of %d' % (n - count['disagree'], n), '100 %', not count['disagree'],
          '%.0f' % memory, 'satisfiable or not (%d are not); both solve all in one process' % count['unsat'])
    s.put('... valid by our own checker', None, None, '%d of %d' % (n - count['invalid'] - count['unsat'], n - count['unsat']), 'all', not count['invalid'], '',
          'rules read straight, nothing of the search in them')
    s.put('... requested names older', None, None, '%d' % count['worse'], '0', not count['worse'], '', '%d same, %d newer, %d as the peer has it in '
          'another order of the lines, %d with another name newer for it' % (count['same'], count['better'], count['order'], count['traded']))
    sets = [[sorted((p['name'], p['version'], p['build'], p['subdir']) for p in json.loads(x).get('packages', [])) for x in text.splitlines()]
            for text in (out, back)]
    other = sum(a != b for a, b in zip(*sets))
    s.put('... other with the lines reversed', None, None, '%d' % other, '0', not other, '', 'the whole set of packages')
    times = s.told(s.plain, requests)
    ratio = times[-1] / statistics.median(times)
    s.put('... slowest by the median', (None, times[-1]), (None, statistics.median(times)), '%.1f' % ratio, '5', ratio <= 5, '',
          'CPU of load and solve; floor: the median')


def cost(s, what, root, n, limit, most, note):
    """The CUDA request, the two in turn."""
    request = s.write('cost', json.dumps(COST) + '\n')
    s.ours(root, request)
    ours, peer = [], []
    for _ in range(n):
        ours.append(s.ours(root, request))
        peer.append(json.loads(s.theirs('solve', root, request)[1]))
    mine = json.loads(ours[-1][3])
    assert mine.get('packages') and peer[-1].get('packages'), 'no solution'
    ratio = statistics.median(a[1] / b['cpu'] for a, b in zip(ours, peer))
    memory = max(r[2] for r in ours)
    cpu = statistics.median(r[1] for r in ours)
    met = (cpu <= limit if isinstance(limit, float) else ratio <= 1 / limit) and (not most or memory <= most)
    s.put(what, (statistics.median(r[0] for r in ours), cpu), (None, statistics.median(p['cpu'] for p in peer)), '%.3f' % ratio,
          '%.1f s' % limit if isinstance(limit, float) else '1/%d%s' % (limit, ', %d MB' % most if most else ''), met, '%.0f' % memory,
          '%s; peer %.0f MB' % (note, max(p['peak'] for p in peer)))


def index(s, root, size, n):
    """Its text read for the first time; with the solve of one small request, which is part of the process."""
    request = s.write('small', json.dumps(dict(COST, id='small', specs=['bzip2'])) + '\n')
    ours, peer = [], []
    for _ in range(n):
        shutil.rmtree(root + '.cold', ignore_errors=True)
        ours.append(s.ours(root, request, store=root + '.cold'))
        peer.append(sum(json.loads(s.theirs('load', '%s/conda-forge/%s/repodata.json' % (root, sub), 'conda-forge')[1])['cpu']
                        for sub in ('linux-64', 'noarch')))
    shutil.rmtree(root + '.cold')
    cpu, memory = statistics.median(r[1] for r in ours), max(r[2] for r in ours)
    s.put('index of %.0f MB' % (size / 1e6), (statistics.median(r[0] for r in ours), cpu), (None, statistics.median(peer)),
          '%.2f s' % cpu, '2 s, 150 MB', cpu <= 2 and memory <= 150, '%.0f' % memory,
          'replicated, two files; CPU; floor: what the peer does each time, places of names alone')


def rows(run, build, data, work, out, n):
    if not os.path.isdir(data + '/conda/repodata/merged') or not os.path.exists(build + '/tests/tools/solve_requests'):
        out.append(('solver', 'not measured: no conda/repodata/merged in the data folder, or no solve_requests', '', '', '', '', '', ''))
        return
    s = Solvers(run, build, data, work + "/solver", out)
    answers(s)
    cost(s, 'CUDA request, 41,000 records', s.plain, n, 3, 60, 'python=3.12 pytorch-gpu numpy pandas, CUDA 12.4, index warm')
    root, records, size = replicate(s, 11)
    index(s, root, size, min(n, 3))
    cost(s, 'the same, %d records' % records, root, min(n, 3), 5, 120, 'replicated: eleven times the builds')
    shutil.rmtree(root)
    root, records, size = replicate(s, 25)
    cost(s, 'the same, %d records' % records, root, min(n, 3), 0.5, 0, 'replicated: 25 times the builds, %.0f MB' % (size / 1e6))
    shutil.rmtree(root)
