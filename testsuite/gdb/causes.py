# SPDX-License-Identifier: MIT
"""What explains how threads got where they are: team sizes, loops, stacks, cancellation, forks;
of programs that record and of those that do not, live and in cores."""

import harness

t = harness.begin(__file__, program="causes.c", environment={"OMP_CANCELLATION": "true"})
import gdb  # noqa: E402

from gdb_openmp.host import thread_ids  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402


def facts():
    """{OpenMP number in the innermost region: (stack, loop)}, all regions as JSON, and by their
    size what explains that, and how often the process has forked."""
    with session.sentences(), session.snapshot() as snapshot:
        threads = {known.number: (dict(known.stack), dict(known.loop), known.lwp)
                   for known in snapshot.threads if known.region is not None}
        details = {region.size: dict(region.details) for region in snapshot.regions()}
        forks = snapshot._query.forks()
    return threads, details, forks


def stopped(scene, check):
    """CHECKs a scene live and in a core, unprepared and recorded."""
    for recorded in (False, True):
        t.error("ompd on" if recorded else "ompd off")
        t.run("set args " + scene)
        t.stop_at(scene)
        for where in t.live_and_core():
            kind = "%s, %s%s" % (scene, "recorded" if recorded else "unprepared", where)
            check(kind, recorded, *facts(), t.json("parallel"))


def levels(kind, recorded, threads, details, forks, regions):
    t.equal(details[1].get("max_active_levels"), 1 if "max_active_levels" in details[1] else None,
            kind + ": the ICV that is to blame")
    inner = next(region for region in regions if region["size"] == 1)
    outer = next(region for region in regions if region["size"] == 3)
    wanted = (4, "levels", 3, "none") if recorded else (None, None, None, None)
    t.equal((inner["requested"], inner["shortfall"], outer["requested"], outer["shortfall"]),
            wanted, kind + ": what was asked for, and why there are fewer")
    t.equal((inner["cancelled"], outer["cancelled"]), (False, False), kind + ": not cancelled")
    t.equal(forks, 0 if recorded else None, kind + ": no fork")


def loop(kind, recorded, threads, details, forks, regions):
    found = {(loop["address"], loop["schedule"], loop["chunk"], loop["end"], loop["increment"],
              loop["next"], loop["dimensions"]) for _, loop, _ in threads.values()}
    t.equal({one[1:] for one in found}, {(2, 8, 1000, 2, 10 + 3 * 8, 0)},
            kind + ": three chunks are handed out")
    t.equal(len(found), 1, kind + ": all are in the same loop")
    stacks = {lwp: stack for stack, _, lwp in threads.values()}
    inside = []
    for thread in gdb.selected_inferior().threads():
        stack = stacks.get(thread_ids.lwp(thread))
        if stack:
            thread.switch()
            inside.append(stack["low"] + stack["guard"] <=
                          int(gdb.newest_frame().read_register("sp")) < stack["high"])
            if "core" not in kind:
                with open("/proc/%d/maps" % gdb.selected_inferior().pid,
                          encoding="utf-8") as maps:
                    lines = [line.split()[0].split("-") for line in maps]
                # From glibc 2.42 on a guard is a part of the mapping: one has many stacks.
                others = [other for other in stacks.values() if other and other != stack]
                t.ok(stack["low"] in [int(low, 16) for low, _ in lines] +
                     [other["high"] for other in others] and
                     stack["high"] in [int(high, 16) for _, high in lines] +
                     [other["low"] for other in others],
                     kind + ": a stack as the kernel has it mapped", stack, lines)
    t.equal(inside, [True, True], kind + ": stack pointers of the two that glibc has made")


def doacross(kind, recorded, threads, details, forks, regions):
    if recorded:
        t.equal({number: loop["awaited"] for number, (_, loop, _) in threads.items()
                 if "awaited" in loop}, {0: 2, 1: 3}, kind + ": who waits for what")
    t.equal({(loop["dimensions"], loop["schedule"]) for _, loop, _ in threads.values()}, {(1, 1)},
            kind + ": a loop of one dimension")
    t.equal({number: loop.get("posted") for number, (_, loop, _) in threads.items()},
            {0: 0, 1: 1, 2: None}, kind + ": what each has posted")


def cancel(kind, recorded, threads, details, forks, regions):
    t.equal([region["cancelled"] for region in regions], [True], kind + ": the region")


def child(kind, recorded, threads, details, forks, regions):
    if recorded:
        t.equal(forks, 1, kind + ": one fork")
    elif "gone" in details[3]:
        t.equal(details[3]["gone"], 2, kind + ": two members are of the parent")
    else:
        t.skip(kind + ": who is missing", "not known on this machine")


t.run("set schedule-multiple off")
for scene in (levels, loop, doacross, cancel):
    stopped(scene.__name__, scene)
t.run("set follow-fork-mode child")
stopped("child", child)
t.done()
