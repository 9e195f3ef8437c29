# SPDX-License-Identifier: MIT
"""Modules that bring a runtime each, for the tests of host and gdb: "system" has the system's
libgomp, "copied" a copy under the name that Python packages give it, "hidden" one whose name
says nothing; and "llvm", made by clang where it is installed, LLVM's runtime. `load` opens them, and "libstrange.so", which exports what a runtime does, too."""

import glob
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
from rest import comes_to_rest  # noqa: E402  pylint: disable=wrong-import-position

COPY = "libgomp-a34b3233.so.1.0.0"
HIDDEN = "libsolver-7.so"
CLANG = shlex.split(os.environ.get("CLANG") or "clang")
LLVM = sorted(glob.glob("/usr/lib/llvm-*/lib/libomp.so.5"))


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True).stdout


def has_clang():
    return shutil.which(CLANG[0]) is not None


def missing():
    """Why they cannot be made, or None."""
    return None if shutil.which("patchelf") else "patchelf is not installed"


def make(where):
    compiler = shlex.split(os.environ.get("CC") or "cc")
    libgomp = os.path.realpath(output(*compiler, "-print-file-name=libgomp.so.1").strip())
    for name in (COPY, HIDDEN):
        shutil.copy(libgomp, os.path.join(where, name))
        output("patchelf", "--set-soname", name, os.path.join(where, name))
    modules = [("system", compiler, None), ("copied", compiler, COPY), ("hidden", compiler, HIDDEN)]
    for name, made_by, library in modules + ([("llvm", CLANG, None)] if has_clang() else []):
        built = os.path.join(where, name + ".o")
        link = [os.path.join(where, library), "-Wl,-rpath,$ORIGIN"] if library else ["-fopenmp"]
        output(*made_by, "-std=gnu11", "-g", "-O1", "-fPIC", "-fopenmp", "-I" + HERE,
               "-DMODULE=" + name, "-c", HERE + "/runtimes-module.c", "-o", built)
        output(*made_by, "-shared", built, *link, "-lpthread", "-o",
               os.path.join(where, name + ".so"))
    strange = os.path.join(where, "strange.c")
    with open(strange, "w", encoding="ascii") as stream:
        stream.write("int omp_get_thread_num(void) { return 0; }\nvoid GOMP_parallel(void) { }\n")
    output(*compiler, "-shared", "-fPIC", strange, "-o", os.path.join(where, "libstrange.so"))
    output(*compiler, "-g", "-O1", HERE + "/runtimes-load.c", "-ldl", "-lpthread", "-o",
           os.path.join(where, "load"))


class Process:
    """A program in WHERE, killed in the end."""

    def __init__(self, where, *command, hooks=None):
        more = {"LD_PRELOAD": hooks, "OMP_OMPD": "on"} if hooks else {}
        self.where = where
        self.process = subprocess.Popen(
            command, cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            universal_newlines=True,
            env=dict(os.environ, OMP_WAIT_POLICY="passive", **more))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def says(self):
        line = self.process.stdout.readline().strip()
        if line != "done":
            raise RuntimeError("it says: " + line)

    def does(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            self.says()
        return self

    def pid(self):
        return self.process.pid

    def settled(self, threads):
        """Waits for so many threads that are not in user code."""
        if not comes_to_rest(self.pid(), threads):
            raise RuntimeError("they do not come to rest")
        return self
