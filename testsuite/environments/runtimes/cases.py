# SPDX-License-Identifier: MIT
#
# Several OpenMP runtimes in one process: the system's libgomp, copies under the names that
# Python packages give them, one inside the executable, LLVM's libomp.

import glob
import os
import re
import shutil
import subprocess
import sys

import build
from table import Binary, case, module, program

COPY = "libgomp-a34b3233.so.1.0.0"
OTHER_COPY = "libgomp-d22c30c5.so.1.0.0"


def system_library(name):
    return subprocess.run(["gcc", "-print-file-name=" + name], stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def copy_libgomp(new, name):
    shutil.copy(os.path.realpath(system_library("libgomp.so.1")), new)
    build.execute(["patchelf", "--set-soname", name, new], None)


def libgomp(name):
    """A copy of the system's; what is compiled is thrown away."""
    return Binary(name, "runtimes/relay.c", ("-fPIC", "-shared"), False, None, None, (),
                  copy_libgomp)


def with_runtime(name, link, *words, needs=(), compiler=None):
    return module("runtimes/module.c", "-DMODULE=" + name, "-Wno-unknown-pragmas", *words,
                  name=name, needs=needs, compiler=compiler,
                  link=["-shared", "-pthread", "-Wl,-rpath,$ORIGIN", *link])


SYSTEM = with_runtime("system", ["-fopenmp"], "-O2")
COPIED = with_runtime("copied", ["{bin}/" + COPY], "-O2", needs=(libgomp(COPY),))
ALSO = with_runtime("also", ["{bin}/" + OTHER_COPY], "-O1", needs=(libgomp(OTHER_COPY),))
RELAY = module("runtimes/relay.c", "-O2", openmp=False)
LOAD = program("runtimes/load.c", openmp=False)
# The loader itself is a program with OpenMP: by the shared library, by a static one, and by
# a static one that the modules bind to.
LINKED = program("runtimes/load.c", name="load-linked")
INSIDE = program("runtimes/load.c", name="load-inside",
                 link=("-pthread", "-l:libgomp.a", "-ldl"))
EXPORTED = program("runtimes/load.c", name="load-exported",
                   link=("-pthread", "-rdynamic", "-Wl,--whole-archive", "-l:libgomp.a",
                         "-Wl,--no-whole-archive", "-ldl"))
NEEDS = (SYSTEM, COPIED, ALSO, RELAY)
PYTHON = os.environ.get("PYTHON") or sys.executable


def loads(name, *words, by=LOAD, needs=NEEDS, **more):
    case("libgomps: " + name, by, *words, needs=needs, timeout=10, **more)


loads("system alone", "system")
loads("copy alone", "copied")
loads("system first", "system", "copied")
loads("copy first", "copied", "system")
loads("two copies", "copied", "also")
loads("three", "also", "system", "copied")
loads("system late", "copied", "system:late")
loads("copy late", "system", "copied:late")
loads("bound at once", "copied:now", "system:now")
loads("system global", "system:global", "copied")
loads("copy global", "copied:global", "system")
loads("copy deep", "system:global", "copied:deep")
loads("both deep", "copied:deep", "system:deep")
KEPT = ("keep:libgomp.so.1", "keep:./" + COPY)
loads("closed", "copied", "system", "close", *KEPT)
loads("closed and opened again", "system", "copied", "again", "close", *KEPT)
loads("system linked", "copied", "system", by=LINKED)
loads("system linked, copy global", "copied:global", "also", by=LINKED)
for by in (INSIDE, EXPORTED):
    for order in (("system",), ("copied", "system"), ("system", "copied")):
        loads("%s with %s" % (by.name, ", ".join(order)), *order, by=by)
for order in (("system", "copied"), ("copied", "system"), ("copied", "also", "system")):
    case("libgomps: Python with " + ", ".join(order), PYTHON, "{here}/runtimes/load.py", *order,
         needs=NEEDS)

# Callers that show no references to a runtime.
FINDS = program("runtimes/finds.c", openmp=False, link=("-rdynamic", "-pthread", "-ldl"))
case("libgomps: a plugin that exports nothing", FINDS, "plugin",
     needs=(module("runtimes/silent.c", "-fvisibility=hidden"),))
case("libgomps: found by dlsym()", FINDS, "dlsym")

# LLVM's libomp, which exports libgomp's names as well.
def llvm_directory():
    found = sorted(glob.glob("/usr/lib/llvm-*/lib/libomp.so"),
                   key=lambda p: int(re.search(r"llvm-(\d+)", p).group(1)))
    return os.path.dirname(found[-1]) if found else None


LLVM = llvm_directory()
if LLVM:
    LIBOMP = (LLVM + "/libomp.so", "-Wl,-rpath," + LLVM)
    CLANG = os.path.join(os.path.dirname(LLVM), "bin", "clang")
    LLVM_MODULE = with_runtime("llvm", LIBOMP, "-O1", compiler=CLANG)
    GCC_ON_LLVM = with_runtime("gccllvm", LIBOMP, "-O2")
    ON_LIBOMP = program("runtimes/load.c", name="load-libomp",
                        link=("-pthread", *LIBOMP, "-ldl"))
    NEEDS_LLVM = NEEDS + (LLVM_MODULE, GCC_ON_LLVM)
    for by in (LOAD, LINKED, ON_LIBOMP, INSIDE):
        for order in (("llvm",), ("gccllvm",), ("system", "llvm"), ("llvm", "system"),
                      ("gccllvm", "copied")):
            case("libomp: %s with %s" % (by.name, ", ".join(order)), by, *order,
                 needs=NEEDS_LLVM)
    case("libomp: a program of gcc",
         program("processes/region.c", name="region-libomp", link=("-pthread", *LIBOMP)), "4")
    case("libomp: Python with llvm, system", PYTHON, "{here}/runtimes/load.py", "llvm", "system",
         needs=NEEDS_LLVM)
    DEPENDENCES = program("runtimes/dependences.c", compiler=CLANG, link=("-pthread", *LIBOMP))
    case("libomp: waits for dependences", DEPENDENCES, out="160\n", env={"UNMARKED_TASKS": "1"})
