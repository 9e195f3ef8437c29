# SPDX-License-Identifier: MIT
"""Runs lldb with our commands: LLDB names it, or it is the oldest that is installed."""

import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(SUITE, name) for name in ("common", "gdb", "command")]
from tap import skip_all  # noqa: E402  pylint: disable=wrong-import-position

STAGE = os.environ["stage"]
PLUGIN = os.path.join(STAGE, "share/ompd/lldb/ompd_lldb.py")
LIMIT = 400  # seconds that a session may take on a machine that is busy


def _lldb():
    named = os.environ.get("LLDB")
    if named:
        return shutil.which(named) or named
    return next(filter(None, map(shutil.which, ("lldb-%d" % n for n in range(14, 30)))),
                None) or shutil.which("lldb")


LLDB = _lldb()


def environment():
    """That of lldb: Debian's 14 looks for its Python module where there is none. Its Python looks
    for what belongs to it beside the first python3 of PATH, which may be another one."""
    found = dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1", PATH="/usr/bin:/bin")
    for name in ("LD_PRELOAD", "OMP_OMPD"):
        found.pop(name, None)
    if LLDB is None:
        return found
    place = subprocess.run([LLDB, "-P"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True, check=False).stdout.strip()
    if not os.path.isdir(os.path.join(place, "lldb")):
        root = os.path.dirname(os.path.dirname(os.path.realpath(LLDB)))
        places = glob.glob(os.path.join(root, "lib/python3*/*-packages"))
        found["PYTHONPATH"] = ":".join(one for one in places
                                       if os.path.exists(os.path.join(one, "lldb/__init__.py")))
    return found


ENVIRONMENT = environment()


def need_lldb():
    """Ends the test where there is no lldb that runs Python."""
    if LLDB is None:
        skip_all("lldb is not installed")
    if "42" not in session("script print(6 * 7)", plugin=False):
        skip_all("this lldb runs no Python")


def session(*commands, plugin=True, arguments=(), limit=LIMIT, cwd=None):
    """What lldb prints, errors included."""
    words = [LLDB, "--no-lldbinit", "--batch", "--no-use-colors"]
    words += ["-o", "command script import " + PLUGIN] if plugin else []
    for command in commands:
        words += ["-o", command]
    done = subprocess.run([*words, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=ENVIRONMENT, timeout=limit, cwd=cwd,
                          check=False)
    return done.stdout.decode("utf-8", "replace")


@functools.lru_cache(maxsize=None)
def version():
    """lldb's main number, 0 where it is not known."""
    found = re.search(r"version (\d+)\.", session("script print(lldb.SBDebugger.GetVersionString())",
                                                  plugin=False))
    return int(found.group(1)) if found else 0


def answered(scratch, job, limit=LIMIT):
    """({command or kind: what it answers}, what lldb printed): lldb_look.py has done a JOB."""
    path, answers = os.path.join(scratch, "job"), os.path.join(scratch, "answers")
    if os.path.exists(answers):
        os.unlink(answers)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(dict(job, answers=answers), stream)
    ENVIRONMENT["OMPD_JOB"] = path
    printed = session("command script import " + os.path.join(HERE, "lldb_look.py"), limit=limit)
    if not os.path.exists(answers):
        return {}, printed
    with open(answers, encoding="utf-8") as stream:
        return json.load(stream), printed


def python_errors(printed):
    """Lines of a session that no command may print."""
    return re.findall(r"Traceback.*|.*Error: .*", printed)
