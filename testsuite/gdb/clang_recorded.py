# SPDX-License-Identifier: MIT
"""Programs on LLVM's runtime that are recorded: who owns what its memory keeps no owner of,
and where it was acquired; tasks with their clauses; locks of another kind; and a process with
a libgomp, too."""

import os
import re

import harness

harness.need_clang()
t = harness.begin(__file__, program="clang.c", timeout=240)

import gdb  # noqa: E402
from openmp_inspect.core.errors import OmpdError  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402

DOT = " \u00b7 "
RUN = os.path.join(t.stage, "bin/ompd-run")


def made(name, text, *flags):
    """The path of what clang makes of a program of this TEXT."""
    return t.by_clang(t.written(name + ".c", text), name, *flags)


def started(program, threads, **settings):
    """A program that ompd-run has started, attached to when all its threads are at rest."""
    gdb.execute("file " + program)
    return t.attached(RUN, program, threads=threads, settings=settings)


def rows():
    return {row["OMP"]: (row["State"], row["Waits for"], row["Where"])
            for row in t.threads()}


def look(kind):
    found = rows()
    since = "clang.c:%d"
    line = {mark: t.line(mark) for mark in ("outer", "critical", "lock")}
    t.like(" ".join(found["1/8"]), r"^wait lock grid_lock, held by 1 \(0/8\) since %s main" %
           re.escape(since % (line["outer"] - 2)),
           kind + ": a lock's owner, and where it was acquired")
    t.like(" ".join(found["5/8"]), r"^wait nest lock tree_lock, held by 1 \(0/8\) since %s main" %
           re.escape(since % (line["outer"] - 1)), kind + ": a nest lock's")
    waits = [omp for omp in ("3/8", "4/8") if found[omp][0].startswith("wait")]
    t.equal(len(waits), 1, kind + ": one waits for the critical section")
    t.like(" ".join(found[waits[0]]), r'^wait critical "update", held by \d+ \(%s\) since %s ' %
           ({"3/8": "4/8", "4/8": "3/8"}[waits[0]], re.escape(since % line["critical"])),
           kind + ": a critical section by its name, its owner, and where it was entered")
    t.equal(found["2/8" + DOT + "0/2"][:2], ("wait barrier", "implicit, 1 of 2 arrived"),
            kind + ": a barrier")
    t.equal(found[DOT.join(("6/8", "0/1", "0/1"))][0], "~in usleep", kind + ": serialised regions")
    regions = t.run("ompd parallel")
    t.ok("not tracked" not in regions, kind + ": serialised regions by their constructs", regions)
    t.equal(len(set(re.findall(r"region (\d+)", regions))), 4, kind + ": regions by their numbers")
    t.equal({(region["requested"], region["size"])
             for region in t.json("parallel")}, {(8, 8), (2, 2), (1, 1)},
            kind + ": what regions asked for")
    told = t.noted("ompd why -all")
    t.like(told, r"1 \(0/8\) +holds grid_lock +since %s" % re.escape(since % (line["outer"] - 2)),
           kind + ": ompd why has the owner, and where it acquired the lock")
    t.like(told, r"\d+ \(1/8\) +wants grid_lock +at %s" % re.escape(t.mark("lock")),
           kind + ": and who waits")
    tasks = t.json("tasks")
    t.equal(sorted(task["serial"] for task in tasks), [1, 2, 3],
            kind + ": tasks in the order of their constructs")
    t.equal(len({task["id"] for task in tasks} | {task["creator"] for task in tasks}), 4,
            kind + ": their numbers, and that of the task that created them")
    blocked = [task["blocked_by"] for task in tasks if task["blocked_by"]]
    t.equal([[cause["object"] for cause in one] for one in blocked], [["first"]],
            kind + ": what a task waits for, by its variable")
    status = t.noted("ompd status")
    t.like(status, r"^runtime +LLVM libomp \d\d.*\n(.*\n)*tracking +on", kind + ": the status")


clang = t.by_clang("clang.c", "recorded")
if clang is None:
    t.skip("a program of clang", "clang with OpenMP is not installed")
    t.done()
with started(clang, 9):
    for where in t.live_and_core():
        look("attached" + where)

# Kinds of locks of which the runtime has no queue: of tas and futex its memory has the owner, of
# ticket that of nest locks.
def look_at_kind(kind, mark):
    with started(clang, 9, KMP_LOCK_KIND=kind):
        found = rows()
        section = found["3/8"] if found["3/8"][0].startswith("wait") else found["4/8"]
        since = "" if mark else r" since clang\.c:\d+"
        t.like(" ".join(found["5/8"]), r"^wait nest lock tree_lock, held by 1 \(0/8\) since",
               kind + ": a nest lock's owner")
        t.like(" ".join(section), r'^wait critical "update", %sheld by \d+ \([34]/8\)%s' %
               (mark, since), kind + ": a critical section's")
        if not mark:
            t.like(" ".join(found["1/8"]), r"^wait lock grid_lock, held by 1 \(0/8\) since",
                   kind + ": a lock's")
        t.ok("not initialised" not in t.run("ompd why -all"), kind + ": they are initialised")


for kind, mark in ("tas", ""), ("futex", ""), ("ticket", "~"), ("drdpa", "~"):
    look_at_kind(kind, mark)

# A library of clang's in a program of gcc's: each is recorded, its own way.
both = t.written("both.c", """
#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>
#ifdef LIBRARY
static omp_lock_t mine;
void inside(void (*take)(void), void (*nest)(void))
{
    omp_init_lock(&mine);
    omp_set_lock(&mine);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1)
            omp_set_lock(&mine);
        if (omp_get_thread_num() == 2)
            take();
        if (omp_get_thread_num() == 3)
            nest();
        for (;;)
            usleep(1000);
    }
}
#else
static omp_lock_t lock;
static void take(void) { omp_set_lock(&lock); }
static void nest(void)
{
#pragma omp parallel num_threads(2)
    {
        while (omp_get_thread_num())
            usleep(1000);
#pragma omp barrier
    }
}
int main(int count, char **unused)
{
    void *library = dlopen("./both.so", RTLD_NOW);
    alarm(60);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    while (count > 1)
        pause();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            ((void (*)(void (*)(void), void (*)(void)))dlsym(library, "inside"))(take, nest);
        if (omp_get_thread_num() == 2)
            omp_set_lock(&lock);
        for (;;)
            usleep(1000);
    }
}
#endif
""")
os.chdir(t.scratch)
t.by_clang(both, "both.so", "-DLIBRARY", "-shared", "-fPIC")
program = t.build(both, "both", "-ldl")


def each_has_its_runtime(kind, printed):
    for omp, name, state in (("0/3", "libgomp", "~in usleep"), ("2/3", "libgomp", ""),
                             ("0/4", "libomp", "~in usleep"), ("1/4", "libomp", "")):
        t.like(printed, r"^[* ] \d +%s +%s\.so\S* +%s" % (omp, name, state),
               "%s: the thread %s and its runtime" % (kind, omp))


with t.attached(program, threads=7):
    each_has_its_runtime("two runtimes, unprepared", t.noted("ompd threads"))
    t.equal(len(t.run("ompd parallel").splitlines()), 3, "unprepared: the regions of each")
    t.like(t.noted("ompd status"), r"LLVM libomp \d\d.*, 4 threads, not recorded, ",
           "unprepared: the status")
    facts = t.json("threads")
    t.equal(sorted(os.path.basename(one["runtime"]).split(".")[0] for one in facts),
            ["libgomp"] * 4 + ["libomp"] * 3, "unprepared: as objects")
with started(program, 7):
    printed = t.noted("ompd threads")
    each_has_its_runtime("two runtimes", printed)
    t.like(printed, r"2/3 +libgomp\S+ +wait lock +lock, held by 1 \(0/3\) since both\.c:\d+",
           "two runtimes: a lock of libgomp's")
    t.like(printed, r"1/4 +libomp\S+ +wait lock +mine, held by \d+ \(0/4\) since both\.c:\d+",
           "two runtimes: a lock of the other's")
    t.like(printed, r"2/4 +libomp\S+ +wait lock +lock, held by 1 \(0/3\) since both\.c:\d+",
           "two runtimes: a thread of one waits for a lock of the other")
    t.like(printed, DOT.join(("1/3", "3/4", "0/2")) +
           r" +libgomp\S+ +wait barrier +explicit, 1 of 2 arrived",
           "two runtimes: one in a region of each is in the inner one")
    with session.snapshot() as snapshot:
        locks = [hex(lock.address) for lock in snapshot.locks]
    t.equal(len(locks), len(set(locks)), "two runtimes: a lock is listed once")
    told = t.run("ompd why -all")
    t.ok("not initialised" not in told and "ompd_hooks" not in told,
         "two runtimes: locks are initialised, and functions have their names", told)
    t.equal(len(set(re.findall(r"region (\d+)", t.run("ompd parallel")))), 3,
            "two runtimes: the regions of each")
    status = t.noted("ompd status")
    t.like(status, r"libgomp \d+( to \d+)?, 5 threads, recorded, ",
           "two runtimes: libgomp is recorded")
    t.like(status, r"LLVM libomp \d\d.*, 4 threads, recorded, ", "two runtimes: the other, too")
with t.attached(RUN, program, "pauses"):
    t.like(t.run("ompd status"), r"LLVM libomp .*, not recorded: nothing has called it",
           "two runtimes: one that nobody has called")

# A task whose body has ended, which the runtime keeps in no list.
detached = made("detached", """
#include <omp.h>
#include <unistd.h>
int main(void)
{
    omp_event_handle_t event;
    alarm(60);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event)
        event = 0;
#pragma omp taskwait
    }
}
""")
with started(detached, 2):
    t.like(t.run("ompd tasks"), r"^\d+ +detached +- +\d+ +main \(\) at detached\.c:11 +its event",
           "a task that waits for its event")
    t.like(t.run("ompd why"),
           r"^deadlock: a detached task is waited for that nobody fulfils +\[likely\]",
           "the other thread waits in the barrier of the construct: why")

# Frames of the runtime that tasks were called from and have entered, by their canonical addresses.
entered = made("entered", """
#include <unistd.h>
static void stop(void) { for (;;) usleep(1000); }
int main(void)
{
    alarm(60);
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp parallel if (0)
        usleep(1);
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp task
        stop();
    }
}
""", "-O2")


def addresses():
    """{canonical address: name} of this thread's frames."""
    found, frame = {}, gdb.newest_frame()
    while frame.older() is not None:
        pointer = int(frame.older().read_register("rsp")) & 0xffffffffffffffff
        found.setdefault(pointer, frame.name() or "")
        frame = frame.older()
    return found


def entered_through(thread):
    """[(kind, names of the frames it was called from and has entered)] from the inside out; of
    a frame that is not there its address."""
    thread.switch()
    frames, found = addresses(), []
    with session.snapshot() as snapshot:
        task = snapshot.by_lwp[thread.ptid[1]].task
        while task is not None:
            try:
                found.append((task.kind, *(address and frames.get(address, hex(address))
                                           for address in task.frames)))
            except OmpdError as error:
                found.append((task.kind, error.kind))
            task = task.parent
    return found


with started(entered, 3, OMP_MAX_ACTIVE_LEVELS="2"):
    found = {thread.num: entered_through(thread) for thread in
             gdb.selected_inferior().threads()}
    t.note(repr(found))
    t.equal(found[1][-2:], [("implicit", "__kmp_invoke_microtask", "__kmpc_fork_call"),
                            ("initial", 0, "__kmpc_fork_call")],
            "the frames that tasks were called from, and through which they entered a region")
    t.equal([rows[0][2:] for rows in found.values() if rows[0][0] == "explicit"], [(0,)],
            "a task that has entered nothing")

# Up to LLVM 16 OMPT reports omp_test_lock() as omp_set_lock(), and no end of one that fails.
tests = made("tests", """
#include <omp.h>
#include <unistd.h>
int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    alarm(60);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_set_lock(&lock);
    omp_set_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    for (;;) {
        if (omp_get_thread_num() == 1)
            omp_test_lock(&lock);
        if (omp_get_thread_num() == 2)
            omp_test_nest_lock(&nest);
        usleep(10000);
    }
}
""")
with started(tests, 3):
    t.equal([row["State"] for row in t.threads()], ["~in usleep"] * 3,
            "who has not acquired a lock by a test does not wait for it")

# OMPT does not report a taskwait that has a depend clause.
depends = made("depends", """
#include <omp.h>
int main(void)
{
    int x = 0;
    omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : x)
        x = 1;
#pragma omp taskwait depend(in : x)
    }
    return x;
}
""")
with started(depends, 2):
    t.ok("~wait taskwait" in [row.get("State") for row in t.threads()],
         "a taskwait with a depend clause is a wait")
    t.like(t.run("ompd why"),
           r"^deadlock: a detached task is waited for that nobody fulfils +\[likely\]", "the same: why")

# A tool of the user is chained to ours: the records are the same, and found by its words.
tool = t.by_clang("../tools/chained.c", "chained.so", "-shared", "-fPIC",
                  "-I" + os.path.join(t.stage, "include/ompd"), "-ldl")
heard = os.path.join(t.scratch, "heard")
with started(clang, 9, OMP_TOOL_LIBRARIES="/nowhere.so:" + tool, CHAINED="few", CHAINED_LOG=heard):
    t.ok(os.path.exists(heard + ".0"), "a tool of the user is started")
    look("with a tool")
t.done()
