# SPDX-License-Identifier: Apache-2.0
"""sitecustomize of an isolated build: the projects that it requires are all
that is there beside the standard library, for it and for every Python that it
starts. What the environment's own .pth files have imported goes, too.
"""
import os
import site
import sys


def is_installed(path):
    return os.path.basename(os.path.normpath(path)) in (
        "site-packages", "dist-packages")


def comes_from(module, folders):
    path = getattr(module, "__file__", None) or ""
    return any(path.startswith(f + os.sep) for f in folders)


def isolate(own):
    others = [p for p in sys.path if is_installed(p) and p != own]
    stray = {name for name, module in list(sys.modules.items())
             if comes_from(module, others)}
    prefixes = tuple(os.path.dirname(p) + os.sep for p in others)
    sys.meta_path[:] = [f for f in sys.meta_path
                        if getattr(f, "__module__", None) not in stray]
    for name in stray:
        del sys.modules[name]
    sys.path[:] = [p for p in sys.path if p not in others and not any(
        p.startswith(f + n + os.sep) for f in prefixes
        for n in ("site-packages", "dist-packages"))]
    site.addsitedir(own)


isolate(os.environ["ENVBUILD_BUILD_SITE"])
