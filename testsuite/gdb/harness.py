# SPDX-License-Identifier: MIT
"""Runs a Python script inside a real gdb as a TAP test.

A test is one file that begins with

    import harness
    t = harness.begin(__file__, program="waits.c", timeout=60)

Started by python3, begin() compiles the program into a scratch directory, starts this same
file inside `gdb -batch -nx` and reports its results; it does not return. Started by gdb it
returns the Test below. Whatever gdb printed is shown as comments when a case fails, and a
Python traceback in it fails the test.
"""

import contextlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from marks import marks  # noqa: E402  pylint: disable=wrong-import-position
from rest import comes_to_rest, that_runs  # noqa: E402,F401  pylint: disable=wrong-import-position
from tap import Tap, no_32_bit, skip_all  # noqa: E402,F401  pylint: disable=wrong-import-position

try:
    import gdb
except ImportError:
    gdb = None


# From 16 on gdb numbers the threads that it finds in a process from the last one on.
FROM_LAST = gdb is not None and int(re.match(r"\d+", gdb.VERSION).group()) >= 16
HOW_LONG = re.compile(r",? (?:for|for at least|at least) \d+ (?:s|min|h|days)\b( *$)?", re.M)
SMALL = re.compile(r"warning: Section `\.reg-xstate/\d+' in core file too small\.\n")


def begin(file, program=None, timeout=120, flags="", environment=None):
    if gdb is None:
        sys.exit(_outside(os.path.abspath(file), program, timeout, flags, environment or {}))
    return Test()


# Outside gdb


COMPILERS = {".c": ("CC", "gcc"), ".cc": ("CXX", "g++"), ".f90": ("FC", "gfortran")}


def version_of(*compiler):
    """The first number of a compiler's version."""
    return int(subprocess.run([*compiler, "-dumpversion"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split(".")[0])


def compiler_of(source):
    """The words of its command; SOURCE ends like the file's name."""
    variable, usual = COMPILERS["." + source.rpartition(".")[2]]
    return shlex.split(os.environ.get(variable) or usual)


def clang_of(source):
    """The words of clang's command, or clang++'s."""
    first, *more = shlex.split(os.environ.get("CLANG") or "clang")
    return [re.sub(r"clang([^/]*)$", r"clang++\1", first) if source.endswith(".cc") else first,
            *more]


def need_clang():
    """Skips the test where it is not installed."""
    if not shutil.which(clang_of(".c")[0]):
        skip_all(clang_of(".c")[0] + " is not installed")


# Programs are clang's, on LLVM's runtime; a test says so where it expects something else then.
CLANG = os.path.basename(compiler_of(".c")[0]).startswith("clang")
LAMBDA = "main::$_0::operator()" if CLANG else "main::{lambda(int)#1}"  # the first one in main()


def _name(source):
    """Its program's."""
    return os.path.splitext(os.path.basename(source))[0]


def compile_program(source, output, flags="", compiler=compiler_of):
    subprocess.run([*compiler(source), "-g", "-O0", "-fopenmp", "-pthread",
                    "-I" + os.path.dirname(os.path.abspath(__file__)),
                    *shlex.split(flags), source, "-o", output], check=True,
                   cwd=os.path.dirname(output) or None)


def _outside(file, program, timeout, flags, environment):
    if not os.environ.get("GDB"):
        skip_all("gdb is not installed")
    here = os.path.dirname(file)
    scratch = tempfile.mkdtemp(prefix="ompd-gdb-")
    results = os.path.join(scratch, "results")
    output = os.path.join(scratch, "output")
    # libomp 19 loses wake-ups when it waits passively: its programs hang in some runs.
    env = dict(os.environ, OMPD_SCRATCH=scratch, OMPD_RESULTS=results, PYTHONPATH=here,
               PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8",
               OMP_WAIT_POLICY="active" if CLANG else "passive", **environment)
    for name in ("LD_PRELOAD", "OMP_OMPD", "ASAN_OPTIONS", "OMP_DEBUG", "OMP_NUM_THREADS", "OMP_NESTED"):
        if name not in environment:
            env.pop(name, None)
    try:
        if program:
            env["OMPD_SOURCE"] = os.path.join(here, program)
            env["OMPD_PROGRAM"] = os.path.join(scratch, _name(program))
            compile_program(env["OMPD_SOURCE"], env["OMPD_PROGRAM"], flags)
        end = "ended by itself"
        with open(output, "wb") as stream:
            process = subprocess.Popen(
                [os.environ["GDB"], "-batch", "-nx", "-ex", "set width 0",
                 "-ex", "source " + file], stdin=subprocess.DEVNULL, stdout=stream,
                stderr=subprocess.STDOUT, env=env, cwd=scratch, start_new_session=True)
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                end = "was stopped after %d s" % timeout
            finally:
                try:
                    os.killpg(process.pid, 9)  # the programs it left behind
                except ProcessLookupError:
                    pass
                process.wait()
        return _report(results, output, end)
    finally:
        if os.environ.get("OMPD_KEEP"):
            print("# kept " + scratch)
        else:
            shutil.rmtree(scratch, ignore_errors=True)


def _report(results, output, end):
    lines = []
    if os.path.exists(results):
        with open(results, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    with open(output, encoding="utf-8", errors="replace") as stream:
        printed = stream.read()
    cases = [line for line in lines if not line.startswith("#")]
    done = "done" in cases
    cases = [line for line in cases if line != "done"]
    number = len(cases)
    for line in lines:
        if line != "done":
            print(line)
    traceback = re.search(r"Traceback|Python Exception|Error occurred in Python|"
                          r"Exception ignored", printed)
    print("%s %d - gdb printed no Python error" % ("not ok" if traceback else "ok",
                                                  number + 1))
    print("%s %d - the script came to its end" % ("ok" if done else "not ok", number + 2))
    print("1..%d" % (number + 2))
    failed = traceback or not done or any(line.startswith("not ok") for line in cases)
    if failed:
        print("# gdb %s; it printed:" % end)
        for line in printed.splitlines():
            print("# | " + line)
    return 1 if failed else 0


# Inside gdb

NO_PROCESS = 'There is no process: type "run", attach to one, or open a core file first.'
NO_PROGRAM = NO_PROCESS.replace("type ", 'type "file PROGRAM" and ')
NO_OPENMP = "This program does not use OpenMP: no libgomp, libomp or libiomp5 is loaded."
IS_RUNNING = 'The program is running: type "interrupt" to stop it first.'


class Test(Tap):
    def __init__(self):
        super().__init__()
        self.scratch = os.environ["OMPD_SCRATCH"]
        self.stage = os.environ["stage"]
        self.program = os.environ.get("OMPD_PROGRAM")
        self.source = os.environ.get("OMPD_SOURCE")
        self.plugin = os.path.join(self.stage, "share/ompd/gdb/ompd-gdb.py")
        self.hooks = os.path.join(self.stage, "lib/libompd-hooks.so")
        self._results = open(os.environ["OMPD_RESULTS"], "a", encoding="utf-8")
        gdb.execute("set confirm off")
        gdb.execute("set pagination off")
        gdb.execute("set breakpoint pending on")
        gdb.execute("source " + self.plugin)
        if self.program:
            gdb.execute("file " + self.program)

    def _write(self, line):
        self._results.write(line + "\n")
        self._results.flush()

    def done(self):
        """The last call of every script: without it the test fails."""
        self._write("done")
        for inferior in gdb.inferiors():
            if inferior.pid:
                gdb.execute("inferior %d" % inferior.num, to_string=True)
                gdb.execute("kill" if not inferior.was_attached else "detach",
                            to_string=True)

    def run(self, command):
        """What a gdb command prints, but for what gdb says at the first look at a thread's
        registers in a core, even in its own: some processors have fewer than it guesses; and but
        for how long threads have waited."""
        printed = SMALL.sub("", gdb.execute(command, to_string=True))
        return HOW_LONG.sub(lambda found: " " * len(found.group()) if found.group(1) is None else "",
                            printed)  # columns stay where they are

    def noted(self, command):
        """The same, which is kept in the log."""
        printed = self.run(command)
        self.note(printed)
        return printed

    def shown(self, command):
        """What it prints on the screen, as wide as that is: run() knows no width."""
        written = []
        write = gdb.write
        gdb.write = lambda text, *_: written.append(text)
        try:
            gdb.execute(command)
        finally:
            gdb.write = write
        return "".join(written)

    def error(self, command):
        """The message of the error that a gdb command ends with, or None."""
        try:
            gdb.execute(command, to_string=True)
        except gdb.error as error:
            return str(error)
        return None

    def unanswered(self, commands):
        """{command: message} of those that end neither with an answer nor with one sentence."""
        found = {command: (self.error(command) or "").strip() for command in commands}
        return {command: message for command, message in found.items()
                if "\n" in message or "Python" in message}

    def has(self, function):
        """Whether the program or its libraries have a function of this name."""
        return self.error("print &" + function) is None

    def mark(self, name):
        """FILE:LINE of the comment `/* mark: NAME */` in the program."""
        return "%s:%d" % (os.path.basename(self.source), self.line(name))

    def line(self, name):
        """LINE alone."""
        return marks(self.source)[name]

    def stop_at(self, name, command="run"):
        """Runs to a mark; other breakpoints stay as they are."""
        point = gdb.Breakpoint(self.mark(name), temporary=True)
        gdb.execute(command, to_string=True)
        if point.is_valid():
            point.delete()

    def both_ways(self, about=""):
        """(whether it is recorded, the name of that) of the programs that run next: with hooks and
        without."""
        for recorded in (True, False):
            self.run("ompd on" if recorded else "ompd off")
            yield recorded, about + ("hooks" if recorded else "stock")

    def run_on(self, arguments):
        """Starts the program, which goes on to run."""
        gdb.execute("set args " + arguments)
        gdb.execute("run &", to_string=True)
        time.sleep(1)

    @contextlib.contextmanager
    def attached(self, *command, says=None, threads=1, settings=None, recorded=False):
        """A process of COMMAND, RECORDED by hooks that are preloaded, attached once it has printed
        SAYS and that many threads of it have come to rest, which are cases of their own; ended
        afterwards. gdb may have an error for its file, and attach all the same, or not."""
        hooks = {"LD_PRELOAD": self.hooks, "OMP_OMPD": "on"} if recorded else {}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   env=dict(os.environ, **hooks, **(settings or {})))
        try:
            if says:
                self.equal(process.stdout.readline(), says + b"\n", "the program has got there")
            self.ok(comes_to_rest(process.pid, threads), "all of the program sleeps")
            self.note(self.error("attach %d" % process.pid) or "")
            yield process
        finally:
            if gdb.selected_inferior().pid:
                self.run("detach")
            process.kill()
            process.communicate()

    def live_and_core(self):
        """"" in a process, then ", core" in a core of it that has taken its place."""
        yield ""
        self.become_core()
        yield ", core"
        self.run("core-file")

    def become_core(self):
        """Writes a core of the process and looks at the same thread of that in its place; the path
        of it."""
        lwp = gdb.selected_thread().ptid[1]
        core = os.path.join(self.scratch, "core")
        self.run("generate-core-file " + core)
        self.run("detach" if gdb.selected_inferior().was_attached else "kill")
        self.run("core-file " + core)
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == lwp:
                thread.switch()
        return core

    def ends(self, name):
        """Continues to the end of the program, which must be a good one. It is looked at
        just before: gdb 13 on new kernels now and then trips over threads that vanish."""
        gdb.Breakpoint("_exit", temporary=True)
        self.run("continue")
        register = {"i386:x86-64": "rdi", "aarch64": "x0"}.get(
            gdb.selected_frame().architecture().name())
        code = int(gdb.selected_frame().read_register(register)) if register else 0
        self.ok(gdb.newest_frame().name().endswith("_exit") and code == 0, name,
                "%s (%d)" % (gdb.newest_frame().name(), code))
        self.run("kill")

    def kernel_core(self, *arguments, **environment):
        """(path, None) of the core that the kernel writes when the program aborts, run with
        these arguments and settings, or (None, reason)."""
        def unlimited():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)

        with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as stream:
            pattern = stream.read().strip()
        before = set(os.listdir(self.scratch))
        try:
            program = subprocess.Popen([self.program, *arguments], cwd=self.scratch,
                                       env=dict(os.environ, **environment),
                                       preexec_fn=unlimited)
        except (ValueError, subprocess.SubprocessError):
            return None, "cores are forbidden here"
        self.equal(program.wait(), -signal.SIGABRT, "the program aborts")
        new = sorted(set(os.listdir(self.scratch)) - before)
        if not new:
            return None, "none was written here; core_pattern is " + pattern
        return os.path.join(self.scratch, new[0]), None

    def json(self, words):
        """What `ompd WORDS -json` answers."""
        return json.loads(self.run("ompd %s -json" % words))

    def threads(self):
        """The rows of "ompd threads" as a list of dictionaries; what it prints is kept in the
        log."""
        return table(self.noted("ompd threads"))

    def build(self, source, name=None, flags=""):
        """Compiles another program of this directory; its path."""
        path = os.path.join(self.scratch, name or _name(source))
        compile_program(os.path.join(os.path.dirname(os.path.abspath(__file__)), source),
                        path, flags)
        return path

    def written(self, name, text):
        """The path of a file of this text."""
        path = os.path.join(self.scratch, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def by_clang(self, source, name, *flags):
        """The path of what clang makes of a file of this directory, whoever compiles the other
        programs, or None: it, or its runtime, is not installed."""
        out = os.path.join(self.scratch, name)
        compiler = clang_of(source)
        if not shutil.which(compiler[0]):
            return None
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), source)
        done = subprocess.run([*compiler, "-g", "-fopenmp", source, *flags, "-o", out],
                              capture_output=True, text=True, check=False, cwd=self.scratch)
        if done.returncode:
            self.note(done.stderr)
        return None if done.returncode else out

    def use(self, source, flags="", name=None):
        """The path of another program of this directory, which is debugged and has the marks from
        now on; None, and a skip, where it is Fortran's and there is no compiler."""
        if source.endswith(".f90") and not os.environ.get("FC"):
            self.skip("Fortran", "there is no Fortran compiler")
            return None
        self.source = os.path.join(os.path.dirname(os.path.abspath(__file__)), source)
        name = name or os.path.basename(source).replace(".", "_") + flags.replace(" ", "")
        path = self.build(source, name, flags)
        gdb.execute("file " + path, to_string=True)
        return path


def counting(function, count):
    """FUNCTION, calls of which are counted in COUNT, a list of a number."""
    def counted(*arguments):
        count[0] += 1
        return function(*arguments)
    return counted


def level(frame):
    """How many frames are newer; gdb 10 does not tell."""
    if hasattr(frame, "level"):
        return frame.level()
    newer = 0
    while frame.newer() is not None:
        frame, newer = frame.newer(), newer + 1
    return newer


def table(text):
    """Rows of a table whose columns stand where its head has them."""
    names = ["Id", "OMP", "State", "Waits for", "Where"]
    lines = text.splitlines()
    while not lines[0].startswith("  Id"):
        del lines[0]  # gdb warns about a core at the first look at its registers
    if " Runtime " in lines[0]:
        names.insert(2, "Runtime")
    starts = [lines[0].index(name) for name in names]
    starts[0] = 0
    rows = []
    for line in lines[1:]:
        if not re.match(r"[* ] [\d-]", line):
            rows.append({"remark": line})
            continue
        ends = starts[1:] + [max(len(line), starts[-1])]
        rows.append({n: line[a:b].strip() for n, a, b in zip(names, starts, ends)})
    return rows
