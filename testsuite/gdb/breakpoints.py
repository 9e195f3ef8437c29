# SPDX-License-Identifier: MIT
"""What the queries answer at the breakpoints of sections 12.1 and 12.2 of the report."""

import harness

t = harness.begin(__file__, program="nested.c")
import gdb  # noqa: E402

from openmp_inspect.code import symbol_names  # noqa: E402
from gdb_openmp.host import process  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402


def here(snapshot):
    return snapshot.by_lwp[gdb.selected_thread().ptid[1]]


def frame_of(function):
    """The newest frame of a function of the source, outlined or not."""
    frame = gdb.newest_frame()
    while frame is not None and symbol_names.programmers(process.current(), frame.name() or "") != function:
        frame = frame.older()
    return frame


def parallel_event(event, function, size, level, encounterer):
    """At ompd_bp_parallel_begin and ompd_bp_parallel_end alike."""
    with session.snapshot() as snapshot:
        thread = here(snapshot)
        region, task = thread.region, thread.task
        t.equal(symbol_names.function_at(process.current(), region.function)[0], function,
                event + ": the function")
        t.equal(region.size, size, event + ": the actual number of threads")
        t.equal(region.master.lwp, thread.lwp, event + ": the master")
        t.equal(thread.number, 0, event + ": it is number 0")
        t.equal(task.level, level, event + ": the task on top encountered the construct")
        leave, enter = task.frames
        t.equal(enter, int(frame_of(encounterer).read_register("sp")),
                event + ": it entered the runtime from its function")
        if level == 0:
            t.equal(leave, 0, event + ": the initial task never left the runtime")
        else:
            t.ok(leave > enter, event + ": its body was called by the runtime", hex(leave))
        return region.id


t.run("ompd on")
begin = gdb.Breakpoint("ompd_bp_parallel_begin")
t.run("run")
t.equal(gdb.newest_frame().name(), "ompd_bp_parallel_begin", "stopped at the first region")
outer = parallel_event("begin of the outer region", "main", 3, 0, "main")
with session.snapshot() as snapshot:
    t.equal(here(snapshot).region.parent, None, "it has no enclosing region")

seen = set()
for _ in range(3):
    gdb.execute("continue", to_string=True)
    with session.snapshot() as snapshot:
        thread = here(snapshot)
        size = 1 if thread.region.parent.master.lwp == thread.lwp else 2
        t.equal(thread.region.parent.id, outer, "the inner region is inside the outer one")
    seen.add(parallel_event("begin of an inner region", "relax", size, 1, "relax"))
t.equal(len(seen), 3, "three inner regions have three ids")
begin.delete()
end = gdb.Breakpoint("ompd_bp_parallel_end")
ended = set()
for _ in range(3):
    gdb.execute("continue", to_string=True)
    with session.snapshot() as snapshot:
        thread = here(snapshot)
        size = 1 if thread.region.parent.master.lwp == thread.lwp else 2
    ended.add(parallel_event("end of an inner region", "relax", size, 1, "relax"))
t.equal(ended, seen, "each of them ends")
gdb.execute("continue", to_string=True)
t.equal(parallel_event("end of the outer region", "main", 3, 0, "main"), outer,
        "then the outer one")
end.delete()
t.ends("and the program")

# Tasks.
tasks = t.build("tasks.c")
gdb.execute("file " + tasks)
for point, words in (("ompd_bp_task_begin", "begins"), ("ompd_bp_task_end", "ends")):
    stop = gdb.Breakpoint(point)
    t.run("run" if words == "begins" else "continue")
    found = set()
    for _ in range(2):
        t.equal(gdb.newest_frame().name(), point, "stopped where a task " + words)
        with session.snapshot() as snapshot:
            thread = here(snapshot)
            task = thread.task
            t.ok(not task.implicit, "the top task that %s is the explicit one" % words)
            found.add(symbol_names.function_at(process.current(), task.function)[0])
            t.ok(task.parent is not None and task.parent.implicit,
                 "its parent is the implicit task that met the construct")
            t.equal(task.parent.function, thread.region.function,
                    "which runs the body of the region")
        if _ == 0:
            t.run("continue")
    t.equal(found, {"waits_for_children", "waits_for_group"},
            "each task that %s has its own function" % words)
    stop.delete()
t.ends("the program ends as it should")

# A target region that the host executes, by no device: the hooks see none initialized.
gdb.execute("file " + t.build("step.c"))
points = [gdb.Breakpoint("ompd_bp_%s_%s" % (what, end))
          for what in ("target", "device") for end in ("begin", "end")]
stops = []
for command in ("run", "continue"):
    t.run(command)
    with session.snapshot() as snapshot:
        stops.append((gdb.newest_frame().name(), here(snapshot).number))
t.equal(stops, [("ompd_bp_target_begin", 0), ("ompd_bp_target_end", 0)],
        "a target region begins and ends")

# The members of a team wait for their primary thread only if a debugger has a breakpoint at the
# begin of the region: without one a member that runs alone comes to the body.
gdb.execute("file " + t.build("short_regions.c", flags="-O1"))


def stop_primary(point):
    """In the fifth region."""
    gdb.Breakpoint("main", temporary=True)
    t.run("run")
    stop = gdb.Breakpoint(point)
    stop.thread = gdb.selected_thread().num
    stop.ignore_count = 4
    t.run("continue")
    stop.delete()
    return int(gdb.parse_and_eval("started"))


number = stop_primary("ompd_hooks_region")
gdb.execute("set scheduler-locking on")
gdb.execute("thread 2")
gdb.Breakpoint("enter", temporary=True)
t.run("continue")
t.equal((gdb.newest_frame().name(), gdb.selected_thread().num, int(gdb.parse_and_eval("number"))),
        ("enter", 2, number), "no breakpoint: a member does not wait for its primary thread")
with session.snapshot() as snapshot:
    thread = here(snapshot)
    t.equal((thread.number, thread.region.size), (1, 2), "and its team is known")
gdb.execute("set scheduler-locking off")
t.run("kill")
for _ in range(5):
    number = stop_primary("ompd_bp_parallel_begin")
    entered = [int(gdb.parse_and_eval("entered[%d]" % i)) for i in range(2)]
    t.ok(max(entered) < number, "a breakpoint: no member has begun", number, entered)
    t.run("kill")
t.done()
