# SPDX-License-Identifier: MIT
#
# The programs of testsuite/programs under the tool events.c, which checks that events nest,
# that each task that was created is completed, and that inquiry functions agree with the
# callbacks. A program must end as without the tool.
#
#   nesting.py [NAME...]

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))

import build  # noqa: E402
import manifest  # noqa: E402

# The tool's last line does not come when the process does not get to its exit handlers,
# and a program without a dynamic libgomp has no tool.
SILENT = re.compile(r"abort|segv|kill|trap|_exit|quick_exit|noopenmp|libgomp_inside|all_static"
                    r"|execs|exit-worker|exit-task|exit-nested|limits|target error|cxx_exceptions escape")


def build_tool(stage, directory):
    tool = os.path.join(directory, "libevents.so")
    os.makedirs(directory, exist_ok=True)
    subprocess.run((os.environ.get("CC") or "gcc").split() +
                   ["-g", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror",
                    "-I" + os.path.join(stage, "include"), "-o", tool,
                    os.path.join(HERE, "events.c")], check=True)
    return tool


def run(case, path, preload):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD"))}
    environment.update(EVENTS_PRINT="0", OMP_NUM_THREADS="3", LD_PRELOAD=preload)
    environment.update(case.env)
    try:
        done = subprocess.run([path, *case.args], env=environment, input=case.stdin, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              errors="replace")
    except subprocess.TimeoutExpired as late:
        return ["no end after 60 seconds", str(late.stderr)[-300:]]
    told = [line for line in done.stderr.split("\n") if line.startswith(("!", "tool:"))]
    problems = [line for line in told if line.startswith("!")]
    if done.returncode != case.status:
        problems.append("status %d and not %d" % (done.returncode, case.status))
        problems += done.stderr.strip().split("\n")[-3:]
    counts = [re.match(r"tool: (\d+) events, (\d+) errors", line) for line in told]
    if not SILENT.search(case.name) and not any(c and int(c.group(1)) for c in counts):
        problems.append("the tool was not finalised or saw nothing")
    return problems


def main():
    stage = os.environ["stage"]
    directory = os.path.join(os.environ["top_builddir"], "testsuite")
    tool = build_tool(stage, os.path.join(directory, "tools"))
    hooks = os.path.join(stage, "lib", "libompd-hooks.so")
    wanted = sys.argv[1:]
    cases = [c for c in manifest.CASES if not wanted or c.name in wanted or c.binary in wanted]
    paths = build.build_all(manifest.BINARIES, os.path.join(directory, "programs", "bin"),
                            os.cpu_count())
    failed = 0
    print("1..%d" % len(cases))
    for number, case in enumerate(cases, 1):
        if case.name == "memory":
            print("ok %d - memory # SKIP it would count the tool's memory" % number)
            continue
        path = paths[case.binary]
        if isinstance(path, build.Unavailable):
            print("ok %d - %s # SKIP %s" % (number, case.name, path))
            continue
        problems = [str(path)] if isinstance(path, Exception) else run(
            case, path, hooks + " " + tool)
        failed += bool(problems)
        print("%s %d - %s" % ("not ok" if problems else "ok", number, case.name))
        for problem in problems[:12]:
            print("# " + problem)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
