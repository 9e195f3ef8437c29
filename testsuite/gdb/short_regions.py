# SPDX-License-Identifier: MIT
"""Programs of short regions, unprepared and recorded, attached to at random moments: between two
bodies each thread is at the end of its region, leaves it, waits for the next one, or begins it.
What is said is held against the program's own word, and the runtime alone is seldom an answer.
STOPS: how many for each of the programs (check-frozen: 100)."""

import harness

t = harness.begin(__file__, program="short_regions.c", timeout=600)
import os  # noqa: E402
import random  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402
from collections import Counter  # noqa: E402

import gdb  # noqa: E402

STOPS = int(os.environ.get("STOPS") or 15)
RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")
RUNTIME = "libomp" if harness.CLANG else "libgomp"
SLOT = struct.Struct("<8q")
LABELS = {"~leaving": "leaving #pragma omp parallel", "~wait region": "waits for a region",
          "~starting": "beginning of ", "idle": "idle, waits for a region"}
BETWEEN = {"wait region", "leaving", "runtime", "idle", "work"}


def truths():
    """({kernel id: (number in its team, entered, left)}, started, ended, size)"""
    started, ended, size = (int(gdb.parse_and_eval(name)) for name in ("started", "ended", "size"))
    data = bytes(gdb.selected_inferior().read_memory(
        int(gdb.parse_and_eval("(unsigned long) &slots")), SLOT.size * 64))
    return {slot[0]: (at, slot[1], slot[2])
            for at, slot in enumerate(SLOT.iter_unpack(data)) if slot[0]}, started, ended, size


def allowed(recorded, lwp, told, started, ended, size):
    """(where a thread is, the states that may be said of it), or None for one unknown."""
    if lwp not in told:
        return None
    number, entered, left = told[lwp]
    if entered > left:
        return "in the body", {"work", "runtime", "wait barrier"}
    if started == ended:
        return ("outside", {"work", "serial", "runtime"}) if not number else ("between", BETWEEN)
    if entered == started:
        if sum(one[2] == started for one in told.values()) < size:
            return "at the end", {"wait barrier", "runtime", "work"}
        return "all left", BETWEEN | {"wait barrier"}
    if number >= size:
        return "not needed", BETWEEN | {"starting", "not OpenMP"}
    if any(one[1] == started for one in told.values()):
        # The hooks see each thread begin; a primary one is on its way there. LLVM's runtime reports
        # that a thread begins, and calls the body some instructions later.
        is_before = not recorded or harness.CLANG
        return "begins", {"starting", "runtime"} | ({"work"} if is_before else set())
    return "before", BETWEEN | {"starting", "serial"}


def is_nameless(row, lwp, told, started, ended, size):
    """Whether a thread that is surely in the region has not its number there: another one has come
    to the body, so that the team is made, and not all have been there, so that none has left."""
    came, gone = (sum(one[which] == started for one in told.values()) for which in (1, 2))
    return lwp in told and told[lwp][0] < size and started != ended and came and gone < size and \
        row["OMP"] != "%d/%d" % (told[lwp][0], size)


def is_in_runtime():
    """Whether the runtime is on the selected thread's stack: one that is being made is in libc."""
    frame = gdb.newest_frame()
    while frame is not None and RUNTIME not in (gdb.solib_name(frame.pc()) or ""):
        frame = frame.older()
    return frame is not None


def disagreements(rows):
    """Threads of which "$_omp_state" and labels of their stacks do not say what ROWS do."""
    found = []
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        state = rows[str(thread.num)]["State"]
        stacks = t.run("bt"), t.run("ompd bt")
        label = LABELS.get(state, "") if is_in_runtime() else ""
        if gdb.parse_and_eval("$_omp_state()").string() != state or \
                any(label not in stack for stack in stacks):
            found.append((state, *stacks))
    return found


def stops(mode, policy, recorded):
    """Attaches at random moments; how often each state was said where."""
    program = subprocess.Popen([*([RUN] if recorded else []), t.program, *mode.split()],
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, OMP_WAIT_POLICY=policy))
    seen, wrong = Counter(), []
    try:
        program.stdout.readline()
        for stop in range(STOPS):
            time.sleep(random.random() / 50)
            gdb.execute("attach %d" % program.pid, to_string=True)
            rows = {row["Id"].lstrip("* "): row for row in t.threads() if "Id" in row}
            told = truths()
            for thread in gdb.selected_inferior().threads():
                found = allowed(recorded, thread.ptid[1], *told)
                row = rows[str(thread.num)]
                if found is not None:
                    seen[found[0], row["State"]] += 1
                    if row["State"].lstrip("~") not in found[1]:
                        wrong.append("stop %d: %s: %s" % (stop, found[0], row))
                    elif is_nameless(row, thread.ptid[1], *told):
                        wrong.append("stop %d: a member without its number: %s" % (stop, row))
            if stop % 10 == 0:
                wrong += disagreements(rows)
            gdb.execute("detach", to_string=True)
    finally:
        program.kill()
        program.wait()
    return seen, wrong


gdb.execute("file " + t.program)
for mode, policy, recorded in (
        ("short 4 10", "passive", False), ("short 2 10", "active", False),
        ("serial 3 1000", "passive", False), ("barrier 3 100", "passive", False),
        ("grow 5 20", "passive", False), ("short 8 10", "passive", True),
        ("barrier 3 100", "passive", True), ("grow 5 20", "passive", True)):
    seen, wrong = stops(mode, policy, recorded)
    name = "%s, %s%s" % (mode, policy, ", recorded" if recorded else "")
    t.note("%s: %s" % (name, "; ".join("%d %s: %s" % (n, *what) for what, n in seen.most_common())))
    t.ok(not wrong, "%s: %d answers, none wrong" % (name, sum(seen.values())), *wrong[:5])
    # Of one within the body records have that its barrier has released it.
    states = [(state, n) for (where, state), n in seen.items()
              if where not in ("before", "in the body")]
    between = sum(n for _, n in states)
    vague = sum(n for state, n in states if state.lstrip("~") == "runtime")
    if harness.CLANG and not recorded:
        continue  # that runtime has no words that threads between two regions wait for
    t.ok(vague <= between / 5, "%s: %d of %d are in the runtime for no reason that is known" % (
        name, vague, between))
    if recorded and mode.startswith("short"):
        t.ok("~starting" in {state for _, state in seen}, name + ": who waits in the hooks begins")
    if mode.startswith("short 4"):
        states = {state for _, state in seen}
        t.ok({"~wait barrier", "~wait region"} <= states, "the dock and the barrier are known",
             states)
t.done()
