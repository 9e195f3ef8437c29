# SPDX-License-Identifier: MIT
"""Every command and function in every wrong situation: an answer, or one sentence that says
why there is none, and in the simple ones the same sentence. No traceback, no waiting."""

import harness

t = harness.begin(__file__, program="scopes.c", timeout=300)
import os  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

import everything  # noqa: E402
from openmp_inspect.core import install_paths  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

SLOW = 20  # seconds; nothing here takes one
SENTENCE = re.compile(r"([A-Z\"$]|gdb |lib[\w.-]+\.so).*[.?]\Z")
GDBS = re.compile(r"No symbol |A syntax error|The program (is not being run|has no registers)|"
                  r"Selected thread is running|Invalid number|Cannot |No thread |"
                  r"Couldn't |You can't |Remote |Error accessing |Don't know |No frame |"
                  r"Can't |No registers|Unable ")

t.equal(everything.commands_without_uses(), [], "each command has arguments to be tested with")
t.ok(len(everything.functions()) >= 8, "and so have functions", everything.functions())


def answers(kind, commands=None):
    """What each command ends with: None or its message."""
    said, wrong = {}, []
    for command in commands or everything.uses():
        began = time.monotonic()
        message = t.error(command)
        took = time.monotonic() - began
        said[command] = message
        if message is not None and not _is_sentence(message) or took > SLOW:
            wrong.append("%s: %s (%.1f s)" % (command, message, took))
    t.ok(not wrong, "%s: an answer or a sentence" % kind, "\n".join(wrong))
    t.note(kind + ":\n" + "\n".join("%s: %s" % (
        message, ", ".join(c for c in said if said[c] == message))
        for message in dict.fromkeys(said.values())))
    t.error("delete")
    return said


def _is_sentence(message):
    message = message.strip()
    return "\n" not in message and "Python" not in message and \
        bool(SENTENCE.match(message) or GDBS.match(message))


def end():
    for command in ("kill", "core-file"):
        try:
            t.run(command)
        except gdb.error as error:
            t.note(error)


def all_need(kind, said, sentence):
    """Nothing that looks has an answer but those commands which are about gdb itself."""
    found = {command: message for command, message in said.items()
             if message != sentence and command not in ("ompd status", "ompd on", "ompd off") and
             not command.startswith(("ompd catch", "ompd doctor", "ompd snapshot",
                                     "output $_omp_catch"))}
    t.equal({c: m for c, m in found.items() if m is None or "1 +" not in c}, {},
            kind + ": all say the same")


# No program at all, and one that does not run.
gdb.execute("file")
all_need("no program", answers("no program"), harness.NO_PROGRAM)
gdb.execute("file " + t.program)
all_need("before run", answers("before run"), harness.NO_PROCESS)
t.like(t.run("ompd status"), "^program +There is no process", "before run: status")

# No OpenMP in it.
gdb.execute("file " + t.build("plain.c", "plain", "-Wl,--as-needed"))
t.run("break main")
t.run("run")
all_need("not OpenMP", answers("not OpenMP", everything.looks() + everything.selects()),
         harness.NO_OPENMP)
t.like(t.run("ompd status"), "does not use OpenMP", "not OpenMP: status")
answers("not OpenMP, all", everything.uses())
t.error("continue")
all_need("not OpenMP", answers("not OpenMP, after its end"), harness.NO_PROCESS)
end()
gdb.execute("file " + t.program)

for recorded in (True, False):
    kind = "hooked" if recorded else "unprepared"
    tracking = "ompd on" if recorded else "ompd off"

    def start():
        t.error(tracking)  # the commands that were tried have undone it
        t.stop_at("inside")

    t.error(tracking)
    t.run("starti")
    answers(kind + ", at the first instruction")
    end()

    start()
    core = os.path.join(t.scratch, kind)
    t.run("gcore " + core)
    answers(kind)
    end()
    all_need(kind, answers(kind + ", after its end"), harness.NO_PROCESS)

    for looked in (True, False):
        start()
        if looked:
            answers(kind + ", live", everything.looks())
        os.kill(gdb.selected_inferior().pid, signal.SIGKILL)
        time.sleep(0.3)
        answers("%s, killed %s" % (kind, "after a look" if looked else "unseen"))
        end()

    # The libraries are not there.
    start()
    kept = install_paths.libraries, install_paths.hooks
    install_paths.libraries = lambda: []
    if recorded:
        address = int(gdb.parse_and_eval("(unsigned long long) &'ompd_hooks_layout'"))
        process = gdb.selected_inferior()
        version = bytes(process.read_memory(address + 12, 4))
    address_space.discard(gdb.selected_inferior().num)
    answers(kind + ", without a library", everything.looks())
    install_paths.libraries, install_paths.hooks = kept
    address_space.discard(gdb.selected_inferior().num)
    if recorded:
        process.write_memory(address + 12, b"\x63\0\0\0")
        address_space.discard(process.num)
        answers("hooks of another version", everything.looks())
        t.like(t.run("ompd status"), "of a version that this OMPD library does not know",
               "which is said")
        process.write_memory(address + 12, version)
    end()

    # Cores: whole, without its libraries, cut short.
    t.run("core-file " + core)
    answers(kind + ", core")
    end()
    t.run("set sysroot " + t.scratch)
    t.run("core-file " + core)
    answers(kind + ", core without its libraries")
    end()
    t.run("set sysroot /")
    size = os.path.getsize(core)
    for share in (95, 80, 50, 20, 5):
        os.truncate(core, size * share // 100)
        try:
            t.run("core-file " + core)
        except gdb.error as error:
            t.note("cut at %d%%: gdb: %s" % (share, error))
            continue
        answers("%s core, cut at %d%%" % (kind, share))
        end()

# It runs, all of it and a part.
gdb.execute("file " + t.build("waits.c", "waits"))
t.run_on("hold")
all_need("running", answers("running"), harness.IS_RUNNING)
t.like(t.run("ompd status"), "^program +The program is running", "running: status")
end()
gdb.execute("file " + t.program)
gdb.execute("set args")
t.run("set non-stop on")
t.stop_at("inside")
answers("non-stop, one has stopped", everything.looks())
t.run("kill")
t.run("set non-stop off")
t.done()
