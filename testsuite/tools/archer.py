# SPDX-License-Identifier: MIT
#
# LLVM's race detector Archer, as it is installed, with programs of GCC: what it reports of
# scenes without a race and with one (archer.c). The command is the one of OMPT.md.
#
#   archer.py [NAME...]

import glob
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, skip_all  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ["stage"]
WORK = os.path.join(os.environ["top_builddir"], "testsuite", "tools")
REPORT = "WARNING: ThreadSanitizer: data race"
ENOUGH = 5  # scenes without a race that are reported without Archer


def version(path):
    digits = [part[5:] for part in path.split("/") if part.startswith("llvm-")]
    return int(digits[0]) if digits and digits[0].isdigit() else 0


def find_archer():
    found = glob.glob("/usr/lib/llvm-*/lib/libarcher.so") + \
        glob.glob("/usr/lib/*/libarcher.so") + glob.glob("/usr/lib*/libarcher.so")
    return max(found, key=version) if found else None


def documented(file):
    """What the command in a file of ours takes for the library."""
    with open(os.path.join(os.environ["top_srcdir"], file), encoding="utf-8") as stream:
        value = re.search(r"OMP_TOOL_LIBRARIES=(\$\(.*libarcher.*\)) ompd-run", stream.read()).group(1)
    return subprocess.run(["sh", "-c", "echo " + value], stdout=subprocess.PIPE, text=True,
                          check=False).stdout.strip()


def compile_scenes():
    """The program, or why there is none."""
    target = os.path.join(WORK, "archer")
    os.makedirs(WORK, exist_ok=True)
    done = subprocess.run([*(os.environ.get("CC") or "gcc").split(), "-g", "-O1", "-w", "-fopenmp",
                           "-fsanitize=thread", os.path.join(HERE, "archer.c"), "-o", target,
                           "-lpthread"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        return None, "no -fsanitize=thread here: " + done.stdout.strip().split("\n")[-1]
    return target, None


def run(words, **more):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "GOMP_", "TSAN_", "ARCHER_", "LD_PRELOAD"))}
    environment.update(more)
    try:
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, errors="replace")
    except subprocess.TimeoutExpired as late:
        return str(late.stdout) + "\nno end after 60 seconds"
    return done.stdout


def with_archer(program, scene, library):
    return run([os.path.join(STAGE, "bin", "ompd-run"), program, scene],
               TSAN_OPTIONS="ignore_noninstrumented_modules=1", OMP_TOOL_LIBRARIES=library)


def main():
    library = find_archer()
    if not library:
        skip_all("there is no libarcher.so (Debian: libomp-dev)")
    program, reason = compile_scenes()
    if not program:
        skip_all(reason)
    names = run([program, "list"]).split()
    if not names or "ThreadSanitizer" in names:
        skip_all("programs with -fsanitize=thread do not run here: " + " ".join(names[:9]))
    names = sys.argv[1:] or names
    tap = Tap()
    false_positives = 0
    for name in names:
        racy = name.startswith("race_")
        said = with_archer(program, name, library)
        good = "played" in said and (REPORT in said) == racy
        tap.ok(good, "%s: %s" % (name, "the race is reported" if racy else "no report"),
               *said.split("\n")[:25])
        if not racy and false_positives < ENOUGH:
            false_positives += REPORT in run([program, name])
    if not sys.argv[1:]:
        for file in ("doc/manual.md", "runtime-hooks/consumers/ompt/OMPT.md"):
            if "/llvm-" in library:
                tap.equal(documented(file), library, "the command of %s finds it" % file)
        tap.equal(false_positives, ENOUGH, "without it some of those without a race are reported")
    tap.end()


if __name__ == "__main__":
    main()
