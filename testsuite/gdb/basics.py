# SPDX-License-Identifier: MIT
"""gdb's own commands do what they do without the plugin."""

import harness

t = harness.begin(__file__, program="nested.c")
import gdb  # noqa: E402


def story():
    """What a session without OpenMP commands prints, addresses and ids left out."""
    import re
    told = []
    t.run("delete")
    t.run("break main")
    told.append(t.run("run"))
    for command in ("step", "backtrace", "finish", "next", "next", "backtrace"):
        t.run(command)
        told.append(str(gdb.selected_frame().name()))
        told.append(str(gdb.selected_frame().find_sal().line))
    text = "\n".join(told)
    text = re.sub(r"0x[0-9a-f]+|\(LWP \d+\)|process \d+|Breakpoint \d+", "*", text)
    return [line for line in text.splitlines()
            if not line.startswith(("[New Thread", "[Thread debugging", "Using host"))]


plain = story()
t.run("kill")
t.run("delete")
t.run("ompd on")
gdb.execute("source " + t.plugin)
hooked = story()
t.equal(hooked, plain, "break, run, next, step and backtrace are the same with hooks")
t.equal(len(gdb.breakpoints()), 1, "the plugin plants no breakpoint")
t.run("ompd threads")
t.equal(len(gdb.breakpoints()), 1, "nor do its commands")
t.equal(t.run("maint info breakpoints").count("<ompd_"), 0, "not even hidden ones")

# From one line of a region to the next, and out of a function.
t.run("delete")
t.stop_at("deep")
thread = gdb.selected_thread().num
line = gdb.selected_frame().find_sal().line
t.run("ompd threads")
t.run("ompd parallel")
t.equal(gdb.selected_frame().find_sal().line, line, "the commands do not move the program")
t.run("set scheduler-locking step")
t.run("next")
t.equal(gdb.selected_thread().num, thread, "next stays in the thread")
t.ok(gdb.selected_frame().find_sal().line > line, "next goes to the next line")
t.run("set scheduler-locking replay")

# A stop that is not at a breakpoint, and a frame that is not the newest.
gdb.execute("up 2")
frame = gdb.selected_frame()
t.run("ompd threads")
t.equal(gdb.selected_frame(), frame, "the selected frame stays")
t.equal(harness.level(gdb.selected_frame()), 2, "at its level")
t.run("thread 1")
t.run("ompd parallel")
t.equal(gdb.selected_thread().num, 1, "the selected thread stays")

t.run("delete")
t.stop_at("idle", "continue")
t.ends("the program ends")
t.run("break tick")
t.run("run")
t.run("finish")
t.equal((gdb.newest_frame().name(), gdb.newest_frame().find_sal().line),
        ("main", t.line("call") + 1), "finish leaves a function")
t.run("delete")
t.run("kill")
for again in range(2):
    t.stop_at("idle")
    t.ok(len(t.threads()) >= 3, "run again, %d" % again)
t.stop_at("idle")
t.ok(len(t.threads()) >= 3, "run over a living process")
t.run("kill")
t.stop_at("idle")
t.run("detach")
t.equal(gdb.selected_inferior().pid, 0, "detach")
t.stop_at("idle")
t.ok(len(t.threads()) >= 3, "run after detach")
t.like(t.run("help ompd threads"), r"^Usage: ompd threads \[-inferiors\] \[-wide\] \[-json\]$", "there is help")
t.equal(t.run("complete ompd o").split("\n")[:-1], ["ompd off", "ompd on"],
        "subcommands are completed")
t.done()
