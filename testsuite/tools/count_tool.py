# SPDX-License-Identifier: MIT
#
# The tool of doc/tool-authors.md, examples/count_tool.c: compiled by gcc and by clang it counts the
# regions and barriers of a program of either, on libgomp and LLVM's runtime, as the page says.

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402

STAGE = os.environ["stage"]
EXAMPLES = os.path.join(STAGE, "share/ompd/examples")
CLANG = (os.environ.get("CLANG") or "clang").split()[0]
GCC = os.environ["CC"].split()[0]
# Regions, and of their threads the barriers: of loops, explicit, at the end.
WANTED = (("heat", 1, 4 * 3), ("mean", 1, 2 * 2), ("transfer", 1, 2))


def run(*words, **more):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "LD_PRELOAD", "MAKE", "MFLAGS"))}
    done = subprocess.run(words, env=dict(environment, **more), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=90, check=False)
    return "%sstatus %d" % (done.stdout, done.returncode)


def make(directory, compiler, *targets):
    include = "-I" + os.path.join(STAGE, "include")
    return run("make", "-s", "-C", directory, "-f", EXAMPLES + "/Makefile", "CC=" + compiler,
               "CPPFLAGS=-Wall -Wextra -Werror " + include, *targets)


def counted(said):
    return [tuple(map(int, numbers)) for numbers in
            re.findall(r"^(\d+) regions, (\d+) entries into barriers$", said, re.M)]


def page(tap):
    """What the page shows of heat."""
    with open(os.path.join(os.environ["top_srcdir"], "doc/tool-authors.md"),
              encoding="utf-8") as stream:
        shown = re.search(r"ompd-run \./heat\n((?:    .*\n)+)", stream.read()).group(1)
    tap.equal([one.strip() for one in shown.splitlines()],
              ["1.0", "%d regions, %d entries into barriers" % WANTED[0][1:]], "the page says so")


def linked(tap, scratch):
    """A program that brings the tool, by the page's line."""
    if not shutil.which("pkg-config"):
        tap.skip("a program that is linked to the tool", "there is no pkg-config")
        return
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "ompd-hooks"], text=True,
                           env=dict(os.environ, PKG_CONFIG_PATH=STAGE + "/lib/pkgconfig"),
                           stdout=subprocess.PIPE, check=False).stdout.split()
    program = os.path.join(scratch, "linked")
    said = run(GCC, "-g", "-fopenmp", EXAMPLES + "/heat.c", EXAMPLES + "/count_tool.c", *flags,
               "-o", program)
    if tap.ok(said == "status 0", "a program is linked to the tool", said):
        said = run(program)
        tap.equal(counted(said), [WANTED[0][1:]], "and runs it without ompd-run")


def main():
    tap = Tap()
    page(tap)
    recorder = os.path.join(STAGE, "bin/ompd-run")
    compilers = [name for name in (GCC, CLANG) if shutil.which(name)]
    with tempfile.TemporaryDirectory(prefix="ompd-") as scratch:
        for compiler in compilers:
            os.mkdir(os.path.join(scratch, os.path.basename(compiler)))
            said = make(os.path.join(scratch, os.path.basename(compiler)), compiler,
                        "count_tool.so", *[name for name, *_ in WANTED])
            tap.ok(said == "status 0", "%s compiles the tool" % compiler, said)
        for tool in compilers:
            library = os.path.join(scratch, os.path.basename(tool), "count_tool.so")
            for compiler in compilers:
                for name, *numbers in WANTED:
                    program = os.path.join(scratch, os.path.basename(compiler), name)
                    ways = [(recorder,)] + [()] * (compiler == CLANG)
                    for before in ways:
                        said = run(*before, program, OMP_TOOL_LIBRARIES=library)
                        tap.ok(counted(said) == [tuple(numbers)] and said.endswith("status 0"),
                               "%s of %s%s, tool of %s" % (name, compiler,
                                                           ", recorded" * bool(before), tool), said)
        linked(tap, scratch)
    tap.end()


main()
