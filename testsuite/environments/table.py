# SPDX-License-Identifier: MIT
#
# What the tables of cases are made of. A Binary is built from one source by the default rule;
# a Case runs a command in each mode. The command of a case may hold binaries, which stand for
# their paths and are built before, as are those of `needs`.

import collections
import os

import build

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ("bare", "off", "recording", "tool")

# name: of the file; source: below this directory; words: for the compiler, {bin}, {stage} and
# {here} are replaced; openmp: compiled with -fopenmp; link: the words of a link step without
# -fopenmp; compiler: in place of the default one; needs: binaries built before; finish: called
# with the path of what was built, and the name that it will have
Binary = collections.namedtuple("Binary", "name source words openmp link compiler needs finish")

# name: unique; command: its words; status: what a shell would call $?, or minus the signal's
# number; out: what stdout must be in each mode, None to compare with bare alone; modes: that
# the case has beside "bare"; long: not part of "make check"; unless: called before, returns
# the reason to skip
Case = collections.namedtuple(
    "Case", "name command env status out stdin unordered modes timeout long needs unless")

CASES = []


def program(source, *words, name=None, openmp=True, link=None, compiler=None, needs=(),
            finish=None):
    stem = os.path.splitext(os.path.basename(source))[0]
    return Binary(name or stem, source, tuple(words), openmp, link and tuple(link), compiler,
                  tuple(needs), finish)


def module(source, *words, name=None, **more):
    stem = os.path.splitext(os.path.basename(source))[0]
    return program(source, "-fPIC", "-shared", *words, name=(name or stem) + ".so", **more)


def case(name, *command, env=None, status=0, out=None, stdin="", unordered=False,
         modes=MODES[1:], timeout=20, long=False, needs=(), unless=None):
    assert name not in {c.name for c in CASES}, name
    CASES.append(Case(name, command, env or {}, status, out, stdin, unordered, tuple(modes),
                      timeout, long, tuple(needs), unless))


def _newest_input():
    return max(os.stat(os.path.join(folder, name)).st_mtime
               for folder, _, names in os.walk(HERE) for name in names
               if not name.endswith(".pyc"))


def build_one(binary, directory, stage):
    """Returns the path of the file; it is kept while no file of this folder is newer."""
    target = os.path.join(directory, binary.name)
    if os.path.exists(target) and os.stat(target).st_mtime > _newest_input():
        return target
    work = os.path.join(directory, binary.name + ".d")
    os.makedirs(work, exist_ok=True)
    new = os.path.join(work, "new")

    def filled(words):
        return [w.replace("{bin}", directory).replace("{stage}", stage)
                .replace("{here}", HERE) for w in words]

    source = os.path.join(HERE, binary.source)
    default = build.compiler(source)
    words = [binary.compiler] + default[1:] if binary.compiler else default
    words += ["-g", "-O1", "-Wall", "-Wextra", "-pthread",
              "-I" + HERE, "-I" + os.path.join(HERE, os.pardir, "programs")]
    openmp = ["-fopenmp"] if binary.openmp else []
    if binary.link is None:
        build.execute([*words, *openmp, source, *filled(binary.words), "-o", new, "-ldl"], work)
    else:
        build.execute([*words, *openmp, "-c", source, *filled(binary.words), "-o", "one.o"],
                      work)
        build.execute([words[0], "one.o", "-o", new, *filled(binary.link)], work)
    if binary.finish:
        binary.finish(new, binary.name)
    os.replace(new, target)
    return target


def binaries_of(case):
    """The binaries of a case, each after what it needs."""
    found = []

    def add(binary):
        for needed in binary.needs:
            add(needed)
        if binary not in found:
            found.append(binary)

    for word in (*case.needs, *case.command):
        if isinstance(word, Binary):
            add(word)
    return found


def build_all(cases, directory, stage, pool):
    """A dictionary from binary to path, or to the exception that says why not."""
    os.makedirs(directory, exist_ok=True)
    built = {}

    def one(binary):
        for needed in binary.needs:
            if isinstance(built[needed], Exception):
                return built[needed]
        try:
            return build_one(binary, directory, stage)
        except (build.Unavailable, build.CompileError) as why:
            return why

    left = {b for c in cases for b in binaries_of(c)}
    while left:
        ready = sorted((b for b in left if all(n in built for n in b.needs)),
                       key=lambda b: b.name)
        built.update(zip(ready, pool.map(one, ready)))
        left -= set(ready)
    return built
