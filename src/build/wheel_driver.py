# SPDX-License-Identifier: Apache-2.0
"""Calls a build backend (PEP 517); runs on Python 3.6 and later, alone.

usage: wheel_driver.py TASK ANSWER

TASK is JSON: `hook` ("requires", "metadata" or "wheel"), `source`, `out`,
`backend`, `backend_path`, `settings`. ANSWER is written as JSON: {"requires":
[...]} or {"wheel": NAME}; of "metadata" that text is written to METADATA in
`out`, and ANSWER is {}. What goes wrong is a traceback and status 1.
"""
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile

LEGACY = "setuptools.build_meta:__legacy__"

# What setuptools' own backend does with a setup.py, for those that are too
# old to have one.
SETUP = """\
import sys, tokenize, setuptools
sys.argv[0] = __file__ = "setup.py"
with tokenize.open(__file__) as f:
    code = f.read().replace("\\r\\n", "\\n")
exec(compile(code, __file__, "exec"))
"""


class OldSetuptools:
    """A backend made of `setup.py bdist_wheel`."""

    @staticmethod
    def build_wheel(out, settings=None):
        del settings
        status = subprocess.call(
            [sys.executable, "-c", SETUP, "bdist_wheel", "-d", out])
        if status:
            sys.exit(status)
        return [n for n in os.listdir(out) if n.endswith(".whl")][0]


def is_below(path, folder):
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path == folder or path.startswith(folder + os.sep)


def load(name):
    module, _, rest = name.partition(":")
    found = importlib.import_module(module)
    for attribute in rest.split(".") if rest else []:
        found = getattr(found, attribute)
    return found


def is_old_setuptools():
    importlib.import_module("setuptools")
    try:
        load(LEGACY)
    except (ImportError, AttributeError):
        return True
    return False


def find_backend(task):
    name = task["backend"]
    folders = [os.path.join(task["source"], p) for p in task["backend_path"]]
    sys.path[:0] = folders
    if name == LEGACY and is_old_setuptools():
        return OldSetuptools
    backend = load(name)
    if folders:
        module = sys.modules[name.partition(":")[0]]
        path = getattr(module, "__file__", None)
        if not path or not any(is_below(path, f) for f in folders):
            sys.exit("the backend \"%s\" does not lie in its backend-path"
                     % name)
    return backend


def settings_of(pairs):
    """KEY=VALUE each; a key that comes again has a list."""
    out = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in out:
            out[key] = value
        elif isinstance(out[key], list):
            out[key].append(value)
        else:
            out[key] = [out[key], value]
    return out or None


def read_metadata(wheel):
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            top, _, rest = name.partition("/")
            if top.endswith(".dist-info") and rest == "METADATA":
                return z.read(name)
    sys.exit("the wheel \"%s\" has no METADATA" % wheel)


def metadata(backend, settings, folder):
    """A backend need not have the hook; then the wheel tells (PEP 517)."""
    hook = getattr(backend, "prepare_metadata_for_build_wheel", None)
    if not hook:
        name = backend.build_wheel(folder, settings)
        return read_metadata(os.path.join(folder, os.path.basename(name)))
    name = hook(folder, settings)
    with open(os.path.join(folder, name, "METADATA"), "rb") as f:
        return f.read()


def call(task):
    # `out` is a mount, and there are backends that make their folder anew.
    backend = find_backend(task)
    settings = settings_of(task["settings"])
    if task["hook"] == "requires":
        hook = getattr(backend, "get_requires_for_build_wheel", None)
        return {"requires": list(hook(settings)) if hook else []}
    folder = os.path.join(os.path.dirname(__file__), "wheel")
    os.mkdir(folder)
    if task["hook"] == "metadata":
        text = metadata(backend, settings, folder)
        with open(os.path.join(task["out"], "METADATA"), "wb") as f:
            f.write(text)
        return {}
    name = backend.build_wheel(folder, settings)
    for file in os.listdir(folder):
        if file.endswith(".whl"):
            shutil.move(os.path.join(folder, file), task["out"])
    return {"wheel": os.path.basename(name)}


def end(number, frame):
    """The first process of a container has to do this by itself."""
    del frame
    os._exit(128 + number)


def main(task_file, answer_file):
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    os.umask(0o022)
    del sys.path[0]  # where this file lies
    with open(task_file, encoding="utf-8") as f:
        task = json.load(f)
    os.chdir(task["source"])
    sys.argv[:] = ["setup.py"]
    answer = call(task)
    with open(answer_file, "w", encoding="utf-8") as f:
        json.dump(answer, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
