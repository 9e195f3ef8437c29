# SPDX-License-Identifier: MIT
"""Ordinary debugging goes as it goes without the plugin: the same stops, the same thread and
frame selected after every command. Each scenario runs in a gdb without the plugin, in one
with it, in one that looks at OpenMP after every command, and with the hooks.

A test, ordinary_*.py, calls compare() with its scenarios, {name: commands}; this file is then
what runs inside gdb, too."""

import ast
import os
import re
import shutil
import subprocess
import tempfile
import time

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "ordinary.c")

# In the name of a scenario: any thread may be the one that stops.
ANY = ", whichever comes first"

# gdb 13 on new kernels now and then trips over threads that vanish, with and without us.
AT_THE_END = ["tbreak _exit"]
MOST_RUNS = 3  # of a scenario, where gdb trips; and of the bare gdb, where what it says differs
TRIPPED = "No such process"


def marks():
    result = {}
    with open(SOURCE, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            for name in re.findall(r"mark: (\w+)", line):
                result[name] = "ordinary.c:%d" % number
    return result


# Inside gdb


def state():
    """What is selected: thread, function, line."""
    import gdb
    inferior = gdb.selected_inferior()
    thread = gdb.selected_thread()
    if not inferior.pid or thread is None:
        return "inferior %d without a process" % inferior.num
    if not thread.is_valid() or thread.is_running():
        return "inferior %d, thread %d runs" % (inferior.num, thread.num)
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    place = "%s:%d" % (frame.name(), sal.line) if sal.symtab else "in a library"
    return "inferior %d, thread %d: %s, frame %d" % (inferior.num, thread.num, place,
                                                     harness.level(frame))


def inside():
    import gdb
    commands, look = ast.literal_eval(os.environ["OMPD_COMMANDS"])
    if look:
        import everything
    told = []
    gdb.events.stop.connect(lambda event: told.append("stop %s %s" % (
        type(event).__name__, [point.number for point in getattr(event, "breakpoints", ())])))
    gdb.events.exited.connect(lambda event: told.append("exited %s" % getattr(
        event, "exit_code", None)))
    for command in commands:
        printed = ""
        try:
            printed = gdb.execute(command, to_string=True)
        except gdb.error as error:
            told.append("error %s" % error)
        if command.startswith(("info", "print", "thread apply", "backtrace")):
            told.append(printed)
        told.append("%s -> %s" % (command, state()))
        for question in everything.looks() if look else ():
            try:
                gdb.execute(question, to_string=True)
            except gdb.error:
                pass
        if look:
            told.append(state())
            if told[-1] != told[-2].split(" -> ")[-1]:
                told.append("looking at OpenMP changed what is selected")
            else:
                del told[-1]
    with open(os.environ["OMPD_RESULTS"], "w", encoding="utf-8") as stream:
        stream.write("\n".join(told) + "\n")


# Outside


def run(*scenario):
    """(what was told, what gdb printed) of a scenario; again where gdb has tripped."""
    for _ in range(MOST_RUNS):
        told, printed = run_once(*scenario)
        if told is not None or TRIPPED not in printed:
            break
    return told, printed


def run_once(program, commands, look, loads, recorded, scratch, any_thread):
    results = os.path.join(scratch, "results")
    waiting = None
    if "attach" in commands:
        waiting = subprocess.Popen([program, "wait"], stdout=subprocess.DEVNULL,
                                   env=dict(os.environ, **recorded))
        commands = [c if c != "attach" else "attach %d" % waiting.pid for c in commands]
        wait_for(waiting.pid)
    settings = [word for item in recorded.items()
                for word in ("-ex", "set environment %s %s" % item)]
    environment = dict(os.environ, OMPD_COMMANDS=repr((commands, look)),
                       OMPD_RESULTS=results, LC_ALL="C.UTF-8", PYTHONPATH=HERE,
                       PYTHONDONTWRITEBYTECODE="1", OMP_WAIT_POLICY="passive")
    try:
        done = subprocess.run(
            [os.environ["GDB"], "-batch", "-nx", "-ex", "set confirm off",
             "-ex", "set breakpoint pending on", *loads, *settings,
             "-ex", "source " + os.path.abspath(__file__), program],
            env=environment, cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=30, check=False, errors="replace")
        if not os.path.exists(results):
            return None, done.stdout + done.stderr
        with open(results, encoding="utf-8") as stream:
            told = stream.read()
        os.unlink(results)
    except subprocess.TimeoutExpired as error:
        return None, str(error)
    finally:
        if waiting:
            waiting.kill()
            waiting.wait()
    return plain(told, any_thread), done.stdout + done.stderr


def wait_for(pid):
    """Until the program sleeps in its last loop, all its teams gone by."""
    for _ in range(500):
        with open("/proc/%d/syscall" % pid, encoding="ascii") as stream:
            number = stream.read().split()[0]
        if number in ("35", "230"):  # nanosleep, clock_nanosleep
            return
        time.sleep(0.01)


def plain(text, any_thread):
    """Without what differs from run to run: addresses, ids of processes, whose turn it is."""
    if any_thread:
        text = re.sub(r"thread \d+", "thread", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"(process|LWP|pid|attach) \d+ *", r"\1 ID ", text)
    return text


def compare(scenarios):
    if not os.environ.get("GDB"):
        harness.skip_all("gdb is not installed")
    stage = os.environ["stage"]
    plugin = ["-ex", "source " + os.path.join(stage, "share/ompd/gdb/ompd-gdb.py")]
    hooks = {"LD_PRELOAD": os.path.join(stage, "lib/libompd-hooks.so"), "OMP_OMPD": "on"}
    scratch = tempfile.mkdtemp(prefix="ompd-gdb-")
    tap = harness.Tap()
    try:
        program = os.path.join(scratch, "ordinary")
        harness.compile_program(SOURCE, program)
        names = dict(marks(), program=program, core=os.path.join(scratch, "core"))
        for name, text in scenarios.items():
            commands = AT_THE_END + [line.strip().format(**names)
                                     for line in text.strip().splitlines()]
            bare = [run(program, commands, False, [], {}, scratch, ANY in name)]
            tap.note("%s:\n%s" % (name, bare[0][0] or bare[0][1]))
            for kind, look, recorded in (("the plugin is loaded", False, {}),
                                         ("it is used", True, {}),
                                         ("the hooks record", True, hooks)):
                for _ in range(MOST_RUNS):
                    found, printed = run(program, commands, look, plugin, recorded, scratch,
                                         ANY in name)
                    agrees = found in [one for one, _ in bare if one is not None] and \
                        "Traceback" not in printed and "Python Exception" not in printed
                    if agrees:
                        break
                    # Either may have tripped; what the plugin breaks it breaks each time.
                    bare.append(run(program, commands, False, [], {}, scratch, ANY in name))
                tap.ok(agrees,
                       "%s: the same when %s" % (name, kind), "with:", found or "",
                       "without:", *["%s" % (one or said) for one, said in bare],
                       "gdb printed:", printed)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    tap.end()


if harness.gdb is not None:
    inside()
