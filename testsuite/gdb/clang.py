# SPDX-License-Identifier: MIT
"""Programs on LLVM's runtime that nobody prepared: one of clang, live, attached to and as a
core, and the same of gcc. One with a second runtime beside it is in clang_recorded.py."""

import harness

harness.need_clang()
t = harness.begin(__file__, program="clang.c", timeout=240)

import gdb  # noqa: E402


def rows():
    return {row["OMP"]: (row["State"], row["Waits for"], row["Where"])
            for row in t.threads()}


def at(function, mark):
    return "%s () at %s" % (function, t.mark(mark))


def look(kind, is_clang=True):
    """What is told of the program at rest."""
    found = rows()
    dot = " \u00b7 "
    t.equal(found.get("1/8"), ("wait lock", "grid_lock, ~held by 1 (0/8)", at("main", "lock")),
            kind + ": who waits for a lock, by its name")
    t.equal((found.get("2/8" + dot + "0/2") or [])[:2], ("wait barrier", "implicit, 1 of 2 arrived"),
            kind + ": who is at the end of the nested region")
    t.equal(found.get("2/8" + dot + "1/2"), ("~in usleep", "-", at("work", "work")),
            kind + ": for whom")
    inside = [omp for omp in ("3/8", "4/8") if found[omp][0] == "~in usleep"]
    other = {"3/8": "4/8", "4/8": "3/8"}[inside[0]]
    t.equal(inside, ["3/8"], kind + ": who is in the critical section")
    t.like(" ".join(found[other]), r'^wait critical "update", ~held by \d+ \(3/8\) update \(\)',
           kind + ": and who waits for that")
    t.like(" ".join(found["5/8"]), r"^wait nest lock tree_lock, held by \d+ \(.*\) main \(\)",
           kind + ": a nest lock with its owner, from memory")
    t.equal(found.get(dot.join(("6/8", "0/1", "0/1"))), ("~in usleep", "-", at("work", "work")),
            kind + ": serialised regions")
    t.equal(found["7/8"][0], "~in usleep", kind + ": one at work")
    regions = t.noted("ompd parallel")
    t.like(regions, r"^region +main \(\) at %s +8 threads" % t.mark("outer"),
           kind + ": the region by its function")
    t.like(regions, r"region +nested \(\) at %s +2 threads" % t.mark("inner"),
           kind + ": the one within")
    tasks = t.noted("ompd tasks")
    states = sorted(line.split()[1] for line in tasks.splitlines()[1:])
    t.equal(states, ["ready", "waiting", "~in"] if "ready" in states
            else ["waiting", "~in", "~in"], kind + ": the tasks")
    if is_clang:
        t.like(tasks, r"tasks \(\) at %s +task \d+$" % t.mark("waiting"),
               kind + ": what one of them waits for")
    status = t.noted("ompd status")
    t.like(status, r"^runtime +LLVM libomp \d\d( to \d\d)?, \d+ threads, .*libomp",
           kind + ": the runtime and its version")
    t.like(status, r"^library +%s/lib/libompd\.so" % t.stage, kind + ": by our library")
    icvs = t.run("ompd icvs")
    t.like(icvs, r"^max-active-levels-var +2 ", kind + ": control variables")
    stacks = t.noted("ompd stacks")
    t.like(stacks, r"#pragma omp parallel clang\.c:\d+", kind + ": stacks")
    t.like(t.run("ompd bt -all"), r"in #pragma omp critical \(update\)", kind + ": constructs")


def attached(kind, program, **more):
    gdb.execute("file " + program)
    with t.attached(program, threads=9):
        for where in t.live_and_core():
            look(kind + (where or ", attached"), **more)


clang = t.by_clang("clang.c", "clang-program")
if clang is None:
    t.skip("a program of clang", "clang with OpenMP is not installed")
else:
    attached("clang", clang)
    gcc = t.by_clang(t.build("clang.c", "gcc.o", "-c"), "gcc-program")
    if gcc is None:
        t.skip("a program of gcc on LLVM's runtime", "it cannot be linked")
    else:
        attached("gcc", gcc, is_clang=False)

    # Locks that only pointers lead to: their waiters are in the runtime's queues, and registers
    # still have what has been acquired.
    t.run("file")
    with t.attached(t.by_clang("../why/locks.c", "locks", "-O2"), "order", threads=3):
        (verdict, *_) = t.json("why")["verdicts"]
        t.equal((verdict["id"], verdict["certainty"], {link["source"] for link in verdict["links"]}),
                ("lock-cycle", "likely", {"runtime"}), "locks: two wait in queues for ever")
        t.equal([link["waits_for"]["name"] for link in verdict["links"]], ["second", "first"],
                "locks: by the names of their variables")

    # The function that calls the runtime has left its frame to it; and locks that have no queue.
    jumps = t.by_clang(t.written("jumps.c", """
#include <omp.h>
#include <unistd.h>
static omp_lock_t doors[2];
__attribute__((noinline)) static void take(omp_lock_t *lock) { omp_set_lock(lock); }
int main(void)
{
    alarm(60);
    omp_init_lock(doors);
    omp_init_lock(doors + 1);
    omp_set_lock(doors + 1);
#pragma omp parallel num_threads(2)
    for (;;)
        omp_get_thread_num() ? take(doors + 1) : (void)usleep(1000);
}
"""), "jumps", "-O2")
    for kind, program, omp, lock in (("queuing", jumps, "1/2", "wait lock doors[1]"),
                                     ("tas", clang, "1/8", "~wait lock grid_lock, held by 1")):
        t.run("file")
        with t.attached(program, threads=9 if program is clang else 2,
                        settings={"KMP_LOCK_KIND": kind}):
            t.ok(" ".join(rows()[omp]).startswith(lock), kind + ": a lock by its variable",
                 repr(rows()))

    # The line of a directive is also in a function that clang makes for its reduction clause.
    gdb.execute("file " + t.by_clang(t.written("sums.c", """
static double total;
static void inner(void)
{
#pragma omp parallel for num_threads(2) reduction(+ : total)
    for (int i = 0; i < 4; i++)
        if ((total += i) > 2)
            __builtin_trap();
}
int main(void)
{
    inner();
    return total > 0;
}
"""), "sums", "-O2"))
    t.run("run")
    t.ok("inner () at sums.c:" in next(row for row in t.threads() if row["Id"][0] == "*")["Where"],
         "a body with a reduction is that of its function", t.run("ompd threads"))
    t.run("kill")
t.done()
