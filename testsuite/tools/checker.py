# SPDX-License-Identifier: MIT
#
# The programs of testsuite/programs under the tool of testsuite/tools/checker, which knows
# what OMPT promises. A program must end and print as without it, and no event may
# contradict another. That it is the standard which is checked and not our idea of it is seen
# by running it on LLVM's runtime too; that it can fail, by streams.c.
#
#   checker.py [NAME...]

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../common"), os.path.join(HERE, "../programs")]

import build  # noqa: E402
import manifest  # noqa: E402
from tap import Tap  # noqa: E402

# The finalizer does not come when the process does not get to its exit handlers.
UNFINISHED = re.compile(r"ends (abort|raise|real|kill|trap|_exit|quick_exit)|escape")
# Without a dynamic libgomp, or without a construct, there is no tool.
TOOLLESS = re.compile(r"noopenmp|libgomp_inside|all_static|execs")

# Tasks of a taskloop may be created when they begin (OMPT.md).
EXCEPT = "created_late"

# What LLVM 14 does otherwise: workers leave a region with no code pointer and no task to ask
# about, and sometimes with another number than they had; frames have no kind and some are no
# address; no state says that a mutex is awaited. All other rules hold for it. Nested regions
# and dependences are left out: now and then it tells of the former in two threads at once,
# and aborts in the latter, when the machine is busy.
LLVM_EXCEPT = "code,frame,frame_flags,frame_order,index,task_info,wait_state"
LLVM_PROGRAMS = ("parallel", "loops", "sections", "critical", "ordered", "doacross",
                 "tasks_clauses", "tasks_many", "taskgroup")


def compiler():
    return (os.environ.get("CC") or "gcc").split()


def build_tool(stage, directory):
    tool = os.path.join(directory, "libchecker.so")
    sources = [s for s in sorted(glob.glob(os.path.join(HERE, "checker", "*.c")))
               if not s.endswith("streams.c")]
    os.makedirs(directory, exist_ok=True)
    flags = ["-g", "-O1", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
             "-I" + os.path.join(stage, "include", "ompd")]
    subprocess.run(compiler() + flags + ["-fPIC", "-shared", "-o", tool, *sources,
                                         "-lpthread", "-ldl"], check=True)
    streams = os.path.join(directory, "streams")
    subprocess.run(compiler() + flags + ["-rdynamic", "-o", streams, *sources,
                                         os.path.join(HERE, "checker", "streams.c"),
                                         "-lpthread", "-ldl"], check=True)
    return tool, streams


def environment(case, **more):
    result = {k: v for k, v in os.environ.items()
              if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD", "LC_", "LANG", "CHECKER_"))}
    result.update(LC_ALL="C", OMP_NUM_THREADS="3", **more)
    result.update(case.env)
    return result


def run(case, path, variables):
    try:
        done = subprocess.run([path, *case.args], env=environment(case, **variables),
                              input=case.stdin.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=90)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        return None, late.stdout or b"", late.stderr or b""


def read_report(report):
    with open(report) as file:
        return file.read().splitlines()


def check(case, path, tool, report, preload, exceptions):
    """What is wrong with one program, in words."""
    variables = {"OMP_TOOL_LIBRARIES": tool, "CHECKER_REPORT": report,
                 "CHECKER_EXCEPT": exceptions}
    if os.path.exists(report):
        os.unlink(report)
    bare = run(case, path, {})
    with_tool = run(case, path, dict(variables, **preload))
    problems = []
    for what, a, b in zip(("status", "stdout", "stderr"), bare, with_tool):
        if a != b and not (case.unordered and sorted(a.split()) == sorted(b.split())):
            problems.append("%s: %s, bare %s" % (what, str(b)[-300:], str(a)[-300:]))
    lines = read_report(report) if os.path.exists(report) else []
    problems += [line for line in lines if line.startswith("!")]
    ends = [re.match(r"= \d+: (\d+) events", line) for line in lines]
    if TOOLLESS.search(case.name):
        return problems
    if not lines:
        problems.append("the tool was not started")
    elif not any(e and int(e.group(1)) for e in ends) and not UNFINISHED.search(case.name):
        problems.append("the tool was not finalised or saw nothing")
    return problems


def check_streams(tap, streams):
    done = subprocess.run([streams], stdout=subprocess.PIPE, text=True, timeout=60)
    for line in done.stdout.splitlines():
        found = re.match(r"(not )?ok \d+ - (.*)", line)
        if found:
            tap.case([line] if found.group(1) else [], "a stream: " + found.group(2))
    if done.returncode not in (0, 1):
        tap.case(["status %d" % done.returncode], "the streams come to their end")


def llvm_case(name, tool, directory):
    source = os.path.join(build.SOURCES, name + ".c")
    program = os.path.join(directory, "llvm-" + name)
    done = subprocess.run(["clang", "-w", "-g", "-O1", "-fopenmp", source, "-o", program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return done.stdout.splitlines()
    case = manifest.Case(name, name, (), {}, 0, "", False)

    def once():
        return check(case, program, tool, program + ".report", {}, LLVM_EXCEPT)

    # That runtime tells of two tasks by one's data once in some hundred runs under load.
    return once() and once()


# Tasks that run in the last barrier of a region, many at once.
SCENES = ("tasks_taskwait", "tasks_taskgroup", "tasks_barrier", "tasks_depend", "taskloop",
          "detached", "nested", "initial_threads", "nest_locks", "ordered")


def scene_cases(directory):
    program = os.path.join(directory, "scenes")
    subprocess.run([*compiler(), "-g", "-O1", "-w", "-fopenmp", os.path.join(HERE, "archer.c"),
                    "-o", program, "-lpthread"], check=True)
    return program, [manifest.Case("scene " + name, "archer", (name,), {}, 0, "", False)
                     for name in SCENES]


def has_llvm(directory):
    if not shutil.which("clang"):
        return False
    return subprocess.run(["clang", "-fopenmp", "-x", "c", "-", "-o",
                           os.path.join(directory, "probe")],
                          input=b"#include <omp.h>\nint main(void) { return omp_in_parallel(); }",
                          stderr=subprocess.DEVNULL).returncode == 0


def main():
    stage = os.environ["stage"]
    top = os.path.join(os.environ["top_builddir"], "testsuite")
    directory = os.path.join(top, "tools", "checker")
    tool, streams = build_tool(stage, directory)
    wanted = sys.argv[1:]
    tap = Tap()
    if not wanted:
        check_streams(tap, streams)
    paths = build.build_all(manifest.BINARIES, os.path.join(top, "programs", "bin"),
                            os.cpu_count())
    preload = {"LD_PRELOAD": os.path.join(stage, "lib", "libompd-hooks.so")}
    cases = [c for c in manifest.CASES if not wanted or c.name in wanted or c.binary in wanted]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = []
        for number, case in enumerate(cases):
            path = paths[case.binary]
            if isinstance(path, build.Unavailable):
                runs.append((case, None, str(path)))
            elif isinstance(path, Exception):
                runs.append((case, None, None))
            elif case.name == "memory":
                runs.append((case, None, "it would count the tool's memory"))
            else:
                runs.append((case, pool.submit(
                    check, case, path, tool, os.path.join(directory, "%d.report" % number),
                    preload, EXCEPT), None))
        scenes, more = scene_cases(directory)
        for number, case in enumerate(more if not wanted else []):
            runs.append((case, pool.submit(
                check, case, scenes, tool, os.path.join(directory, "scene-%d.report" % number),
                preload, EXCEPT), None))
        for case, result, skip in runs:
            if skip:
                tap.skip(case.name, skip)
            else:
                tap.case((result.result() if result else [str(paths[case.binary])])[:12],
                         case.name)
        if not wanted and has_llvm(directory):
            for name, result in [(n, pool.submit(llvm_case, n, tool, directory))
                                 for n in LLVM_PROGRAMS]:
                tap.case(result.result()[:12], "LLVM's runtime: " + name)
        elif not wanted:
            tap.skip("LLVM's runtime", "there is no clang with OpenMP")
    tap.end()


if __name__ == "__main__":
    main()
