# SPDX-License-Identifier: MIT
#
# A tool of the user in a recorded program on LLVM's runtime is given what it is given without
# us: each event, its data words, the answers of the inquiry functions, in the same order
# (chained.c), wherever the tool comes from. Beside libgomp each runtime tells it of its own regions
# (mixed.c). And Archer reports a race and none where there is none (archer.c).

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from archer import REPORT, find_archer  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ["stage"]
WORK = os.path.join(os.environ["top_builddir"], "testsuite", "tools", "chained")
RUN = os.path.join(STAGE, "bin", "ompd-run")
CLANG = (os.environ.get("CLANG") or "clang").split()
ROUNDS = 5


def compile_(name, *arguments, compiler=CLANG):
    target = os.path.join(WORK, name)
    done = subprocess.run([*compiler, "-g", "-O1", "-w", "-I" + os.path.join(STAGE, "include/ompd"),
                           *arguments, "-o", target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return (None, done.stdout) if done.returncode else (target, None)


def source(name):
    return os.path.join(HERE, name)


def run(*words, **more):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "TSAN_", "ARCHER_", "LD_PRELOAD", "CHAINED"))}
    environment.update(more)
    try:
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=90, errors="replace")
    except subprocess.TimeoutExpired:
        return "no end after 90 seconds"
    return "%s\nstatus %d" % (done.stdout, done.returncode)


def told(how, log, *words, **more):
    """What is printed, and what the tool was told on each of the two threads."""
    for thread in range(3):
        if os.path.exists("%s.%d" % (log, thread)):
            os.unlink("%s.%d" % (log, thread))
    lines = run(*words, CHAINED=how, CHAINED_LOG=log, **more).splitlines()
    for thread in range(3):
        path = "%s.%d" % (log, thread)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines += ["%d: %s" % (thread, line) for line in file]
    return lines


def difference(bare, chained):
    if len(bare) < 9:
        return ["the tool was told nothing: " + line for line in bare] or ["nothing at all"]
    for one, other in zip(bare, chained):
        if one != other:
            return ["bare:    " + one.rstrip(), "chained: " + other.rstrip()]
    return [] if len(bare) == len(chained) else ["%d lines, bare %d" % (len(chained), len(bare))]


def compare(tap):
    tool, why = compile_("libtool.so", "-shared", "-fPIC", source("chained.c"), "-ldl")
    program, why = compile_("program", "-fopenmp", source("chained-program.c"))
    inside, why = compile_("inside", "-fopenmp", source("chained-program.c"),
                           source("chained.c"), "-ldl")
    linked, why = compile_("linked", "-fopenmp", source("chained-program.c"),
                           "-Wl,--no-as-needed,-rpath," + WORK, tool)
    log = os.path.join(WORK, "log")
    for how, name, path, more in (
            ("all", "a tool of OMP_TOOL_LIBRARIES", program, {"OMP_TOOL_LIBRARIES": tool}),
            ("few", "one that sets few callbacks", program, {"OMP_TOOL_LIBRARIES": tool}),
            ("finalizes", "one that unsets a callback", program, {"OMP_TOOL_LIBRARIES": tool}),
            ("inactive", "one that is not active", program, {"OMP_TOOL_LIBRARIES": tool}),
            ("all", "the second of a list", program, {"OMP_TOOL_LIBRARIES": "/none.so:" + tool}),
            ("all", "one that is preloaded", program, {"LD_PRELOAD": tool}),
            ("all", "one in a library of the program", linked, {}),
            ("all", "one in the program", inside, {})):
        problems = []
        for _ in range(ROUNDS):
            bare = told(how, log, path, **more)
            problems = problems or difference(bare, told(how, log, RUN, path, **more))
        tap.case(problems, name + " is told the same")
    text = run(RUN, program, OMP_TOOL_LIBRARIES=tool, OMP_TOOL_VERBOSE_INIT="stderr",
               CHAINED="few", CHAINED_LOG=log)
    tap.ok("Opening %s... Success." % tool in text and text.count("Tool was started") == 1,
           "OMP_TOOL_VERBOSE_INIT says which tool is found", *text.splitlines()[:20])
    text = run(RUN, program, OMP_TOOL_VERBOSE_INIT="stderr")
    tap.ok("No OMP tool loaded." in text and "Tool was started" not in text,
           "and not ours where there is none", *text.splitlines()[:20])
    text = run(RUN, program, OMP_TOOL="disabled", OMP_TOOL_VERBOSE_INIT="stderr")
    tap.ok("OMP tool disabled." in text, "and where it is disabled", *text.splitlines()[:20])
    text = run(RUN, inside, OMP_TOOL_VERBOSE_INIT="stderr", CHAINED="few", CHAINED_LOG=log)
    tap.ok("current address space... Success." in text, "that in the program is chained, too",
           *text.splitlines()[:20])
    written = os.path.join(WORK, "written")
    run(RUN, program, OMP_TOOL_LIBRARIES=tool, OMP_TOOL_VERBOSE_INIT=written, CHAINED="few",
        CHAINED_LOG=log)
    with open(written, encoding="utf-8") as file:
        text = file.read()
    tap.ok("Opening %s... Success." % tool in text and text.count("Tool was started") == 1,
           "and so in a file", *text.splitlines()[:20])


def mixed(tap):
    """Each region is told once, by its runtime, whichever comes first."""
    gcc = (os.environ.get("CC") or "gcc").split()
    made = [compile_("mixed", source("mixed.c"), "-ldl"),
            compile_("mixed-tool.so", "-shared", "-fPIC", "-DTOOL", source("mixed.c"))]
    made += [compile_("mixed-%s.so" % name, "-shared", "-fPIC", "-fopenmp", "-DPLUGIN",
                      source("mixed.c"), compiler=compiler)
             for name, compiler in (("clang", CLANG), ("gcc", gcc))]
    program, tool, *libraries = (path for path, _ in made)
    for first, second in (libraries, libraries[::-1]):
        for how, answer, regions in (("apart", "8", 2), ("within", "10", 3)):
            counts = "2 starts, regions %d %d, tasks %d, waits %d, critical %d %d, words 0" % (
                regions, regions, *[2 * regions] * 4)
            said = run(RUN, program, first, second, how, OMP_TOOL_LIBRARIES=tool).split("\n")
            tap.ok(sorted(filter(None, said)) == sorted([answer, counts, counts, "status 0"]),
                   "%s and %s, %s: each event once" % (
                       os.path.basename(first), os.path.basename(second), how), *said)


def race(tap):
    program, why = compile_("archer", "-fopenmp", "-fsanitize=thread", source("archer.c"))
    if not program or not find_archer():
        tap.skip("Archer", why or "there is no libarcher.so")
        return
    variables = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    names = run(program, "list", **variables).split()[:-2]
    if not names or "ThreadSanitizer" in names:
        tap.skip("Archer", "programs with -fsanitize=thread do not run here")
        return
    # Whether the runtime finds it itself is the system's.
    if "Opening libarcher.so... Success" not in run(program, "list", OMP_TOOL_VERBOSE_INIT="stderr",
                                                    **variables):
        variables["OMP_TOOL_LIBRARIES"] = find_archer()
    for name in names:
        racy = name.startswith("race_")
        said = run(RUN, program, name, **variables)
        tap.ok("played" in said and any(map(_is_of_the_scene, said.split(REPORT)[1:])) == racy,
               "Archer: %s: %s" % (name, "the race is reported" if racy else "no report"),
               *said.splitlines()[:25])


def _is_of_the_scene(report):
    """Not of a block that the runtime has allocated: Archer, bare as well, takes the memory of
    tasks that LLVM 14's runtime uses again for a race."""
    return not re.search(r"Location is heap block.*\n.*#0 (malloc|<null> <null> \(archer).*\n.*#1 .*\(libomp\S*\+0x", report)


def main():
    if not shutil.which(CLANG[0]):
        skip_all(CLANG[0] + " is not installed")
    os.makedirs(WORK, exist_ok=True)
    program, why = compile_("probe", "-fopenmp", source("chained-program.c"))
    if not program:
        skip_all("no program of clang with OpenMP: " + why.strip()[-200:])
    tap = Tap()
    compare(tap)
    mixed(tap)
    race(tap)
    tap.end()


if __name__ == "__main__":
    main()
