# SPDX-License-Identifier: MIT
"""MI's stack commands with frame filters: a client counts frames, asks for some of them by their
levels, and for the variables of one. Each frame has its row, and labels stand in those of runtime
frames."""

import os
import re

import front_end
import harness
import mi_client

tap = front_end.Bench()
program = tap.program("nested.c")
# A relative name in the debug information: gdb hands it out as it is.
os.symlink(program.source, os.path.join(tap.scratch, "nested.c"))
harness.compile_program("nested.c", program.path)
gdb = tap.closing(mi_client.Session(tap.scratch))


def frames(command):
    return gdb.ask(command)["stack"]


def check(kind):
    depth = int(gdb.ask("-stack-info-depth")["depth"])
    every = frames("-stack-list-frames")
    tap.equal([one.get("level") for one in every], [str(n) for n in range(depth)],
              kind + ": a row for each frame, with its level")
    tap.equal([one["addr"] for one in every],
              [one["addr"] for one in frames("-stack-list-frames --no-frame-filters")],
              kind + ": under its own address")
    tap.case([one for one in every if "line" in one and not os.path.isabs(one["file"]) and
              one["func"] not in ("start_thread", "clone3", "clone")],
             kind + ": with the absolute name of its file")
    tap.like(every[0]["func"] + " " + every[1]["func"], r"^relax \S+ #pragma omp parallel$",
             kind + ": a label stands in a runtime frame")
    tap.equal(every[1]["line"], str(program.lines["inner"]), kind + ": with the line of the directive")
    pages = [frames("-stack-list-frames %d %d" % (low, low)) for low in range(depth)]
    tap.equal(sum(pages, []), every, kind + ": one by one they are the same")
    tap.equal(frames("-stack-list-frames 1 2"), every[1:3], kind + ": and two by two")
    tap.case([one for one in every if "children" in one], kind + ": none is anything else")
    printed = gdb.console("bt")
    tap.ok(re.search(r"^#0 .*relax \(", printed) and "#1 " not in printed and
           re.search(r"^    \u2500\u2500 #pragma omp parallel \([^\n]*\n(.*\n)*    main \(\) at \S+\n\Z",
                     printed, re.M), kind + ": \"bt\" in the console is for people", printed)
    tap.like(gdb.console("bt -full"), r"(?m)^    #1 ", kind + ": and with all frames if asked for")
    gdb.ask("-stack-select-frame 0")
    found = gdb.answer("-stack-list-variables 0")[0]
    tap.ok('name="outer"' in found, kind + ": variables of the user's frame", found)
    gdb.ask("-stack-select-frame 1")
    found = gdb.answer("-stack-list-variables 0")[0]
    tap.ok("outer" not in found, kind + ": a runtime frame has none of them", found)


gdb.ask("-file-exec-and-symbols " + program.path)
gdb.ask("-enable-frame-filters")
gdb.ask("-break-insert nested.c:%d" % program.lines["deep"])
for kind in ("bare", "hooked"):
    if kind == "hooked":
        gdb.console("ompd on")
    gdb.answer("-exec-run", r"\*stopped")
    check(kind)
    gdb.console("kill")
tap.end()
