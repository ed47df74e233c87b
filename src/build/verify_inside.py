# SPDX-License-Identifier: Apache-2.0
"""Imports what an environment says it has, and asks its pip; run inside of it
by its own Python, 3.6 and later, alone.

usage: verify_inside.py ANSWER SECONDS [--gpu] FOLDER...

FOLDERs are site-packages; --gpu: frameworks are asked for GPUs. ANSWER gets a JSON object a line, each written when
it is known:

    {"modules": N}                        how many will be imported
    {"module": M, "owner": O, "why": W}   one that cannot be imported
    {"pip": [LINE...]}                    what does not fit, by `pip check`
    {"pip": null, "why": W}               that there is no answer
    {"gpu": F, "built": CUDA, "devices": N}   of a framework; CUDA null: none
    {"gpu": F, "why": W}                  one that does not answer
    {"gpu": null}                         there is no framework
    {"done": true}                        the last line
"""
import csv
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed

IMPORT = """\
import importlib, os, sys
try:
    importlib.import_module(sys.argv[1])
except SystemExit as e:
    sys.stderr.write("SystemExit: %s\\n" % e)
    os._exit(1)
os._exit(0)
"""
GPU = """\
import importlib.util, json, os, sys
name = sys.argv[1]
if name == "torch":
    import torch
    built, devices = torch.version.cuda, torch.cuda.device_count()
elif name == "tensorflow":
    import tensorflow
    built = tensorflow.test.is_built_with_cuda() and (
        tensorflow.sysconfig.get_build_info().get("cuda_version", "?")
        if hasattr(tensorflow.sysconfig, "get_build_info") else "?")
    devices = len(tensorflow.config.list_physical_devices("GPU"))
else:
    import jax, jaxlib
    plugins = [n for n in ("11", "12", "13")
               if importlib.util.find_spec("jax_cuda%s_plugin" % n)]
    built = plugins[-1] if plugins else (
        "?" if "cuda" in jaxlib.__version__ else None)
    devices = sum(d.platform == "gpu" for d in jax.devices())
print("\\n" + json.dumps({"built": built or None, "devices": devices}))
sys.stdout.flush()
os._exit(0)
"""
FRAMEWORKS = ("torch", "tensorflow", "jax")
NAME = re.compile(r"[^\W\d]\w*\Z")
CODE = (".py", ".pyc", ".so")
TAIL = 65536  # of what a module says
MOST = 2000  # characters of one reason


# --- which modules -----------------------------------------------------------

def lines_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as f:
            return f.read().splitlines()
    except OSError:
        return []


def module_of(path):
    """The module that a row of RECORD makes importable from the top."""
    first, _, rest = path.partition("/")
    if rest:
        return first if path.endswith(CODE) else None
    return first.partition(".")[0] if path.endswith((".py", ".so")) else None


def top_level(folder):
    names = lines_of(os.path.join(folder, "top_level.txt"))
    if not names:
        rows = csv.reader(lines_of(os.path.join(folder, "RECORD")))
        names = [module_of(row[0]) for row in rows if row]
    return sorted({n.strip() for n in names if n and NAME.match(n.strip())})


def all_modules(folders):
    """Pairs of module and who names it, each module once."""
    found = {}
    for site in folders:
        for name in sorted(os.listdir(site)):
            stem, ending = os.path.splitext(name)
            if ending not in (".dist-info", ".egg-info"):
                continue
            for module in top_level(os.path.join(site, name)):
                found.setdefault(module, " ".join(stem.split("-")[:2]))
    return sorted(found.items())


# --- running -----------------------------------------------------------------

def end(process):
    """It and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()


def run(command, seconds):
    """Status (None: too slow), standard output, standard error."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        end(process)
        return status, tail(out), tail(err)


def tail(f):
    f.seek(max(0, f.seek(0, os.SEEK_END) - TAIL))
    return f.read().decode("utf-8", "replace")


def last_line(text, status):
    if status < 0:
        return "ended by signal %d" % -status
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "ended with status %d" % status


def why_not(module, seconds):
    """Why it cannot be imported; nothing when it can."""
    status, _, said = run([sys.executable, "-c", IMPORT, module], seconds)
    if status is None:
        return "takes longer than %d seconds" % seconds
    return last_line(said, status)[:MOST] if status else None


def check_imports(modules, seconds, answer):
    answer({"modules": len(modules)})
    workers = min(8, len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(workers) as pool:
        jobs = {pool.submit(why_not, m, seconds): (m, owner)
                for m, owner in modules}
        for job in as_completed(jobs):
            module, owner = jobs[job]
            if job.result():
                answer({"module": module, "owner": owner,
                        "why": job.result()})


def check_pip(seconds, answer):
    if importlib.util.find_spec("pip") is None:
        answer({"pip": None, "why": "there is no pip"})
        return
    status, out, err = run([sys.executable, "-m", "pip", "--isolated",
                            "--disable-pip-version-check", "check"], seconds)
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    if status is None:
        answer({"pip": None,
                "why": "pip takes longer than %d seconds" % seconds})
    elif status == 0:
        answer({"pip": []})
    elif status == 1 and lines:
        answer({"pip": lines})
    else:
        answer({"pip": None, "why": "pip: " + last_line(err, status)[:MOST]})


def ask_for_gpus(seconds, answer):
    there = [f for f in FRAMEWORKS if importlib.util.find_spec(f)]
    if not there:
        answer({"gpu": None})
    for name in there:
        status, out, err = run([sys.executable, "-c", GPU, name], seconds)
        try:
            said = json.loads(out.splitlines()[-1]) if status == 0 else None
        except (IndexError, ValueError):
            said = None
        if isinstance(said, dict):
            answer(dict(said, gpu=name))
        elif status is None:
            answer({"gpu": name,
                    "why": "takes longer than %d seconds" % seconds})
        else:
            answer({"gpu": name, "why": last_line(err, status)[:MOST]})


def main(path, seconds, *folders):
    gpu, folders = "--gpu" in folders, [f for f in folders if f != "--gpu"]
    sys.path[:] = [p for p in sys.path if p != os.path.dirname(__file__)]
    with open(path, "w") as f:
        def answer(what):
            f.write(json.dumps(what) + "\n")
            f.flush()

        check_imports(all_modules(folders), int(seconds), answer)
        check_pip(2 * int(seconds), answer)
        if gpu:
            ask_for_gpus(int(seconds), answer)
        answer({"done": True})


if __name__ == "__main__":
    main(*sys.argv[1:])
