#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands in lldb: the README's session, values, help, JSON, and errors, each a sentence."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from lldb_runs import ENVIRONMENT, PLUGIN, answered, need_lldb, python_errors, session
from harness import compile_program, compiler_of
from rest import comes_to_rest
from tap import Tap

TOP = os.environ["top_srcdir"]
PROMPT = "(lldb) "
NAMES = ("threads", "why", "report", "snapshot", "doctor", "parallel", "tasks", "stacks", "bt", "icvs", "env",
         "status", "devices", "mappings", "locks", "regions", "history", "print", "locals", "thread", "catch", "step", "next",
         "finish", "library")
STOP = ("breakpoint set -f heat.c -l 39", "run")
tap = Tap()


def answers(printed):
    """[(command, lines below it)] of a session."""
    found = []
    for line in printed.splitlines():
        if line.startswith(PROMPT):
            found.append((line[len(PROMPT):], []))
        elif found:
            found[-1][1].append(line.rstrip())
    return found


def said(printed, command):
    return "\n".join(next((lines for one, lines in answers(printed) if one == command), ["-"]))


def words(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def readme():
    """The commands of the README's session, with what is shown below each."""
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as stream:
        text = stream.read()
    shown = re.search(r"(?:^    \(lldb\) .*\n(?:    .*\n)*)+", text, re.M).group()
    return answers("\n".join(line[4:] for line in shown.splitlines()))


def session_of_readme(heat):
    wanted = readme()
    printed = session(*[command for command, _ in wanted], arguments=(heat,))
    tap.case(python_errors(printed), "no Python error in the README's session")
    for command, lines in wanted:
        if command.startswith("ompd") or lines:
            tap.ok(words(said(printed, command)) == words("\n".join(lines)),
                   "README: " + command, said(printed, command), "wanted:", *lines)


def asked(scratch, job):
    found, printed = answered(scratch, job)
    tap.case(python_errors(printed + "".join(one["error"] for one in found.values()
                                            if "out" in one)), "no Python error")
    return found


def values(scratch, heat):
    found = asked(scratch, {"program": heat, "before": STOP, "say": (
        "ompd print me", "ompd print rod[2]", "ompd print -all me", "ompd locals", "ompd thread 2",
        "ompd thread")})
    text = {command: one["out"] for command, one in found.items()}
    each = ["thread %d: %d" % (number, number) for number in range(4)]
    tap.equal(words(text["ompd print me"]), each, "print: each thread's own")
    tap.equal(words(text["ompd print -all me"]), each, "print -all")
    tap.equal(words(text["ompd print rod[2]"]), ["threads 0-3: 2.5"], "print: what all share")
    tap.like(text["ompd locals"], r"^compute \(\) at heat\.c:67:\n  local +me = 1$", "locals")
    tap.like(text["ompd thread 2"],
             r"^\[Switching to OpenMP thread 2/4, thread 3 \(LWP \d+\)\]$", "thread selects")
    tap.equal(text["ompd thread"].strip(), "The selected thread is OpenMP thread 2/4.",
              "thread tells who is selected")


CLAUSES = """static int kept = 70;
#pragma omp threadprivate(kept)
int omp_get_thread_num(void);
int main(int argc, char **argv)
{
    int mine = 200, sum = 1000, common = 5, sized[argc + 2];
    sized[0] = sized[1] = sized[2] = 8;
    kept = argv[0] ? 40 : 0;
#pragma omp parallel num_threads(2) private(mine) reduction(+ : sum) copyin(kept)
    {
        int inner = omp_get_thread_num();
        mine = 10 + inner;
        sum += inner + 1;
        kept += inner;
        sized[inner]++;
#pragma omp barrier
        common += mine + sum + kept; /* here */
    }
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
        sum += i;
        if (i == 3)
            __builtin_trap();
    }
    return sum + common;
}
"""
EACH = {"mine": ("10", "11"), "sum": ("1", "2"), "kept": ("40", "41"), "sized": ("{9, 9, 8}",),
        "&sum": None, "sized[2]": ("8",), "common": ("5",)}


def clauses(scratch):
    """A variable is the body's, not that around it of the same name, nor its address."""
    source, program = (os.path.join(scratch, name) for name in ("clauses.c", "clauses"))
    with open(source, "w", encoding="ascii") as stream:
        stream.write(CLAUSES)
    here = 1 + CLAUSES[:CLAUSES.index("/* here */")].count("\n")
    before = "breakpoint set -f clauses.c -l %d" % here, "run"
    for compiler in filter(shutil.which, ("gcc", "clang")):
        build = [compiler, "-g", "-fopenmp", source, "-o", program]
        subprocess.run([*build, "-O0"], check=True)
        found = asked(scratch, {"program": program, "before": before, "say": [
            "ompd locals", *("ompd print " + one for one in EACH)]})
        rows = {name: kind for kind, name in
                re.findall(r"^  (\S+) +(\w+) = ", found["ompd locals"]["out"], re.M)}
        tap.equal(rows, {"inner": "local", "mine": "private", "sum": "reduction", "sized": "shared",
                         "common": "shared"}, compiler + ": classes")
        for name, wanted in EACH.items():
            if compiler == "gcc" and name == "sized":
                wanted = "<not available>",  # lldb misreads its bounds
            values = re.findall(r":\s+(.*)", found["ompd print " + name]["out"])
            tap.ok(tuple(values) == wanted if wanted else len(values) == 2,
                   "%s: %s" % (compiler, name), found["ompd print " + name])
        subprocess.run([*build, "-O2"], check=True)
        found = asked(scratch, {"program": program, "before": ["run"], "say": ["ompd print sum"]})
        tap.ok(not re.search(r"\b100\d$", found["ompd print sum"]["out"], re.M),
               compiler + ": no other variable for a copy that is optimised away",
               found["ompd print sum"])


def objects(scratch, heat):
    names = [name for name in NAMES if name not in (
        "report", "snapshot", "print", "locals", "thread", "catch", "step", "next", "finish", "history", "regions", "devices",
        "mappings", "library")]
    found = asked(scratch, {"program": heat, "before": STOP, "ask": names})
    tap.case(["%s: %s" % (name, found.get(name)) for name in names
              if name not in found or "error" in found[name]], "-json prints one object or array")


def names(heat):
    printed = session('settings set thread-format "thread #${thread.index} ${script.thread:'
                      'ompd_lldb.thread_name}\\n"', *STOP, "thread list", "breakpoint delete -f",
                      "breakpoint set -n exit", "continue", "thread list", arguments=(heat,))
    tap.case(python_errors(printed), "no Python error")
    tap.equal(sorted(words(said(printed, "thread list").replace("*", ""))[1:]),
              ["thread #%d OpenMP %d/4" % (number + 1, number) for number in range(4)],
              "thread-format has OpenMP numbers")
    tap.like("\n".join(answers(printed)[-1][1]), "thread #1 OpenMP 0/1", "of each stop")


def report(scratch, heat):
    path = os.path.join(scratch, "page.html")
    found = asked(scratch, {"program": heat, "before": STOP, "say": ["ompd report " + path]})
    tap.equal(found["ompd report " + path]["out"], "The page is in %s.\n" % path, "report")
    with open(path, encoding="utf-8") as stream:
        tap.like(stream.read(), r"(?s)^<!DOCTYPE html>.*</html>$", "which is a page")


def snapshot(scratch, heat):
    """A core of which the shell says what lldb has said."""
    path = os.path.join(scratch, "snapshot")
    found = asked(scratch, {"program": heat, "before": STOP, "say": ["ompd snapshot " + path],
                            "ask": ["parallel"]})
    tap.like(found["ompd snapshot " + path]["out"], r"^The snapshot is in %s \(\d+ KiB\)\.$" % path,
             "snapshot")
    said_of_core = json.loads(subprocess.run(
        [os.path.join(os.environ["stage"], "bin/ompd"), "parallel", "-json", path],
        stdout=subprocess.PIPE, check=False).stdout or "[]")
    for one in said_of_core + found["parallel"]:  # whose threads lldb numbers by itself
        one.update(threads=len(one["threads"]), master=None)
    tap.equal(said_of_core, found["parallel"], "the shell's regions of it are lldb's")


def helps():
    printed = session("help ompd", *["help ompd " + name for name in NAMES])
    listed = re.findall(r"^ +(\w+) +--", said(printed, "help ompd"), re.M)
    tap.equal(sorted(listed), sorted(NAMES), "help ompd lists all commands")
    tap.case([name for name in NAMES if "Usage: ompd " + name not in
              said(printed, "help ompd " + name)], "each has a help of its own")


ERRORS = (
    ("ompd threads now", r'"ompd threads" takes no argument\.$'),
    ("ompd threads -x", r'"ompd threads" has no option "-x": see "help ompd threads"\.$'),
    ("ompd bt 77", r'There is no thread 77: "ompd bt" takes threads, .*\.$'),
    ("ompd tasks -state asleep", r'There is no state "asleep": use one of '),
    ("ompd print 'x", r"A quote is missing in: "),
    ("ompd print", r'Give a variable to print, as in "ompd print x"\.$'),
    ("ompd print nothing", r'No frame of these threads has "nothing"\.$'),
    ("ompd thread 9", r"There is no OpenMP thread 9: "),
    ("ompd why -watch soon", r'"-watch" takes a number of seconds, not "soon"\.$'),
    ("ompd report", r'"ompd report" needs the name of a file to write\.$'),
    ("ompd report /", r"/ cannot be written: "))


def errors(scratch, heat):
    plain = os.path.join(scratch, "plain")
    with open(plain + ".c", "w", encoding="ascii") as stream:
        stream.write("int main(void)\n{\n    return 0;\n}\n")
    subprocess.run([*compiler_of(".c"), "-g", plain + ".c", "-o", plain], check=True)
    found = asked(scratch, {"program": heat, "before": STOP, "say": [one for one, _ in ERRORS]})
    for command, sentence in ERRORS:
        tap.like(found[command]["error"], "^error: " + sentence, "error: " + command)
    found = asked(scratch, {"program": plain, "say": ["ompd threads"]})
    tap.like(found["ompd threads"]["error"],
             r'^error: There is no process: type "run", attach to one, or ', "error: no process")
    found = asked(scratch, {"program": plain, "before": ["breakpoint set -n main", "run"],
                            "say": ["ompd threads"]})
    tap.equal(found["ompd threads"]["error"].strip(), "error: This program does not use OpenMP: no "
              "libgomp, libomp or libiomp5 is loaded.", "error: a program without OpenMP")
    again = "command script import " + PLUGIN
    found = asked(scratch, {"program": heat, "before": [again, *STOP], "say": ["ompd parallel"]})
    tap.like(found["ompd parallel"]["out"], r"4 threads: 1-4", "importing it twice does no harm")


def deep(scratch):
    """A recursion that has filled a stack."""
    path = os.path.join(scratch, "crashes")
    compile_program(os.path.join(TOP, "testsuite/why/crashes.c"), path)
    found = asked(scratch, {"program": path, "before": ["run recursion"], "say": ["ompd stacks"]})
    tap.like(found["ompd stacks"]["out"], r" descend \S\d{4,} ", "a deep recursion")


def apart(scratch):
    """Of a program that was stripped the debug file has the names of locks."""
    path = os.path.join(scratch, "locks")
    compile_program(os.path.join(TOP, "testsuite/why/locks.c"), path)
    if not shutil.which("objcopy"):
        tap.skip("a debug file", "no objcopy")
        return
    for words in (("objcopy", "--only-keep-debug", path, path + ".debug"), ("strip", "-s", path),
                  ("objcopy", "--add-gnu-debuglink=%s.debug" % path, path)):
        subprocess.run(words, check=True)
    with subprocess.Popen([path, "order"], env=dict(os.environ, OMP_WAIT_POLICY="passive")) as process:
        comes_to_rest(process.pid, 4)
        printed = session("ompd why", arguments=("-p", str(process.pid)))
        process.kill()
    tap.like(printed, r"(?s)~holds first.*wants +second .*~holds second", "a debug file")


def failures(heat):
    """A defect of ours is one sentence; who looks for it sees where it is."""
    broken = "script import lldb_openmp.ui.commands as r; r.command_answers.program_status.rows = None"
    printed = session(broken, *STOP, "ompd status", "ompd parallel", arguments=(heat,))
    tap.like(printed, r"(?m)^error: ompd status failed: TypeError: .*; set OMPD_DEBUG=1 in ",
             "a defect is a sentence")
    tap.ok("Traceback" not in printed, "without a traceback", printed)
    ENVIRONMENT["OMPD_DEBUG"] = "1"
    try:
        tap.like(session(broken, *STOP, "ompd status", arguments=(heat,)),
                 r"(?s)Traceback .*command_answers\.py.*TypeError", "with OMPD_DEBUG it is a traceback")
    finally:
        del ENVIRONMENT["OMPD_DEBUG"]


def without_its_module():
    """Debian's lldb 14 does not find its own module: the plugin does, and commands print no errors of it."""
    place = ENVIRONMENT.pop("PYTHONPATH", None)
    printed = session("ompd why")
    tap.like(printed, r"\(lldb\) ompd why\nerror: There is no process", "lldb's own module is found")
    if place is not None:
        ENVIRONMENT["PYTHONPATH"] = place


def main():
    need_lldb()
    without_its_module()
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        heat = os.path.join(scratch, "heat")
        compile_program(os.path.join(TOP, "examples/heat.c"), heat, "-lm")
        session_of_readme(heat)
        values(scratch, heat)
        clauses(scratch)
        objects(scratch, heat)
        report(scratch, heat)
        snapshot(scratch, heat)
        names(heat)
        helps()
        errors(scratch, heat)
        deep(scratch)
        apart(scratch)
        failures(heat)
    tap.end()


main()
