# SPDX-License-Identifier: MIT
"""Non-stop mode: one thread is stopped while the others run."""

import harness

t = harness.begin(__file__, program="waits.c")
import time  # noqa: E402

import gdb  # noqa: E402

t.run("set non-stop on")
t.run("ompd on")
t.stop_at("all_wait")
rows = {r["OMP"]: r for r in t.threads()}
t.equal(rows["0/6"]["Where"], "hold () at " + t.mark("all_wait"), "the stopped thread")
t.equal((rows["1/6"]["State"], rows["1/6"]["Where"]), ("wait critical", "(running)"),
        "a thread that runs, as it is recorded")
t.equal(gdb.selected_thread().num, 1, "the selected thread stays")
t.like(t.run("ompd why"), r"^waiting: 1 thread works, 6 are running\.", "what they wait for may be old")
t.like(t.run("ompd locks"), "What running threads wait for is not shown.", "and who waits for locks")
t.equal(t.json("why")["stopped"], False, "which JSON has, too")
gdb.execute("continue &", to_string=True)
time.sleep(0.5)
t.equal(t.error("ompd threads"), harness.IS_RUNNING
        if gdb.selected_inferior().pid else "There is no process: type \"run\", attach to "
        "one, or open a core file first.", "when all of it runs")
t.error("kill")

t.run("ompd off")
t.stop_at("all_wait")
stopped = gdb.selected_thread().num
rows = t.threads()
t.equal({(r["State"], r["Where"]) for r in rows if r["OMP"] not in ("0/6", "-")},
        {("?", "(running)")}, "not prepared: nothing is told of threads that run")
t.like(t.run("ompd why"), r"^waiting: 1 thread works, 6 are running\.", "nor is it said to work")
t.run("thread 2")
t.equal(t.error("ompd print sum"), 'Thread 2 is running: select one that has stopped, or type '
        '"interrupt" to stop it first.', "a question about a thread that runs")
t.equal(t.error("ompd locals"), 'Thread 2 is running: select one that has stopped, or type '
        '"interrupt" to stop it first.', "and about its variables")
t.run("thread %d" % stopped)
t.like(t.run("ompd print -all sum"), r"^threads? 0", "one that has stopped can be asked")
t.run("kill")
t.done()
