# SPDX-License-Identifier: MIT
"""Deep stacks: what is looked for far out is found, each frame is unwound once at a stop, and
an interrupt in the midst of that leaves nothing wrong."""

import harness

t = harness.begin(__file__, program="deep.c", timeout=300)
import time  # noqa: E402

import gdb  # noqa: E402
import gdb_openmp  # noqa: E402

from gdb_openmp.host import frames  # noqa: E402

ARROW = " \u2192 "
COMMANDS = ("ompd threads", "bt 1", "ompd bt -all", "ompd stacks", "ompd print unused",
            "ompd print own", "output $_omp_state()", "ompd parallel", "ompd tasks")


def depth():
    """The number of frames of all threads, as gdb counts them, and where each stack ends."""
    selected = gdb.selected_thread()
    total = 0
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            total += 1
            frame = frame.older()
        total += 1
    selected.switch()
    return total


def unwound(commands):
    """{command: how many frames were unwound for it}, those that need none left out."""
    found = {}
    for command in commands:
        gdb_openmp.stats(reset=True)
        t.run(command)
        count = gdb_openmp.stats()["frames_unwound"]
        if count:
            found[command] = count
    return found


for _, way in t.both_ways():
    for deep in (80, 300, 5000):
        kind = "%s, %d deep" % (way, deep)
        t.run("set args %d" % deep)
        t.stop_at("bottom")
        found = unwound(COMMANDS)
        t.note(found)
        t.ok(found["ompd threads"] <= 8, kind + ": threads are unwound to the user's frames only")
        t.ok(sum(found.values()) <= depth(), kind + ": each frame is unwound once", found, depth())
        t.equal(unwound(reversed(COMMANDS)), {}, kind + ": and not again at this stop")
        t.equal(t.run("ompd print unused").splitlines(),
                ["threads 0-1:  %d" % (1000 + deep), "unused is that of climb () in thread 1."],
                kind + ": a variable of the function around")
        t.equal(t.run("ompd print own").splitlines(), ["thread 0:  10", "thread 1:  11"],
                kind + ": one of the body")
        t.like(t.run("ompd locals"), r"\Aclimb \(\) at deep\.c:\d+:\n  local +own = 10\n",
               kind + ": the body's variables")
        t.like(t.run("ompd locals"), r"^  encloser's +unused = %d$" % (1000 + deep),
               kind + ": and those around it")
        t.equal(t.run("ompd stacks").splitlines()[-2].split("  ")[-2:],
                ["same \u00d7%d" % (deep + 1), "1"], kind + ": recursion is one step")
        t.run("next")
        t.ok(unwound(["ompd threads", "ompd stacks"]), kind + ": after a step stacks are new")
        t.run("kill")

t.run("set args 301 turns")
t.stop_at("turned")
t.like(t.run("ompd stacks"), r"  \(odd%seven\) \u00d7151  1$" % ARROW, "a pattern is folded")
t.run("kill")

# Interrupts at some frame; afterwards all is as if there had been none.
t.run("set args 500")
t.stop_at("bottom")
wanted = {command: t.run(command) for command in COMMANDS}
older = frames.older


def interrupting(at):
    left = [at]

    def interrupted(frame):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return older(frame)
    return interrupted


for command in ("ompd bt -all", "ompd stacks", "ompd print unused", "ompd locals"):
    for at in (1, 2, 77, 400):
        gdb.execute("set var hits = hits")  # forgets what was read
        frames.older = interrupting(at)
        try:
            t.run(command)
            ended = None
        except KeyboardInterrupt as error:
            ended = error
        frames.older = older
        t.ok(ended is not None, "%s is interrupted at frame %d" % (command, at))
        t.equal([other for other in COMMANDS if t.run(other) != wanted[other]], [],
                "and all is right afterwards")

# Damaged stacks: they end somewhere, and so do the commands.
process = gdb.selected_inferior()
frame = gdb.selected_frame()
pointers = {}
for number in range(40):
    if frame.name() == "same":
        pointers[number] = int(frame.read_register("rbp" if frame.architecture().name() ==
                                                   "i386:x86-64" else "sp"))
    frame = frame.older()
bottom = int(gdb.newest_frame().read_register("sp"))
whole = bytes(process.read_memory(bottom, 4096))
word = 8
damages = {"a cycle": {pointers[30]: pointers[10]},
           "a cycle of one": {pointers[20]: pointers[20]},
           "no return address": {pointers[20] + word: 0},
           "nonsense": {at: 0x4141414141414141 for at in range(pointers[3], pointers[12], word)},
           "code everywhere": {at: int(gdb.newest_frame().pc())
                               for at in range(pointers[3], pointers[12], word)}}
for name, damage in damages.items():
    for address, value in damage.items():
        process.write_memory(address, value.to_bytes(word, "little"))
    gdb_openmp.stats(reset=True)
    t.equal(t.unanswered(COMMANDS + ("ompd locals",)), {},
            name + " on the stack: answers or a sentence")
    t.ok(gdb_openmp.stats()["frames_unwound"] < 2000, name + ": the stack ends",
         gdb_openmp.stats()["frames_unwound"])
    process.write_memory(bottom, whole)
t.equal([command for command in COMMANDS if t.run(command) != wanted[command]], [],
        "restored, all is as before")

# The time is that of the frames, not of their square.
took = {}
for deep in (2000, 16000):
    t.run("kill")
    t.run("set args %d" % deep)
    t.stop_at("bottom")
    began = time.process_time()
    t.run("ompd bt")
    t.run("ompd stacks")
    took[deep] = time.process_time() - began
t.note(took)
t.ok(took[16000] < 8 * 4 * took[2000], "time grows with the depth", took)
t.run("kill")
t.done()
