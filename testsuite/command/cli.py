#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The command line of `ompd`: exit statuses, names of targets, and what it prints.

Usage: cli.py [--long]: all commands, and terminals of more widths
"""

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import ompd_runs
from ompd_runs import OMPD, Running, compiled, ompd, says
from tap import Tap

LONG = "--long" in sys.argv
TAP = Tap()
PYTHON = os.path.realpath(sys.executable)
HELP = r"; see \"ompd help%s\"\."
ALL = "; -all takes all of yours that have a runtime."
# Exit status, what is typed, and what is said then.
WRONG = (
    (64, "whi PID", 'No command, file or process of yours is called "whi", but "why" is' + HELP % ""),
    (64, "xyz", 'No command, file or process of yours is called "xyz"' + HELP % ""),
    (64, "help xyz", 'No command, file or process of yours is called "xyz"' + HELP % ""),
    (64, "why", "why needs a TARGET, -all or -job" + HELP % " why"),
    (64, "why -wach 1 PID", "why has no option -wach, but -watch" + HELP % " why"),
    (64, "-wach 1 PID", "why has no option -wach, but -watch" + HELP % " why"),
    (64, "threads PID -every", "threads has no option -every, but why has" + HELP % " threads"),
    (64, "tasks -graph x.svg PID", "tasks has no option -graph, but why has" + HELP % " tasks"),
    (64, "why PID -watch", "-watch: expected one argument" + HELP % " why"),
    (64, "why -job xyz", '-job: "xyz" is no id of a process, or of a job of Slurm' + HELP % " why"),
    (64, "snapshot -o f PID CORE", "-o takes one process; these are 2."),
    (64, "run", "run needs a PROGRAM" + HELP % " run"),
    (64, "run -watchdog 3", "run needs a PROGRAM" + HELP % " run"),
    (64, "run -kil true", "run has no option -kil, but -kill" + HELP % " run"),
    (64, "run -watchdog 3 --history -kil true", "run has no option -kil, but -kill" + HELP % " run"),
    (64, "run -summary -watchdog 3 true", "-summary takes no other options but those of ompd-run" +
     HELP % " run"),
    (64, "run --history -kill true", "-kill needs -watchdog SECONDS" + HELP % " run"),
    (66, "why 999999999", "There is no process 999999999" + ALL),
    (66, "why CORE.gz", "There is no file .*" + ALL),
    (66, "why OTHER", ".* is no core, and no process of yours executes it" + ALL),
    (66, "why /", '/ is no file: a TARGET is a process or a core, of which "-" is one on standard input.'),
    (66, "why -sysroot /no/such CORE", "There is no directory /no/such, which -sysroot names."),
    (66, "why -program /no/such CORE", "There is no file /no/such, which -program names."),
    (78, "why -program OTHER CORE", ".*/locks is not the program of this core, .*/barriers."),
    (66, "why -all xyz", "No process of yours .*; one that is linked to it statically is looked at by .*"))


def modules(top):
    """Paths of the command's modules below a directory."""
    return {os.path.relpath(os.path.join(directory, name), top)
            for directory, _, names in os.walk(top) for name in names if name.endswith(".py")}


def installed():
    source = os.environ.get("top_srcdir", os.path.join(ompd_runs.SUITE, ".."))
    TAP.equal(modules(os.path.join(ompd_runs.STAGE, "share/ompd/python/ompd_command")),
              modules(os.path.join(source, "ompd/ompd_command")), "every module is installed")


def usage():
    for words in ((), ("nonsense",), ("why",), ("why", "-nonsense", "1"),
                  ("threads", "-graph", "f", "1")):
        said = ompd(*words)
        TAP.equal((said.status, "Traceback" in said.err), (64, False),
                  "usage: ompd " + " ".join(words))
    said = ompd("--help")
    TAP.ok(said.status == 0 and all(status in said.out for status in (
        "10", "11", "12", "64", "66", "77", "78")), "--help has the exit statuses", said.out)
    TAP.like(ompd("--version").out, r"^ompd \d", "--version")
    TAP.equal([(ompd("why", word).status, "-watch" in ompd("why", word).out)
               for word in ("-h", "-help", "--help")], [(0, True)] * 3, "of a command")
    says(TAP, ompd("run", "-watchdog", "2", "-report", "/proc/no", "true"), 64,
         r"ompd: -report /proc/no: No such file or directory; see .*\.", "a directory that cannot be made")
    says(TAP, ompd("why", "-watch", "x", "1"), 64, r'ompd: "-watch" takes .* not "x"; see .*\.',
         "usage: ompd why -watch x 1")


def isolated(directory):
    """What lies in the current directory is no module, and ^C ends Python's own beginning, too."""
    here = os.path.join(directory, "here")
    os.makedirs(os.path.join(here, "ompd_command"))
    for name in ("json", "argparse", "signal", "ctypes", "ompd_command/__init__"):
        with open(os.path.join(here, name + ".py"), "w", encoding="ascii") as stream:
            stream.write("raise SystemExit('taken from the current directory')\n")
    done = subprocess.run([OMPD, "--version"], cwd=here, capture_output=True, text=True, check=False,
                          env=dict(os.environ, PYTHONPATH=":" + here, PYTHONHOME=""))
    TAP.equal((done.returncode, done.stderr), (0, ""), "no module of PYTHONPATH's")
    slow = os.path.join(directory, "share/ompd/python/ompd_command")
    for path in (slow, os.path.join(directory, "bin")):
        os.makedirs(path)
    with open(os.path.join(slow, "__init__.py"), "w", encoding="ascii") as stream:
        # A signal just before one long sleep would wait for its end.
        stream.write("import time\nprint('imported', flush=True)\nfor _ in range(6000):\n    time.sleep(0.01)\n")
    copy = shutil.copy(OMPD, os.path.join(directory, "bin"))
    for ignores, wanted in ((False, 130), (True, -signal.SIGTERM)):
        with subprocess.Popen([copy], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, (
                                  signal.SIG_DFL, signal.SIG_IGN)[ignores])) as one:
            one.stdout.readline()
            for number in (signal.SIGINT, *[signal.SIGTERM] * ignores):
                one.send_signal(number)
            TAP.equal((one.wait(20), one.stderr.read()), (wanted, b""),
                      "^C as it begins" + ", ignored" * ignores)
    done = subprocess.run([
        PYTHON, "-c", "from ompd_command import isolation, main; main.main(['why', '0']); "
        "print(*isolation.answers([isolation.Ask(lambda *_: 1 // 0)]))"], capture_output=True, text=True, check=False,
        env=dict(os.environ, OMPD_DEBUG="1", PYTHONPATH=os.path.join(
            ompd_runs.STAGE, "share/ompd/python")))
    TAP.ok("it failed; OMPD_DEBUG=1" in done.stdout and re.search(
        r"^\[ompd\] <lambda> \(<string>:1\): ZeroDivisionError: .*zero$", done.stderr, re.M),
           "a look that fails says where", done.stdout, done.stderr)


def as_people_type(made, directory):
    """What other programs understand, with the answer that is meant."""
    for words, wanted in ((("help",), "COMMAND"), (("help", "why"), "-watch"), (("version",), "ompd "),
                          (("-V",), "ompd "), (("run", "-h"), "-watchdog")):
        said = ompd(*words)
        TAP.ok(said.status == 0 and wanted in said.out, "ompd " + " ".join(words), said.out, said.err)
    core = os.path.join(directory, "typed.core")
    with Running(made["barriers"], "mismatch") as one:
        ompd("snapshot", "-o", core, one.pid)
        for words in ((one.pid,), ("-p", one.pid), ("--pid=%d" % one.pid,), ("why", "--pid", one.pid),
                      (core,), ("why", made["barriers"]), ("barriers",), ("-every", one.pid),
                      ("-every", "why", one.pid), ("-watch=0.2", one.pid), (one.pid, "-every")):
            said = ompd(*words)
            TAP.ok(said.status == 12 and "\ndeadlock: " in said.out, "ompd " + " ".join(map(str, words)),
                   said.out, said.err)
        TAP.equal(subprocess.run([OMPD, "snapshot", "-o", "-", str(one.pid)], capture_output=True,
                                 check=False).stdout[:4], b"\x7fELF", "ompd snapshot -o -")
        wrong(PID=one.pid, CORE=core, OTHER=made["locks"])
    TAP.equal(ompd("why", "-program", made["barriers"], core).status, 12, "the right program")


def wrong(**names):
    """What is wrong has an answer that says what would be right."""
    for status, typed, wanted in WRONG:
        words = [str(names.get(word, word)) for word in typed.split()]
        says(TAP, ompd(*words), status, "ompd: %s" % wanted, "wrong: ompd " + typed)


def in_manual():
    """ompd(1) has each option."""
    with open(os.path.join(os.environ.get("top_srcdir", os.path.join(ompd_runs.SUITE, "..")),
                           "ompd/ompd.1"), encoding="utf-8") as stream:
        words = re.sub(r"\\f.", "", stream.read()).replace("\\-", "-")
    sys.path.insert(1, os.path.join(ompd_runs.STAGE, "share/ompd/python"))
    arguments, watchdog_options = (getattr(__import__("ompd_command." + name), name)
                                   for name in ("arguments", "watchdog_options"))
    options = [option for row in arguments.COMMANDS.values() for option in arguments.options(row)]
    TAP.case(sorted({"-" + name for name, _, _ in (*options, *arguments.COMMON, *watchdog_options.OPTIONS)
                     if not re.search(r"[\s[]-%s\b" % name, words)}), "ompd(1) has each option")


def completions():
    """What shells complete; those that are here read it."""
    share = os.path.join(ompd_runs.STAGE, "share")
    script = ". '%s/bash-completion/completions/ompd'; COMP_WORDS=(ompd %%s); COMP_CWORD=%%d; _ompd ompd '%%s'; " \
        "echo ${COMPREPLY[@]}" % share
    for words, at, begun, wanted in (("st", 1, "st", "stacks status"), ("why -w", 2, "-w", "-watch"),
                                     ("run -k", 2, "-k", "-kill"), ("help do", 2, "do", "doctor")):
        done = subprocess.run(["bash", "-c", script % (words, at, begun)], capture_output=True, text=True,
                              check=False)
        TAP.equal(done.stdout + done.stderr, wanted + "\n", "bash: ompd " + words)
    for shell, path, wanted in (("zsh", "zsh/site-functions/_ompd", "'-watch[let the program run"),
                                ("fish", "fish/vendor_completions.d/ompd.fish", " why' -o watch -r -d ")):
        with open(os.path.join(share, path), encoding="utf-8") as stream:
            TAP.ok(wanted in stream.read(), shell + " has it, too")
        if shutil.which(shell):
            TAP.equal(subprocess.run([shell, "-n", os.path.join(share, path)], check=False).returncode, 0,
                      shell + " reads it")


def unwritable(made):
    with Running(made["barriers"], "mismatch") as one:
        for words in (["why"], ["why", "-json"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([OMPD, *words, str(one.pid)], stdout=full, check=False,
                                      stderr=subprocess.PIPE, text=True)
            TAP.equal((done.returncode, done.stderr), (
                74, "ompd: the output cannot be written: No space left on device.\n"),
                      "no space left: ompd " + " ".join(words))
        for closed in (1, 2):
            done = subprocess.run(["sh", "-c", 'exec "$0" why "$1" %d>&-' % closed, OMPD, str(one.pid)],
                                  capture_output=True, text=True, check=False)
            TAP.equal((done.returncode, "Traceback" in done.stdout + done.stderr), (12, False),
                      "file %d is closed" % closed)


def statuses(made):
    for program, how, status in (("barriers", "mismatch", 12), ("locks", "mixed", 11),
                                 ("locks", "braces", 10), ("libc_locks", "elsewhere", 0)):
        with Running(made[program], how) as one:
            said = ompd("why", one.pid)
            TAP.ok(said.status == status and not said.fault(), "status %d: %s %s" % (
                status, program, how), said.status, said.out, said.err)
    dozes = shutil.copy("/bin/sleep", os.path.join(os.path.dirname(made["locks"]), "dozes"))
    with Running(dozes, "60", hangs=False) as one, Running(dozes, "60", hangs=False):
        time.sleep(0.2)
        says(TAP, ompd("tasks", one.pid), 78, r"ompd: .*OpenMP.*\.", "a program without OpenMP")
        says(TAP, ompd("why", "dozes"), 78, r"ompd: .*OpenMP.* \(2 targets\)\.", "two of them")


def no_targets(directory):
    says(TAP, ompd("why", 999999999), 66, "ompd: There is no process 999999999" + ALL,
         "no such process")
    says(TAP, ompd("why", "no_such_program_here"), 66, "ompd: There is no file .*" + ALL,
         "no such program")
    says(TAP, ompd("why", "/no/such/core"), 66, "ompd: There is no file /no/such/core" + ALL,
         "no such core")
    says(TAP, ompd("why", directory), 66, r"ompd: .* is no file: .*\.", "a directory")
    for name, content in (("empty", b""), ("text", b"hello\n" * 1000)):
        path = os.path.join(directory, name)
        with open(path, "wb") as stream:
            stream.write(content)
        says(TAP, ompd("why", path), 66, r"ompd: .* cannot be read: .*\.",
             "a file that is %s" % name)
    program = shutil.copy("/bin/true", os.path.join(directory, "true"))
    says(TAP, ompd("why", program), 66, r"ompd: .* is no core, and no process .*\.", "a program, no core")
    fifo = os.path.join(directory, "fifo")
    os.mkfifo(fifo)
    says(TAP, ompd("why", fifo), 66, r"ompd: .* is no file: .*\.", "a pipe with a name")
    kernel = next((int(one) for one in os.listdir("/proc") if one.isdigit() and
                   is_kernel_thread(int(one))), None)
    if kernel is None:
        TAP.skip("a thread of the kernel", "none is seen here")
    else:
        says(TAP, ompd("why", kernel), 66, r"ompd: .*\.", "a thread of the kernel")


def is_kernel_thread(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as stream:
            return int(stream.read().rpartition(")")[2].split()[6]) & 0x200000
    except OSError:
        return False


def several(made):
    with Running(made["barriers"], "mismatch") as one, Running(made["locks"], "mixed") as two:
        said = ompd("why", one.pid, two.pid)
        TAP.ok(said.status == 12 and "%d barriers, " % one.pid in said.out and
               "%d locks, " % two.pid in said.out, "two processes: the worst status, and headings",
               said.status, said.out, said.err)
        said = ompd("why", "-json", one.pid, two.pid)
        TAP.equal([found["pid"] for found in said.json or ()], [one.pid, two.pid],
                  "-json of several is an array")
        said = ompd("why", "-json", one.pid)
        TAP.ok(isinstance(said.json, dict) and said.json["pid"] == one.pid,
               "-json of one is an object", said.out)
        for words in ((one.pid, 999999998), (999999998, one.pid)):
            said = ompd("why", "-json", *words)
            TAP.equal((said.status, [found["pid"] for found in said.json or ()], said.err),
                      (66, [one.pid], "ompd: There is no process 999999998%s\n" % ALL),
                      "one that is and one that is not")
        said = ompd("why", "locks", "-every", "barriers")
        TAP.ok(said.status == 12 and "%d locks" % two.pid in said.out, "by name", said.out,
               said.err)
        os.chdir(os.path.dirname(made["locks"]))
        TAP.equal(ompd("why", "locks").status, 11, "by the name of a program that is here")
        thread = max(map(int, os.listdir("/proc/%d/task" % two.pid)))
        said = ompd("bt", thread)
        TAP.ok(said.status == 0 and "lookup ()" in said.out and "update ()" not in said.out,
               "bt of one thread by its id", said.out, said.err)
        TAP.equal(ompd("why", thread).status, 11, "why by a thread's id")
        said = ompd("bt", thread, two.pid)
        TAP.equal((said.status, re.findall(r"^Thread (\d+)", said.out, re.M)),
                  (0, [str(two.pid), str(thread)]), "bt of two threads of a process")
        for command in ("threads", "bt", "tasks", "icvs", *(
                ("stacks", "locks", "parallel", "env", "status", "doctor") if LONG else ())):
            said, told = ompd(command, "-json", one.pid), ompd(command, one.pid)
            TAP.ok(said.json is not None and said.status == told.status == 0 and told.out and
                   not said.err + told.err, "%s, as text and as JSON" % command, said.out, said.err,
                   told.out, told.err)


ERASED = re.compile(r"\r\x1b\[K[^\n]*?(?=\r\x1b\[K)")  # a line that another one replaces


def on_terminal(columns, *words):
    """What is on a terminal that is so wide when it has ended."""
    told = ERASED.sub("", written_to_terminal(columns, *words))
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", told).replace("\r", "")


def written_to_terminal(columns, *words):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([OMPD, *map(str, words)], stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=slave, env=dict(os.environ, LC_ALL="C.UTF-8")) as process:
        os.close(slave)
        data = b""
        try:
            while True:
                data += os.read(master, 65536)
        except OSError:
            pass  # it has ended
        os.close(master)
        process.wait()
    return data.decode("utf-8", "replace")


def bars(made):
    """How far it has come is on a terminal alone."""
    with Running(made["barriers"], "mismatch") as one:
        told = written_to_terminal(80, "why", "-watch", "3", one.pid)
        TAP.ok("1 target" in told and "1 target" not in ERASED.sub("", told),
               "progress on a terminal", told)
        said = ompd("why", "-watch", "3", one.pid)
        TAP.ok("target" not in said.out + said.err and not said.err, "and none elsewhere", said.err)


def widths(made):
    with Running(made["barriers"], "mismatch") as one:
        for command, columns in (("why", 60), ("threads", 90), *(
                (("stacks", 60), ("why", 50), ("why", 200)) if LONG else ())):
            told = on_terminal(columns, command, one.pid)
            widest = max(map(len, told.splitlines()), default=0)
            TAP.ok(0 < widest <= columns, "%s on a terminal of %d columns" % (command, columns),
                   "widest %d" % widest, told)


def trees_of_many(made):
    with Running(made["barriers"], "mismatch") as one, Running(made["barriers"], "mismatch") as two:
        said = ompd("stacks", one.pid, two.pid)
        TAP.ok(said.out.startswith("8 threads of 2 processes\n") and "%d: " % one.pid in said.out and
               "%d: " % two.pid in said.out and said.status == 0, "stacks of two are one tree",
               said.out, said.err)
        TAP.ok(all(row["elapsed_seconds"] > 0 and 0 <= row["cpu_seconds"] < row["elapsed_seconds"]
                   for row in ompd("threads", "-json", one.pid).json or ({"elapsed_seconds": 0},)),
               "times of threads")


def hints(made, directory):
    """What is to be typed next names the target."""
    with Running(made["barriers"], "mismatch") as one:
        told = ompd("threads", one.pid).out
        TAP.ok(told.endswith('Type "ompd why %d".\n' % one.pid), "hints name a process", told)
        core = os.path.join(directory, "a core")
        ompd_runs.gdb_core(one.pid, core)
        told = ompd("why", core).out
        TAP.ok("ompd bt '%s'" % core in told, "and a core, as a shell takes it", told)


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-command-") as directory:
        made = {name: compiled(directory, "why/%s.c" % name, name)
                for name in ("barriers", "locks", "libc_locks")}
        installed()
        isolated(directory)
        usage()
        as_people_type(made, directory)
        in_manual()
        completions()
        unwritable(made)
        statuses(made)
        no_targets(directory)
        several(made)
        widths(made)
        bars(made)
        trees_of_many(made)
        hints(made, directory)
    TAP.end()


if __name__ == "__main__":
    main()
