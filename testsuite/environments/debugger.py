# SPDX-License-Identifier: MIT
"""Processes in containers, as a debugger outside of them sees them: what the commands say of a
program (-json) is what they say of it without any container, live and of its core, unprepared and
recorded, of gcc and clang. One gdb looks at all processes of a compiler, one after the other.

    debugger.py            as `make check` does: each container, and all at once with each compiler
    debugger.py --all      all programs in all containers
    debugger.py --only WORD  those containers, ways and programs whose names have WORD
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(SUITE, "common"), os.path.join(SUITE, "gdb")]
from harness import compiler_of  # noqa: E402
from rest import comes_to_rest, that_runs  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

STAGE = os.environ["stage"]
TOP = os.environ.get("top_builddir", os.getcwd())
# Source, argument, threads, whether it prints a line when it is where it stays; those of `make
# check` first: the first of the first compiler in each container, the others in TOGETHER.
PROGRAMS = (("../examples/transfer.c", "hang", 2, False), ("gdb/waits.c", "hold", 7, True),
            *(("why/" + source, how, 2, False) for source, how in (
                ("locks.c", "mixed"), ("locks.c", "order"), ("libc_locks.c", "robust"),
                ("libc_locks.c", "inherits"), ("libc_locks.c", "elsewhere"),
                ("libc_locks.c", "prints"), ("barriers.c", "mismatch"),
                ("barriers.c", "returns"))))
# Waits in functions of libc that have no name where it is stripped: the other one is.
STRIPPED = {"robust", "inherits", "prints"}
IN_CHECK = 2
WAYS = {"unprepared": [], "recorded": [os.path.join(STAGE, "bin/ompd-run")]}
# The words before the command. {programs} is where the programs are, {shown} where they are in
# another mount namespace alone, {root} another root directory.
CONTAINERS = {
    "none": "",
    "pid namespace": "unshare -p -f --mount-proc",
    "mount namespace": "unshare -m sh -c 'mount --bind {programs} {shown} && exec \"$@\"' sh",
    "user namespace": "unshare -U",
    "all namespaces": "unshare -U -r -p -f -m --mount-proc",
    "another Debian": "unshare -m sh -c 'mount --bind /proc {root}/proc && exec chroot {root} "
                      "\"$@\"' sh",
}
# Of Debian, by the suite here: its compilers' programs run on a libc that is not older.
NEWER = {"bookworm": "trixie", "trixie": "sid"}
LLVM = {"trixie": "libomp5-19", "sid": "libomp5-19"}
MOUNTS, ROOT = "mount namespace", "another Debian"
TOGETHER = {"none", "all namespaces"}
NAMELESS = re.compile(r'"libc\.so\.6\+N"')  # where a thread begins, if libc has no symbols
OF_VERSION = {"doctor"}  # not every version of a runtime keeps what that asks for


def compilers():
    """{name: the words of its command} of those that there are."""
    found = {"gcc": compiler_of(".c"), "clang": [shutil.which("clang") or ""]}
    return {name: words for name, words in found.items() if shutil.which(words[0] or "-")}


def why_not(words):
    """Why a container cannot be had, or None."""
    try:
        done = subprocess.run([*words, "true"], stdout=subprocess.DEVNULL, check=False,
                              stderr=subprocess.PIPE, text=True)
    except FileNotFoundError as error:
        return str(error)
    return (done.stderr.strip().splitlines() or ["not permitted"])[-1] if done.returncode else None


def other_debian(directory):
    """(root directory of another Debian with the hooks in it, or None; why there is none)."""
    if os.geteuid() != 0:
        return None, "not root: chroot is not permitted"
    with open("/etc/os-release", encoding="utf-8") as stream:
        here = stream.read()
    machine = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout.strip() if shutil.which("dpkg") else ""
    if not machine:
        return None, "no packages of Debian here"
    suite = next((newer for name, newer in NEWER.items() if "VERSION_CODENAME=" + name in here), None)
    if suite is None:
        return None, "no Debian is newer"
    kept = os.path.join(TOP, "platforms", "chroot-" + suite)
    os.makedirs(kept, exist_ok=True)
    done = subprocess.run([os.path.join(SUITE, "platforms/fetch.sh"), suite, machine, kept, "libc6",
                           "libgomp1", "libgcc-s1", LLVM[suite]], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return None, "apt: " + (done.stderr.strip().splitlines() or ["no packages"])[-1]
    root = os.path.join(directory, "root")
    shutil.copytree(os.path.join(kept, "root"), root, symlinks=True)
    os.makedirs(os.path.join(root, "proc"))
    shutil.copytree(STAGE, root + STAGE, symlinks=True,
                    ignore=lambda _, names: set(names) & {"include", "share"})
    return root, None


class Look:
    """One process, to be looked at."""

    def __init__(self, container, way, program, argument):
        self.container, self.way = container, way
        self.program, self.argument = program, argument
        self.outer = None  # what started it
        self.pid = None  # as it is seen from here

    @property
    def name(self):
        return "%s %s, %s, %s" % (self.program, self.argument, self.container, self.way)

    def start(self, words, path, threads, prints):
        """Whether the program comes to where it stays. There it is stopped: LLVM's runtime
        spins."""
        environment = dict({k: v for k, v in os.environ.items()
                            if not k.startswith(("OMP_", "GOMP_", "KMP_", "LD_PRELOAD"))},
                           OMP_WAIT_POLICY="passive", KMP_BLOCKTIME="0")
        self.outer = subprocess.Popen(
            words + WAYS[self.way] + [path, self.argument], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if prints else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        if prints:
            self.outer.stdout.readline()
        self.pid = that_runs(self.outer.pid, os.path.basename(path))
        if self.pid is None:
            return False
        rests = comes_to_rest(self.pid, threads)
        os.kill(self.pid, signal.SIGSTOP)
        return rests

    def end(self):
        for pid in {self.pid, self.outer.pid} - {None}:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        self.outer.wait()
        if self.outer.stdout:
            self.outer.stdout.close()


def answers(looks, directory, root):
    """What gdb says of these processes, and what it printed."""
    job, found = (os.path.join(directory, name) for name in ("job", "answers"))
    with open(job, "w", encoding="utf-8") as stream:
        json.dump([{"name": look.name, "pid": look.pid, "program": os.path.join(
            directory, "programs", look.program),
                    "root": root if look.container == ROOT else None} for look in looks], stream)
    done = subprocess.run(
        [os.environ.get("GDB") or "gdb", "-nx", "-batch", "-ex",
         "source " + os.path.join(HERE, "debugger_look.py")], stdin=subprocess.DEVNULL,
        env=dict(os.environ, OMPD_JOB=job, OMPD_ANSWERS=found, PYTHONDONTWRITEBYTECODE="1",
                 LC_ALL="C.UTF-8"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        timeout=30 + 20 * len(looks), check=False)
    if not os.path.exists(found):
        return {}, done.stdout
    with open(found, encoding="utf-8") as stream:
        return json.load(stream), done.stdout


def normal(answer, left_out=()):
    """The text of an answer, line by line, without the keys LEFT_OUT and what differs from run to
    run: times, processors, addresses, processes, numbers of the kernel and of the runtime."""
    numbers = {}

    def of(value, key=None):
        if isinstance(value, dict):
            return {k: of(v, k) for k, v in value.items()
                    if k not in left_out and k != "processor" and not k.endswith(("_seconds", "_recent"))}
        if isinstance(value, list):
            return [of(one, key) for one in value]
        if isinstance(value, str):
            return re.sub(r"0x[0-9a-f]+|(?<=LWP )\d+|(?<=-p )\d+", "N", value)
        if key in ("lwp", "pid"):
            return "N"
        if isinstance(value, int) and value > 4096:
            return "number %d" % numbers.setdefault(value, len(numbers))
        return value

    return NAMELESS.sub('"clone3"', json.dumps(of(answer), indent=1)).splitlines()


def differences(wanted, found, left_out):
    """What two answers of all commands do not share, in words."""
    told = []
    for command in wanted:
        lines = [line for line in difflib.unified_diff(
            normal(wanted[command], left_out), normal(found.get(command), left_out), "none", "here",
            "", "", 2)]
        if lines:
            told += [command + ":", *lines[:30]]
    return told


def check(tap, looks, found, printed):
    """Compares each with the one of the same program and way in no container."""
    outside = {(look.way, look.program, look.argument): look.name for look in looks
               if look.container == "none"}
    tap.ok("Traceback" not in printed and "Error while" not in printed,
           "gdb printed no Python error", printed)
    for look in looks:
        for kind in ("live", "core"):
            name = "%s, %s" % (look.name, kind)
            here = found.get(look.name, {}).get(kind)
            if here is None:
                tap.ok(False, name + ": gdb answers", printed[-4000:])
                continue
            unknown = [command for command, one in here.items() if "error" in one]
            tap.equal(unknown, [], name + ": every command has an answer")
            if look.container == "none":
                continue
            wanted = found.get(outside[look.way, look.program, look.argument], {}).get(kind, {})
            left_out = {"core"} | (OF_VERSION if look.container == ROOT else set())
            tap.case(differences(wanted, here, left_out), name + ": as in no container")
        other = found.get(look.name, {}).get("other")
        if look.container == ROOT:
            tap.ok(other and "/proc/%d/root" % look.pid in other["threads"],
                   look.name + ": which file is another one, and what to type", other)
            tap.ok(other and not re.search(r"\b_*(GOMP|gomp|kmp|kmpc|omp)_\w+ *\(",
                                           other["threads"] + other["bt"]),
                   look.name + ": no name of a file that is not the process's", other)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if os.environ.get("GDB", "gdb") == "":
        skip_all("gdb is not installed")
    tap, looks = Tap(), {}
    with tempfile.TemporaryDirectory(prefix="ompd-containers-") as directory:
        os.chmod(directory, 0o755)  # another user namespace has no rights of root's
        programs, shown = (os.path.join(directory, name) for name in ("programs", "shown"))
        os.mkdir(programs)
        os.mkdir(shown)
        root, reason = other_debian(directory)
        containers = {}
        for container, words in CONTAINERS.items():
            words = words.format(programs=programs, shown=shown, root=root)
            words = subprocess.run(["sh", "-c", "printf '%s\\n' " + words], stdout=subprocess.PIPE,
                                   text=True, check=True).stdout.splitlines() if words else []
            why = reason if container == ROOT else why_not(words) if words else None
            if why:
                tap.skip(container, why)
            else:
                containers[container] = words
        try:
            for compiler, words in compilers().items():
                looks[compiler] = []
                start_all(tap, looks[compiler], options, compiler, words, containers, directory,
                          root)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                told = {compiler: pool.submit(answers, found, make(directory, compiler), root)
                        for compiler, found in looks.items()}
            for compiler, found in looks.items():
                check(tap, found, *told[compiler].result())
        finally:
            for found in looks.values():
                for look in found:
                    look.end()
    tap.end()


def make(directory, name):
    path = os.path.join(directory, name)
    os.mkdir(path)
    os.symlink(os.path.join(directory, "programs"), os.path.join(path, "programs"))
    return path


def is_looked_at(options, at, compiler, container):
    """Of the program that is the ATth. Each compiler's runtime is another one in another Debian."""
    if options.all or options.only or container in TOGETHER:
        return True
    return at == 0 and (compiler == "gcc" or container == ROOT)


def start_all(tap, looks, options, compiler, words, containers, directory, root):
    """Adds to LOOKS those of programs that have come to rest."""
    for at, (source, argument, threads, prints) in enumerate(
            PROGRAMS if options.all else PROGRAMS[:IN_CHECK]):
        name = "%s-%s" % (os.path.basename(source)[:-2], compiler)
        path = os.path.join(directory, "programs", name)
        if not os.path.exists(path):
            subprocess.run([*words, "-g", "-O0", "-fopenmp", "-pthread", "-o", path,
                            os.path.join(SUITE, source)], check=True)
            if root:
                os.makedirs(root + os.path.dirname(path), exist_ok=True)
                shutil.copy(path, root + path)
        for container, before in containers.items():
            if not is_looked_at(options, at, compiler, container):
                continue
            for way in WAYS if container != ROOT or argument not in STRIPPED else ():
                look = Look(container, way, name, argument)
                if options.only in look.name or container == "none":
                    place = path.replace("/programs/", "/shown/") if container == MOUNTS else path
                    looks.append(look)
                    tap.ok(look.start(before, place, threads, prints),
                           look.name + ": comes to rest")


if __name__ == "__main__":
    main()
