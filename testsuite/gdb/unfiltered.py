# SPDX-License-Identifier: MIT
"""Stacks as perf, or gdb without the plugin's filters, has them: those of a recorded program are
the bare ones and one frame of the hooks for each call between the program and the runtime."""

import itertools
import os

import harness

t = harness.begin(__file__, program="unfiltered.c")
import gdb  # noqa: E402

STOPS = {"a region's body, on a worker": 1, "a nested region": 3, "a region with a reduction": 2,
         "a combined loop": 2, "an undeferred task": 4, "a task in a taskwait": 4, "a taskloop": 4,
         "a league": 4, "a region, while another thread is in a barrier": 2}


def stack(thread):
    """(function, file of a library or None) of each frame."""
    thread.switch()
    found, frame = [], gdb.newest_frame()
    while frame is not None:
        found.append((frame.name(), gdb.solib_name(frame.pc())))
        frame = frame.older()
    return found


def is_ours(frame):
    return os.path.basename(frame[1] or "") == "libompd-hooks.so"


def look():
    found = {}
    point = gdb.Breakpoint("here")
    t.run("run")
    for name in STOPS:
        found[name] = stack(gdb.selected_thread())
        if name != list(STOPS)[-1]:
            t.run("continue")
    other = next(one for one in gdb.selected_inferior().threads() if one.num == 2)
    found["a barrier"] = stack(other)
    point.delete()
    t.run("kill")
    return found


bare = look()
t.run("ompd on")
hooked = look()
for name, count in dict(STOPS, **{"a barrier": 2}).items():
    ours = [frame for frame in hooked[name] if is_ours(frame)]
    t.equal([frame for frame in hooked[name] if not is_ours(frame)], bare[name],
            name + ": the others are those of a bare program")
    t.equal(len(ours), count, name + ": one for each call")
    t.ok(all(frame[0].startswith("ompd_hooks_") for frame in ours), name + ": they say whose",
         ours)
    t.ok(all(len(list(run)) == 1 for of_us, run in itertools.groupby(hooked[name], is_ours)
             if of_us), name + ": never two in a row", *hooked[name])
t.done()
