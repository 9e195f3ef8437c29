# SPDX-License-Identifier: MIT
"""ompd_dll_locations is NULL until OpenMP is used, and its breakpoint is hit once."""

import harness

t = harness.begin(__file__, program="locations.c")

import gdb  # noqa: E402

LIBRARIES = [t.stage + "/lib/libompd.so", t.stage + "/lib/libompd-2.so"]


def locations():
    """The strings of the vector, None without one. The hooks have no debug information."""
    vector = int(gdb.parse_and_eval("*(long *)&ompd_dll_locations"))
    paths = []
    while vector:
        string = int(gdb.parse_and_eval("((long *)%d)[%d]" % (vector, len(paths))))
        if not string:
            return paths
        paths.append(gdb.parse_and_eval("(char *)%d" % string).string())
    return None


def hits_of(point):
    """How often the program stops there before it comes to the mark."""
    end = gdb.Breakpoint(t.mark("after"), temporary=True)
    hits = 0
    t.run("continue")
    while end.is_valid():
        hits += gdb.newest_frame().name() == point
        if hits == 1:
            t.equal(locations(), LIBRARIES, kind + ": at the breakpoint they are known")
            t.ok(gdb.newest_frame().older().name(), kind + ": and OpenMP is being used")
            t.equal(t.error("ompd threads"), None, kind + ": and threads can be listed")
        t.run("continue")
    return hits


def look_at_start(number):
    t.stop_at("before")
    t.equal(locations(), None, kind + ": before OpenMP is used there are none")
    runtime = "LLVM libomp" if harness.CLANG else "GCC libgomp"
    t.like(t.run("ompd status"), r"^runtime +" + runtime, kind + ": the plugin reads it")
    t.equal([row["OMP"] for row in t.threads()], [number], kind + ": and lists the thread")


POINT = "ompd_dll_locations_valid"
valid = gdb.Breakpoint(POINT)
# LLVM's runtime has no thread yet, which its callbacks are to report.
for kind, command, number in (("recording", "ompd on", "-" if harness.CLANG else "0/1"),
                              ("off", "set environment OMP_OMPD = off", "-")):
    t.run(command)
    look_at_start(number)
    t.equal(hits_of(POINT), 1, kind + ": the breakpoint is hit once")
    t.equal(locations(), LIBRARIES, kind + ": the list stays")
    t.ends(kind + ": the program ends as it should")

POINTS = ["%s_%s" % (what, end) for what in ("thread", "parallel", "task", "teams")
          for end in ("begin", "end")]
hits, early = dict.fromkeys(POINTS, 0), []


class Point(gdb.Breakpoint):
    """Counts how often the hooks call a function of theirs."""

    def __init__(self, name):
        super().__init__("ompd_bp_" + name)
        self.name = name

    def stop(self):
        hits[self.name] += 1
        early.append(self.name) if locations() is None else None
        return False


valid.delete()
for name in POINTS:
    Point(name)
t.run("ompd on")
t.stop_at("after")
del hits["thread_end"]  # when it ends is the runtime's to say
t.equal(hits, {"thread_begin": 2, "parallel_begin": 2, "parallel_end": 2, "task_begin": 1,
               "task_end": 1, "teams_begin": 1, "teams_end": 1}, "the other breakpoints are hit when something begins or ends")
t.equal(early, [], "and none before the library is known")
t.done()
