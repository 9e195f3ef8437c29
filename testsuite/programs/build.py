# SPDX-License-Identifier: MIT
#
# Compiles the programs of the manifest. Nothing is compiled twice unless a file of this
# directory changed.

import concurrent.futures
import os
import shlex
import subprocess

SOURCES = os.path.dirname(os.path.abspath(__file__))

LANGUAGES = {
    ".c": ("CC", "gcc", ["-std=gnu11"]),
    ".cc": ("CXX", "g++", ["-std=gnu++17"]),
    ".f90": ("FC", "gfortran", []),
}


class Unavailable(Exception):
    """There is no compiler for this language here."""


class CompileError(Exception):
    pass


def execute(command, cwd):
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        raise Unavailable("no " + command[0])
    if done.returncode:
        raise CompileError(shlex.join(command) + "\n" + done.stdout)
    return done.stdout


def compiler(source):
    variable, fallback, flags = LANGUAGES[os.path.splitext(source)[1]]
    command = os.environ.get(variable)
    if command is None:
        command = fallback
    if not command.strip():
        raise Unavailable("configure found no compiler for " + variable)
    return shlex.split(command) + flags


def _newest_input():
    return max(os.stat(os.path.join(SOURCES, name)).st_mtime
               for name in os.listdir(SOURCES) if name != "__pycache__")


def build(binary, directory):
    """Returns the path of the program. Raises Unavailable or CompileError."""
    target = os.path.join(directory, binary.name)
    if os.path.exists(target) and os.stat(target).st_mtime > _newest_input():
        return target
    source = os.path.join(SOURCES, binary.source)
    work = os.path.join(directory, binary.name + ".d")
    os.makedirs(work, exist_ok=True)
    new = os.path.join(work, "program")
    compile_ = compiler(binary.source) + ["-g", "-Wall", "-Wextra", *binary.flags]
    openmp = ["-fopenmp"] if binary.openmp else []
    if binary.plugin:
        plugin = os.path.join(SOURCES, binary.plugin)
        execute(compiler(binary.plugin) + ["-g", "-fopenmp", "-shared", "-fPIC", plugin, "-o",
                                         target + ".so"], work)
    if binary.link is None:
        libraries = [] if binary.openmp else ["-ldl"]
        execute(compile_ + openmp + [source, "-o", new] + libraries, work)
    else:
        execute(compile_ + openmp + ["-c", source, "-o", "program.o"], work)
        execute(compile_[:1] + ["program.o", "-o", new, *binary.link], work)
    os.replace(new, target)
    return target


def build_all(binaries, directory, jobs):
    """A dictionary from name to path, or to the exception that says why not."""
    os.makedirs(directory, exist_ok=True)

    def one(binary):
        try:
            return build(binary, directory)
        except (Unavailable, CompileError) as why:
            return why

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip((b.name for b in binaries), pool.map(one, binaries)))
