# SPDX-License-Identifier: MIT
#
# How tools are found, asked, refused and ended: OMP_TOOL, OMP_TOOL_LIBRARIES,
# OMP_TOOL_VERBOSE_INIT, tools in the program, preloaded and opened, bad tools, fork, and
# omp_control_tool.

import os
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ["stage"]
WORK = os.path.join(os.environ["top_builddir"], "testsuite", "tools")
HOOKS = os.path.join(STAGE, "lib", "libompd-hooks.so")
FLAGS = ["-g", "-O1", "-Wall", "-Wextra", "-I" + os.path.join(STAGE, "include")]

tap = Tap()


def result(name, problems):
    tap.case(problems, name)


def compile_(name, *arguments, compiler="CC", fallback="gcc"):
    target = os.path.join(WORK, name)
    words = (os.environ.get(compiler) or fallback).split()
    subprocess.run([*words, *FLAGS, *arguments, "-o", target], check=True)
    return target


def run(program, *arguments, preload=(), **environment):
    variables = {k: v for k, v in os.environ.items()
                 if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD", "SMALL_"))}
    variables.update(environment, LD_PRELOAD=" ".join([HOOKS, *preload]))
    try:
        done = subprocess.run([program, *arguments], env=variables, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return None, ["no end after 30 seconds"], ""
    return done.returncode, done.stdout.splitlines(), done.stderr


def expect(name, got, status, lines, error=""):
    """`lines` is what stdout must be; of stderr only that it holds `error`."""
    problems = []
    if got[0] != status:
        problems.append("status %s and not %s" % (got[0], status))
    if lines is not None and got[1] != lines:
        problems += ["stdout: " + line for line in got[1]] + ["not:    " + x for x in lines]
    if error not in got[2] or (not error and got[2]):
        problems.append("stderr: " + got[2].strip()[:300])
    result(name, problems)


ALONE = ["program: 2", "program: control -2 -2", "program: 2"]
CONTROL = ["tool: control 99 0 none from code", "tool: control 1 2 argument from code"]


def with_tool(*begin, end=("tool: finalized 77",), control=None):
    middle = CONTROL + ["program: control 0 1"] if control is None else control
    return [*begin, "program: 2", *middle, "program: 2", *end]


def main():
    os.makedirs(WORK, exist_ok=True)
    tool = compile_("libsmall.so", "-fopenmp", "-fPIC", "-shared",
                    os.path.join(HERE, "small.c"))
    source = os.path.join(HERE, "region.c")
    link = ["-L" + os.path.join(STAGE, "lib"), "-Wl,--no-as-needed", "-lompd-hooks"]
    program = compile_("region", "-fopenmp", source, *link)
    inside = compile_("region-tool", "-DWITH_TOOL", "-fopenmp", source, *link)
    alone = compile_("region-alone", "-DALONE", "-fopenmp", source)
    chain = compile_("libchain.so", "-DWITH_TOOL", "-fopenmp", "-fPIC", "-shared",
                     os.path.join(HERE, "small.c"), *link)
    behind = compile_("region-chain", "-DALONE", "-fopenmp", source, "-Wl,--no-as-needed", chain)
    declining = compile_("libdeclining.so", "-fopenmp", "-fPIC", "-shared", "-DDECLINES",
                         os.path.join(HERE, "small.c"))
    throws = compile_("libthrows.so", "-fPIC", "-shared", os.path.join(HERE, "throws.cc"),
                      compiler="CXX", fallback="g++")
    started = ("tool: asked", "tool: initialized")

    expect("no tool", run(program), 3, ALONE)
    expect("a preloaded tool", run(program, preload=[tool], SMALL_TOOL="calls-not"), 3,
           with_tool(*started))
    expect("a tool in the program", run(inside), 3, with_tool(*started))
    expect("a tool of OMP_TOOL_LIBRARIES",
           run(program, OMP_TOOL_LIBRARIES="/nonexistent.so:" + tool), 3, with_tool(*started))
    expect("the address space comes before OMP_TOOL_LIBRARIES",
           run(inside, OMP_TOOL_LIBRARIES=tool), 3, with_tool(*started))
    for value in ("", "enabled", " EnAbLeD "):
        expect("OMP_TOOL=%r" % value, run(inside, OMP_TOOL=value), 3, with_tool(*started))
    for value in ("disabled", "\tDISABLED "):
        expect("OMP_TOOL=%r" % value, run(inside, OMP_TOOL=value), 3, ALONE)
    for value in ("0", "on", "enabled x", "enable"):
        expect("OMP_TOOL=%r is fatal" % value, run(inside, OMP_TOOL=value), 1, [],
               "illegal value for OMP_TOOL")
    expect("OMP_TOOL=on, a library of the program was linked to the hooks",
           run(behind, OMP_TOOL="on"), 1, [], "illegal value for OMP_TOOL")
    expect("OMP_TOOL=on, the hooks are only preloaded",
           run(alone, OMP_TOOL="on", OMP_TOOL_LIBRARIES=tool), 3, ["program: 2", "program: 2"],
           "illegal value for OMP_TOOL")
    expect("OMP_TOOL=on, a preloaded library was linked to the hooks",
           run(alone, OMP_TOOL="on", preload=[chain]), 3, ["program: 2", "program: 2"],
           "illegal value for OMP_TOOL")
    expect("OMP_TOOL=on under ompd-run",
           run(os.path.join(STAGE, "bin/ompd-run"), alone, OMP_TOOL="on"), 3,
           ["program: 2", "program: 2"], "illegal value for OMP_TOOL")
    expect("a tool that declines", run(program, preload=[tool], SMALL_TOOL="declines"), 3,
           ["tool: asked", *ALONE])
    expect("a tool that turns out inactive",
           run(program, preload=[tool], SMALL_TOOL="inactive"), 3,
           [*started, *ALONE, "tool: processor -1"])
    expect("a tool that registers nothing",
           run(program, preload=[tool], SMALL_TOOL="empty"), 3,
           with_tool(*started, control=["program: control -1 -1"]))
    expect("OMP_TOOL_VERBOSE_INIT=stderr",
           run(program, OMP_TOOL_LIBRARIES="/nonexistent.so", OMP_TOOL_VERBOSE_INIT="StdErr"),
           3, ALONE, "Opening /nonexistent.so... Failed")
    expect("OMP_TOOL_VERBOSE_INIT=disabled",
           run(program, OMP_TOOL_LIBRARIES="/nonexistent.so",
               OMP_TOOL_VERBOSE_INIT="disabled"), 3, ALONE)
    story = os.path.join(WORK, "story")
    got = run(program, OMP_TOOL_LIBRARIES=tool, OMP_TOOL_VERBOSE_INIT=story)
    text = open(story).read() if os.path.exists(story) else ""
    result("OMP_TOOL_VERBOSE_INIT=FILE",
           [] if got[0] == 3 and "Tool was started" in text else ["the file says: " + text])

    expect("a callback that uses OpenMP", run(program, preload=[tool], SMALL_TOOL="calls"), 3,
           [*started, "tool: a region of its own had 2", "program: 2", *CONTROL,
            "program: control 0 1", "tool: a region of its own had 2", "program: 2",
            "tool: finalized 77"])
    expect("a callback that ends the program",
           run(program, preload=[tool], SMALL_TOOL="exits"), 42,
           [*started, "tool: finalized 77"])
    expect("a callback that forks", run(program, preload=[tool], SMALL_TOOL="forks"), 3,
           [*started, "tool: child ended with 7", "program: 2", *CONTROL,
            "program: control 0 1", "tool: child ended with 7", "program: 2",
            "tool: finalized 77"])
    expect("a callback that unregisters itself",
           run(program, preload=[tool], SMALL_TOOL="unregisters"), 3, with_tool(*started))
    expect("a callback that ends its tool",
           run(program, preload=[tool], SMALL_TOOL="finalizes"), 3,
           [*started, "tool: finalized 77", *ALONE])

    expect("a fork before the first use: both processes ask",
           run(program, "fork-first", preload=[tool]), 3,
           [*started, *started, "tool: finalized 77", *with_tool()])
    expect("a fork after the first use: the child asks again",
           run(program, "fork-after", preload=[tool]), 3,
           [*started, "program: 2", *CONTROL, "program: control 0 1", *started, "child: 1",
            "tool: finalized 77", "program: 2", "tool: finalized 77"])

    expect("a tool without an initializer", run(program, preload=[tool], SMALL_TOOL="null"), 3,
           ["tool: asked", *ALONE])
    expect("the next of two libraries, when the first declines",
           run(program, OMP_TOOL_LIBRARIES=declining + ":" + tool), 3, with_tool(*started))
    expect("of two tools the second is not asked",
           run(program, OMP_TOOL_LIBRARIES=tool + ":" + declining), 3, with_tool(*started))
    expect("a file that is no library", run(program, OMP_TOOL_LIBRARIES="/etc/passwd::/"), 3,
           ALONE)
    # Generated code cannot be left by an exception, so C++ ends the program.
    for where in ("initialize", "parallel_begin", "implicit_task", "sync_region",
                  "parallel_end"):
        expect("an exception from " + where,
               run(program, OMP_TOOL_LIBRARIES=throws, THROWS=where), -6, None,
               "terminate called")

    try:
        fortran = compile_("control", "-fopenmp", os.path.join(HERE, "control.f90"), *link,
                           compiler="FC", fallback="gfortran")
    except (OSError, subprocess.CalledProcessError):
        global number
        number += 1
        print("ok %d - omp_control_tool from Fortran # SKIP no Fortran compiler" % number)
    else:
        got = run(fortran, preload=[tool])
        lines = sorted(line for line in got[1] if "control" in line)
        result("omp_control_tool from Fortran",
               [] if lines == ["program: control 0 1", "tool: control 3 0 argument from code",
                               "tool: control 99 1 argument from code"] else got[1])
    tap.end()


if __name__ == "__main__":
    main()
