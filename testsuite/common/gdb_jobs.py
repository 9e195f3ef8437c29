# SPDX-License-Identifier: MIT
"""Jobs for a script in gdb: it reads the object in the file $OMPD_JOB, and writes what it finds, as
JSON, to the file that the object has as "answers"."""

import json
import os
import subprocess


def done(scratch, script, job, arguments, timeout=300, settings=()):
    """(what SCRIPT answers to JOB in a gdb that has the plugin and these ARGUMENTS, None: nothing;
    what gdb printed). SETTINGS: of the environment."""
    path, answers = (os.path.join(scratch, name) for name in ("job", "answers"))
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(dict(job, answers=answers), stream)
    if os.path.exists(answers):
        os.unlink(answers)
    environment = dict(os.environ, OMPD_JOB=path, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    for name in ("LD_PRELOAD", "OMP_OMPD"):
        environment.pop(name, None)
    environment.update(settings)
    printed = subprocess.run(
        [os.environ.get("GDB") or "gdb", "-batch", "-nx", "-ex", "set width 80", "-ex",
         "source %s/share/ompd/gdb/ompd-gdb.py" % os.environ["stage"], *arguments,
         "-ex", "source " + script],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", env=environment, timeout=timeout, check=False).stdout
    if not os.path.exists(answers):
        return None, printed
    with open(answers, encoding="utf-8") as stream:
        return json.load(stream), printed
