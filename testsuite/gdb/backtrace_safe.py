# SPDX-License-Identifier: MIT
"""What gdb's bt must not lose by the filter: options, levels, selection, plain programs, and
an answer when things go wrong."""

import harness

t = harness.begin(__file__, program="backtrace.c", timeout=300)
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.stacks import segments  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402
from gdb_openmp.ui import frame_filter, frame_rows  # noqa: E402

FILTER = gdb.frame_filters["ompd"]
RULE = "\u2500\u2500"


def levels(text):
    return [int(n) for n in re.findall(r"^#(\d+) ", text, re.M)]


# Programs without OpenMP, and OpenMP's before it is there.
gdb.execute("file " + t.build("plain.c", "plain"))
t.run("break main")
t.run("run")
t.ok(not FILTER.enabled, "the filter is not for programs without OpenMP")
t.equal(t.run("bt"), t.run("bt -no-filters"), "their backtrace is gdb's own")
t.run("kill")
gdb.execute("file " + t.program)
t.run("ompd on")
t.run("run")
t.ok(FILTER.enabled, "it is for those with OpenMP")
t.equal(levels(t.run("bt")), [0], "before the first region there is but main")
t.equal(t.error("ompd bt"), None, "and ompd bt shows it")
t.run("delete")

t.run("handle SIGUSR1 nostop noprint pass")
t.stop_at("nested", "continue")
worker = gdb.selected_thread().num
frame = gdb.selected_frame()
t.run("bt")
t.run("ompd bt -all")
t.run("ompd stacks")
t.equal((gdb.selected_thread().num, gdb.selected_frame() == frame), (worker, True),
        "the selected thread and frame stay")
master = [n for n in range(1, 5) if re.search("^#.* main ", t.run("ompd bt %d" % n), re.M) and
          RULE + " continued" not in t.run("ompd bt %d" % n)][0]
t.run("thread %d" % master)
whole, all_levels = t.run("bt"), levels(t.run("bt"))
t.note(whole)
real = levels(t.run("bt -no-filters"))
t.ok(all_levels[-1] == real[-1] and len(all_levels) < len(real) and all_levels[0] == 0,
     "frames keep the levels that they have", all_levels, real)
t.equal(levels(t.run("bt 2")), all_levels[:2], "bt N counts frames, not labels")
t.equal(levels(t.run("bt -2")), all_levels[-2:], "bt -N likewise")
for level in all_levels:
    t.run("frame %d" % level)
    if harness.level(gdb.selected_frame()) != level:
        t.ok(False, "frame %d" % level)
t.run("frame 0")
t.run("up")
t.equal(harness.level(gdb.selected_frame()), 1, "up goes one frame up")
t.run("down")
t.equal(harness.level(gdb.selected_frame()), 0, "down one down")
t.run("frame %d" % all_levels[-1])
t.run("bt")
t.equal(harness.level(gdb.selected_frame()), all_levels[-1], "bt leaves the selected frame")
t.ok(RULE not in t.run("bt -hide") and levels(t.run("bt -hide")) == all_levels,
     "-hide: frames alone")
full = t.run("bt -full")
t.ok(re.search(r"^    #\d+ .* in GOMP_parallel \(\)", full, re.M) and
     re.search(r"^        outer = 0$", full, re.M), "-full: with locals and runtime frames", full)
for number in range(1, 5):
    t.run("thread %d" % number)
    full = t.run("bt -full")
    found = re.findall(r"^ *#(\d+) |^ *\u2500\u2500 (continued)", full, re.M)
    t.equal([int(level) for level, _ in found if level], levels(t.run("bt -no-filters")),
            "thread %d, -full: in the order of the stack" % number)
    t.equal(sorted(bool(more) for _, more in found), [bool(more) for _, more in found],
            "thread %d, -full: and then the threads that continue it" % number)
    t.like(full, r"(?m)^ +depth = \d+$", "thread %d, -full: with the locals of main" % number)
    t.ok(" in  ()" not in full, "thread %d, -full: code without a name is ??" % number,
         full)
t.run("thread %d" % master)
t.ok("GOMP_parallel" not in whole and "GOMP_parallel" in t.run("bt -no-filters"),
     "runtime frames are elided")
each = t.run("thread apply all bt")
t.equal(len(re.findall("^Thread ", each, re.M)), 4, "thread apply all bt")
t.equal(len(re.findall(r"^(#\d+ |    )\s*main \(", each, re.M)), 4, "each goes on to main")
everything = t.run("bt -no-filters")
t.run("set ompd backtrace off")
t.equal(t.run("bt"), everything, "set ompd backtrace off: gdb's own")
t.like(t.run("show ompd backtrace"), "off", "and show says so")
t.like(t.run("set ompd"), "^set ompd backtrace -- ", "set ompd lists what can be set")
for word in ("deadlock", "hang", "stuck", "race"):
    t.like(t.run("apropos " + word), "^ompd why -- ", "apropos %s finds ompd why" % word)
t.equal([line.split(":  ")[0] for line in t.run("show ompd").splitlines()],
        ["backtrace", "library", "thread-names", "verdicts"], "show ompd lists the settings")
t.like(t.run("show ompd"), r"^backtrace:  The programmer's frames .* \"bt\": off\.$",
       "as gdb does")
t.equal(t.error("show ompd nonsense"),
        'Undefined show ompd command: "nonsense".  Try "help show ompd".', "and no other")
t.equal(t.error("set ompd nonsense"),
        'Undefined set ompd command: "nonsense".  Try "help set ompd".', "and nothing else")
t.run("set ompd backtrace on")
t.equal(t.run("bt"), whole, "and on again")
t.run("disable frame-filter global ompd")
t.equal(t.run("bt"), everything, "gdb's command disables it")
t.run("enable frame-filter global ompd")
t.equal(t.run("bt"), whole, "and enables it")

t.run("frame 0")
t.run("set backtrace limit 4")
t.equal(levels(t.run("bt")), [n for n in all_levels if n < 4], "set backtrace limit holds")
t.run("set backtrace limit unlimited")
t.equal(t.run("bt"), whole, "and holds no longer")
t.run("return")
t.equal(levels(t.run("bt"))[-1], real[-1] - 1, "after return there is a frame less")
t.run("ompd bt")
t.equal(levels(t.run("ompd bt"))[-1], real[-1] - 1, "for ompd bt, too")
t.run("kill")
t.run("run")
t.run("delete")
t.stop_at("nested", "run")
worker = gdb.selected_thread().num
t.run("thread %d" % master)
whole, all_levels = t.run("bt"), levels(t.run("bt"))
real = levels(t.run("bt -no-filters"))

# Arguments.
for argument, pattern in (("99", "There is no thread 99"), ("x", "is no thread number"),
                          ("1-", "is no thread number"), ("-nonsense", "has no option")):
    t.like(t.error("ompd bt " + argument) or "", pattern, "ompd bt " + argument)
    t.like(t.error("ompd stacks " + argument) or "", pattern, "ompd stacks " + argument)
t.equal(t.error("ompd bt 1 -all"), '"ompd bt" takes threads or "-all", not both.',
        "ompd bt 1 -all")
t.equal(len(re.findall("^Thread ", t.run("ompd bt 1-2 4"), re.M)), 3, "ranges of threads")

# Errors in the middle: every frame is still there once.


def fails(owner, name, after):
    """OWNER.NAME raises from its AFTERth call on."""
    real = getattr(owner, name)
    calls = [0]

    def replaced(*arguments):
        calls[0] += 1
        if calls[0] > after:
            raise KeyError("on purpose")
        return real(*arguments)
    setattr(owner, name, replaced)
    return lambda: setattr(owner, name, real)


for owner, name in ((address_space, "stacks"), (frame_filter._View, "_labels_of"),
                    (frame_rows.Frame, "elided_for_people"), (segments, "pieces"),
                    (frame_rows.symbol_names, "programmers"), (frame_rows.text, "file_name"),
                    (frame_rows, "_words")):
    for after in (0, 1, 2):
        restore = fails(owner, name, after)
        try:
            address_space.current().forget()
            found = t.run("bt")
        finally:
            restore()
        shown = levels(found)
        t.ok(shown[0] == 0 and shown[-1] == real[-1] and sorted(set(shown)) == shown and
             set(all_levels) <= set(shown), "an error in %s after %d calls" % (name, after),
             found)
address_space.current().forget()
t.equal(t.run("bt"), whole, "all is well afterwards")

# A core whose runtime is not on this machine, and one that was cut short.
COMMANDS = ("bt", "ompd bt", "ompd bt -all", "ompd stacks")
core = t.become_core()
t.run("core-file")
t.run("set sysroot /nowhere")
t.error("core-file " + core)
t.equal(t.unanswered(COMMANDS), {}, "without the libraries of a core")
size = os.path.getsize(core)
for percent in (90, 50, 10):
    t.error("core-file")
    os.truncate(core, size * percent // 100)
    t.error("core-file " + core)
    t.equal(t.unanswered(COMMANDS), {}, "with %d%% of a core" % percent)
t.error("core-file")
t.run("set sysroot")

t.done()
