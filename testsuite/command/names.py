#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whatever a program names is called so that it would drive a terminal, forge a row, or be markup:
in the shell, gdb and lldb, in UTF-8 and ASCII, every command shows what is printable, and programs
get names whole."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from ompd_runs import OMPD, STAGE, SUITE, Running, compiled, gdb_core, need_libdw
from page_reader import Reader
from tap import Tap

sys.path.insert(1, os.path.join(SUITE, "lldb"))
import lldb_runs  # noqa: E402  pylint: disable=wrong-import-position

TRAP = "\033]0;%s\a\033[31m\r\n\tFORGED\b\u202e\u009b<b>\"'&"
FORGED = re.compile(r"^\W*FORGED", re.M)
ERRORS = re.compile(r"Traceback|Unicode|Python Exception|.*Error: |failed: ")
SOURCE = ("file", "lock", "member", "function", "critical", "variable")
# Command -> what it has names of.
COMMANDS = {
    "threads": "file lock member function critical", "why": "file lock member function",
    "why -every": "lock member critical", "stacks": "function", "stacks -lines": "function",
    "bt": "file function critical library", "tasks": "file variable", "tasks -tree": "variable",
    "locks": "lock member critical", "parallel": "file", "icvs": "", "env": "",
    "status": "", "doctor": "setting", "history": "lock", "threads -verbose": "lock",
    "top -n 1 -interval 1 -rate 20": "file lock critical"}
JSON = ("threads", "why", "stacks", "bt", "tasks", "locks", "parallel", "icvs", "env", "status",
        "doctor", "history")
# Of these JSON has more, or less: paths, and functions without what is between brackets.
NOT_WHOLE = {"file", "library", "setting"}
IN_GDB = {"bt": "bt -all", "why -every": "why -all", "threads -verbose": None,
          "top -n 1 -interval 1 -rate 20": None}  # and in lldb
IN_GDB_ALONE = "bt 8", "ompd locals", "ompd print 1", "ompd thread", "ompd apply all -q bt 8"
PRINTS = re.compile(r"\bprint\(|\bstd(out|err)\.write\(|\bgdb\.write\(|\.(AppendMessage|SetError)\(")
# The last one prints the versions of a gdb for which the others cannot be loaded.
GATES = ("screen.py", "console.py", "debug.py", "progress.py", "stop_notices.py", "ompd-gdb.py")
TAP = Tap()


def trap(name):
    return TRAP % name


def shown(name):
    return "\\x1b]0;%s\\x07" % name


def spoil(path):
    """Has a compiled file name all so."""
    with open(path, "rb") as stream:
        data = stream.read()
    for name in SOURCE:
        data = re.sub(b"name_%s_+" % name.encode(), lambda found, name=name: trap(
            name).encode().ljust(len(found.group()), b"z"), data)
    with open(path, "wb") as stream:
        stream.write(data)


def wrong(out, charset="utf-8"):
    """What no command may print, or None."""
    try:
        text = out.decode(charset)
    except UnicodeDecodeError as error:
        return str(error)
    raw = [sign for sign in text if not (sign.isprintable() or sign in "\n\t")]
    found = FORGED.search(text) or ERRORS.search(text)
    return ascii(raw) if raw else found and found.group()[:200]


def lacks(out, names):
    """Those of NAMES that are not shown, or not as what they are."""
    words = re.sub(r"\s+", "", out.decode("utf-8", "replace")).replace("\\\\", "\\")
    return [name for name in names.split() if shown(name) not in words]


def environment(locale):
    return dict(os.environ, LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", COLUMNS="200")


# The command isolates its Python, which takes UTF-8 for the locale C then.
IN_LOCALE = [sys.executable, "-I", "-X", "utf8=0", OMPD]


def run(words, locale):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment(locale), timeout=400, check=False)
    return done.stdout, done.stderr


def of_shell(target, how, locale, is_recorded):
    charset = "ascii" if locale == "C" else "utf-8"
    faults = []
    for command, names in COMMANDS.items():
        out, err = run([*IN_LOCALE, *command.split(), str(target)], locale)
        for found in (wrong(out, charset), wrong(err, charset), lacks(out, names * is_recorded)):
            faults += ["%s: %s" % (command, found)] if found else []
    TAP.case(faults, "the shell, %s, LC_ALL=%s" % (how, locale))


def of_json(pid):
    faults = []
    for command in JSON:
        out, _ = run([*IN_LOCALE, command, "-json", str(pid)], "C")
        try:
            whole = json.dumps(json.loads(out), ensure_ascii=False)
        except ValueError as error:
            faults.append("%s: %s" % (command, error))
            continue
        names = set(COMMANDS[command].split()) - NOT_WHOLE
        faults += ["%s: no %s" % (command, name) for name in names if command != "stacks"
                   if json.dumps(trap(name), ensure_ascii=False)[1:-1] not in whole]
    TAP.case(faults, "JSON has names whole")


def of_files(directory, ask, how, names=("p.html", "w.dot", "t.dot")):
    """The page and the graphs that ASK has made, of these NAMES."""
    page, *graphs = (os.path.join(directory, name) for name in names)
    ask(page, *graphs)
    faults = []
    for path in page, *graphs:
        with open(path, "rb") as stream:
            data = stream.read()
        os.unlink(path)
        names = "variable" if path.endswith("t.dot") else "lock member"
        faults += ["%s: %s" % (path[-6:], found) for found in (
            wrong(data), lacks(data, names)) if found]
        if path == page:
            faults += Reader(data.decode()).faults
        elif shutil.which("dot"):
            done = subprocess.run(["dot", "-Tcanon"], input=data, capture_output=True, check=False)
            faults += [done.stderr.decode()] if done.stderr else []
    TAP.case(faults, "page and graphs of " + how)


def typed(command):
    """A command of COMMANDS as it is in gdb and lldb, or None."""
    return IN_GDB.get(command, command)


def of_gdb(directory, pid, locale):
    def ask(*files):
        words = ["-ex", "source " + os.path.join(STAGE, "share/ompd/gdb/ompd-gdb.py")]
        for command in filter(None, map(typed, COMMANDS)):
            words += ["-ex", "echo == %s\\n" % command, "-ex", "ompd " + command]
        for command in IN_GDB_ALONE:
            words += ["-ex", "echo == %s\\n" % command, "-ex", command]
        words += ["-ex", "echo == end\\n"]
        for command, path in zip(("report", "why -graph", "tasks -graph"), files):
            words += ["-ex", "ompd %s %s" % (command, path)]
        out, err = run([os.environ["GDB"], "-batch", "-nx", "-ex", "set width 0",
                        "-ex", "set print symbol off", "-p", str(pid), *words], locale)
        parts = re.split(rb"^== (.*)\n", out, flags=re.M)
        found = dict(zip(parts[1::2], parts[2::2]))
        found[b"status"] = b"".join(found.get(command.encode(), b"FORGED: nothing")
                                    for command in ("status", *IN_GDB_ALONE))
        judge(found, "gdb, LC_ALL=" + locale, err, "ascii" if locale == "C" else "utf-8")

    of_files(directory, ask, "gdb, LC_ALL=" + locale)


def judge(found, how, err, charset):
    """FOUND: what a debugger has printed, by command."""
    faults = [err] if re.search(rb"Traceback|Python Exception", err) else []
    for command, names in COMMANDS.items():
        if typed(command) is not None and command != "env":
            out = found.get(typed(command).encode(), b"FORGED: nothing")
            for one in (wrong(out, charset), lacks(out, names)):
                faults += ["%s: %s" % (command, one)] if one else []
    TAP.case(faults, how)


def of_lldb(directory, core, program):
    def ask(*files):
        commands = ["ompd " + command for command in filter(None, map(typed, COMMANDS))
                    if "-tree" not in command]
        printed = lldb_runs.session(
            'target create -c "%s" "%s"' % (core, program), *commands, "script print()",
            *("ompd %s %s" % pair for pair in zip(("report", "why -graph", "tasks -graph"), files)))
        parts = re.split(r"^\(lldb\) (?:ompd )?(.*)\n", printed, flags=re.M)
        found = {name.encode(): text.encode() for name, text in zip(parts[1::2], parts[2::2])}
        found[b"tasks -tree"] = found.get(b"tasks", b"")
        judge(found, "lldb", b"", "utf-8")

    of_files(directory, ask, "lldb")


def of_gate():
    """No module prints but by what lets only printable text through."""
    found = []
    for path in glob.glob(os.path.join(STAGE, "share/ompd/**/*.py"), recursive=True):
        with open(path, encoding="utf-8") as stream:
            found += ["%s: %s" % (os.path.basename(path), line.strip()) for line in stream
                      if PRINTS.search(line) and "printable(" not in line and
                      os.path.basename(path) not in GATES]
    TAP.case(found, "whatever is printed goes through the gate")


def main():
    need_libdw()
    of_gate()
    with tempfile.TemporaryDirectory(prefix="ompd-names-") as directory:
        program = compiled(directory, "command/names.c", "names", "-O1 -ldl")
        library = compiled(directory, "command/names.c", "library.so",
                           "-g0 -shared -fPIC -DLIBRARY")
        # In a core there are the names of files that the kernel has escaped in its own way.
        named = [os.path.join(directory, trap(name)) for name in ("program", "library", "core")]
        spoil(program)
        shutil.copy(library, named[1])
        shutil.copy(program, named[0])
        settings = dict(NAME="\033[31m\n\tFORGED", LIBRARY=named[1], OMP_SCHEDULE=trap("setting"),
                        SLURM_JOB_ID=trap("job"), SLURM_PROCID="0", SLURM_NTASKS="2")
        with Running(named[0], threads=6, **settings) as one:
            of_shell(one.pid, "unprepared", "C.UTF-8", False)
        core = os.path.join(directory, "core")
        with Running(os.path.join(STAGE, "bin/ompd-run"), "--history", named[0], threads=6,
                     **settings) as one:
            of_shell(one.pid, "recorded", "C", True)
            for locale in ("C.UTF-8", "C"):
                of_gdb(directory, one.pid, locale)
            of_json(one.pid)
            of_files(directory, lambda *paths: [
                run([OMPD, "why", option, path, str(one.pid)], "C.UTF-8")
                for option, path in zip(("-html", "-graph"), paths)], "the shell",
                     ("p.html", "w.dot"))
            gdb_core(one.pid, core)
        if lldb_runs.LLDB is not None:
            of_lldb(directory, core, program)
        os.rename(core, named[2])
        of_shell(named[2], "a core without its program", "C", False)
        reports = [run([OMPD, "why", "-json", named[2]], "C")[0]] * 2
        with open(named[0] + ".json", "wb") as stream:
            stream.write(b"".join(reports))
        TAP.case([found for out in run([OMPD, "merge", named[0] + ".json"], "C")
                  for found in [wrong(out, "ascii")] if found], "a report merged")
    TAP.end()


if __name__ == "__main__":
    main()
