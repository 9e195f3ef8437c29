# SPDX-License-Identifier: MIT
"""Programs that have stopped, as fakeprograms.py writes them down. Each function returns a Program
and the table of its Query."""

import struct

from openmp_inspect.core.escaped import Name
from openmp_inspect.bindings import abi5, query
from openmp_inspect.host import interface
from fakecases_libc import libc, python
from fakeprograms import GOMP, LIBC, OMP, OUTER, Program, lock

HEAT = """\
#include <omp.h>
omp_lock_t cells[4];
int rows;
void step(int i)
{
    #pragma omp critical (sum)
    rows += i;
}
int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < 4; i++)
            step(i);
        omp_set_lock(&cells[2]);
        #pragma omp parallel num_threads(2)
        {
            #pragma omp task
            step(1);
            #pragma omp taskwait
            #pragma omp barrier
        }
    }
}
"""
GUARD = 0x6F0000000040  # an address in that of a stack
CRITICAL = ".gomp_critical_user_"
START, JOB, NESTED, TASK = "gomp_thread_start", "main._omp_fn.0", "main._omp_fn.1", "main._omp_fn.2"
WORKER = (START + "+96", *OUTER)
WITHIN_MAIN = {"within": "main"}
LIBGOMP = {"/lib/libgomp.so.1": (GOMP, (
    "GOMP_parallel", "GOMP_barrier", "GOMP_critical_name_start", "GOMP_critical_name_end",
    "GOMP_task", "GOMP_taskwait", START, "omp_set_lock", "omp_get_wtime_", "GOMP_taskgroup_end",
    "GOMP_ordered_start", "GOMP_ordered_end", "GOMP_loop_end", "omp_set_nest_lock",
    "GOMP_critical_start", "gomp_barrier_handle_tasks"))}
LIBC_SO = {"/lib/libc.so.6": (LIBC, (
    "pthread_mutex_lock", "pthread_join", "start_thread", "clone3", "nanosleep", "pause",
    "pthread_rwlock_wrlock", "fputs", "pthread_barrier_wait", "read", "syscall", "sem_wait"))}


def heat(**table):
    """The program of HEAT, with nothing but its code."""
    return Program("heat.c", HEAT, {
        "step": (4, [(6, "call", "GOMP_critical_name_start", CRITICAL + "sum"),
                     (7, "call", "pause"),
                     (6, "call", "GOMP_critical_name_end", CRITICAL + "sum"), (8, "ret")]),
        "main": (9, [(9, "nop"), (11, "call", "GOMP_parallel", JOB), (25, "ret")]),
        JOB: (11, [(11, "nop"), (13, "nop"), (15, "call", "step"), (15, "call", "GOMP_barrier"),
                   (16, "call", "omp_set_lock", "cells+8"), (17, "call", "GOMP_parallel", NESTED),
                   (24, "ret")], WITHIN_MAIN),
        NESTED: (17, [(17, "nop"), (19, "call", "GOMP_task", TASK), (21, "call", "GOMP_taskwait"),
                      (22, "call", "GOMP_barrier"), (23, "ret")], WITHIN_MAIN),
        TASK: (19, [(19, "nop"), (20, "call", "step"), (20, "ret")], WITHIN_MAIN),
        "fill": (26, [(27, "call", "pthread_mutex_lock", "cache"), (28, "call", "pthread_join"),
                      (29, "call", "nanosleep"), (30, "jmp", "omp_set_lock")])},
        {"cells": 16, CRITICAL + "sum": 8, "cache": 40, "team": 64, "pool": 64, "joined": 16},
        {**LIBGOMP, **LIBC_SO}, types={
            "omp_lock_t [4]": {"kind": "array", "size": 16, "target": "omp_lock_t", "bounds": (0, 3)},
            "omp_lock_t": {"kind": "struct", "size": 4}}, **table)


def unprepared():
    """Two levels of regions on a stock libgomp: one in a task waits for a section that another is in,
    others for a lock, at barriers, in libc."""
    made = heat(selected=1)
    made.table["variables"] = {"cells": (made.objects["cells"], "omp_lock_t [4]")}
    made.thread(1, "GOMP_critical_name_start+128", ("step", 0), (TASK, 1), "GOMP_taskwait+96",
                (NESTED, 2), "GOMP_parallel+96", (JOB, 5), "GOMP_parallel+96", ("main", 1),
                sleep=made.sleep(CRITICAL + "sum", 0xFFFFFFFF))
    made.thread(2, "pause+128", ("step", 1), (JOB, 2), *WORKER)
    made.thread(3, "omp_set_lock+128", (JOB, 4), *WORKER, sleep=made.sleep("cells+8", 0xFFFFFFFF))
    made.thread(4, "GOMP_barrier+128", (JOB, 3), *WORKER, sleep=made.sleep("team+4", 8))
    made.thread(5, "GOMP_barrier+128", (NESTED, 3), *WORKER, sleep=made.sleep("team+36", 8))
    made.thread(6, START + "+128", *OUTER, sleep=made.sleep("pool+4", 16))
    made.thread(7, "pthread_mutex_lock+128", ("fill", 0), *OUTER, sleep=made.sleep("cache"))
    made.memory[made.objects["cache"]][8:12] = (102).to_bytes(4, "little")
    made.thread(8, "pthread_join+128", ("fill", 1), *OUTER, sleep=made.sleep("joined", 107))
    made.thread(9, "nanosleep+128", ("fill", 2), *OUTER, sleep=interface.Sleep(0, 0, True, True))
    team, nested = made.objects["team"], made.objects["team"] + 32
    words = query.Futexes(team + 4, made.objects["pool"] + 4, 0)
    known = {
        "runtimes": [query.RuntimeFacts(0, "libgomp", "no_hooks", 6, 13, 13, "/lib/libgomp.so.1")],
        "threads": {
            "t1": {"lwp": 101, "state": ("work_parallel",), "number": 0, "region": "B", "task": "e",
                   "futexes": query.Futexes(nested + 4, None, 0)},
            "t2": {"lwp": 102, "state": ("work_parallel",), "number": 1, "region": "A", "task": "a1",
                   "futexes": words},
            "t3": {"lwp": 103, "state": ("work_parallel",), "number": 2, "region": "A", "task": "a2",
                   "futexes": words},
            "t4": {"lwp": 104, "state": ("work_parallel",), "number": 3, "region": "A", "task": "a3",
                   "futexes": words},
            "t5": {"lwp": 105, "state": ("work_parallel",), "number": 1, "region": "B", "task": "b1",
                   "futexes": query.Futexes(nested + 4, None, 0)},
            "t6": {"lwp": 106, "state": ("idle",), "number": 0}},
        "regions": {
            "A": {"size": 4, "function": made.symbols[JOB], "master": "t1",
                  "team": ["t1", "t2", "t3", "t4"], "implicit_tasks": ["a0", "a1", "a2", "a3"],
                  "encountering_number": 0},
            "B": {"size": 2, "function": made.symbols[NESTED], "parent": "A", "master": "t1",
                  "team": ["t1", "t5"], "implicit_tasks": ["b0", "b1"], "encountering_number": 0}},
        "tasks": {
            "i": {"kind": "initial", "level": 0},
            **{"a%d" % at: {"kind": "implicit", "parent": "i", "level": 1, "thread": "t%d" % (at + 1),
                            "function": made.symbols[JOB], "region": "A"} for at in range(4)},
            "b0": {"kind": "implicit", "parent": "a0", "level": 2, "function": made.symbols[NESTED],
                   "region": "B", "state": "suspended", "scheduling": "a0"},
            "b1": {"kind": "implicit", "parent": "a0", "level": 2, "thread": "t5",
                   "function": made.symbols[NESTED], "region": "B"},
            "e": {"kind": "explicit", "parent": "b0", "level": 2, "state": "running",
                  "thread": "t1", "function": made.symbols[TASK], "region": "B",
                  "scheduling": "b0", "flags": frozenset(["tied"])},
            "later": {"kind": "explicit", "parent": "b0", "level": 2, "state": "ready",
                      "function": made.symbols[TASK], "region": "B"}},
        "locks": [lock(made.objects["cells"] + 8, "simple", held=1),
                  lock(made.objects[CRITICAL + "sum"], "critical", held=1)],
        "barriers": [query.BarrierFacts("A", 4, 4, 1, "wait_barrier", "within", None),
                     query.BarrierFacts("B", 2, 2, 1, "wait_barrier", "within", None)]}
    return made, known


def _history(made, section, lock):
    """One event of each kind, a second apart, and two without times."""
    kinds = [(1, 3), (3, 3), (4, 13), (5, 13), (6, 13), (2, 3), (7, 5), (0x103, 3), (0x105, 3),
             (0x205, section), (0x305, section), (0x201, lock), (0x301, lock), (0x206, 0), (0x207, 0),
             (0x401, 100), (0x403, 1), (0x40f, 0), (0x2ff, 0), (0x909, 0)]
    return [query.EventFacts(at, 900000000000 + at * 1000000000, waited, one,
                             made.address((JOB, 3)) if at % 2 else 0, kind,
                             0 if kind >> 8 in (1, 2) else None)
            for at, ((kind, one), waited) in enumerate(zip(kinds, (
                None, None, None, None, None, None, None, 2500000000, 1500000, 1500, None, 200) +
                (None,) * 8), 1)] + [
        query.EventFacts(21 + at, None, None, 3, 0, kind, one)
        for at, (kind, one) in enumerate(((0x109, 1), (0x103, None)))]


def _sums(made, section, lock):
    """Two seconds of a team of two in which thread 1 has most of the work, sections and locks are waited
    for, and there are tasks."""
    job, nested = made.address((JOB, 3)), made.address((NESTED, 2))
    kind, second = abi5.SUM_KIND, 1000000000

    def one(name, number, times, time, waited, more, *rest, at=job, region=0, holder=0):
        return query.SumFacts(kind[name] + (more if name == "mutex" else 0), number, times, time, waited,
                              second // 9, *rest, at, region, section if more == 5 else lock if name == "mutex" else 0,
                              more == 3, holder)
    return [
        one("threads", 0, 300, second, 3 * second, 0, 7, None, at=0),
        one("region", 0, 40000, second, 2 * second, 0, 80000, None),
        one("member", 0, 40000, second // 5, second // 20, 0, second // 5, second // 200000),
        one("member", 1, 40000, 7 * second // 10, second // 20, 0, 7 * second // 10, second // 50000),
        one("barrier", 0, 20, second // 10, second // 2, 0, 0, second // 200, at=nested, region=job),
        one("barrier", 1, 20, second // 2, second // 90, 0, 0, second // 40, at=nested, region=job),
        one("taskwait", 1, 20, 0, second // 3, 0, 0, None, at=nested),
        one("task_created", 1, 900000, 0, 0, 0, 0, None, at=nested),
        *(one("task", at, 90000, second // 30, 0, 0, 0, None, at=nested) for at in range(6)),
        one("mutex", 0, 5000, 7 * second // 5, second // 2, 5, 400, None, holder=nested),
        *(one("mutex", 1, 50, None, second // 2, more, None, None) for more in (1, 3, 6, 7, 9))]


def recorded():
    """The same with hooks: numbers, owners, stack pointers of tasks, dependences; two threads alike;
    one that the debugger does not see; a crash."""
    made = heat(selected=2, monotonic=1000.0,
                crash=interface.Crash(102, "SIGSEGV", {"uncaught"}, GUARD))
    made.table["variables"] = {"cells": (made.objects["cells"], "omp_lock_t [4]")}
    sum_, cells = made.objects[CRITICAL + "sum"], made.objects["cells"]
    one = [frame["sp"] for frame in made.thread(
        1, "GOMP_critical_name_start+128", ("step", 0), (TASK, 1), "GOMP_taskwait+96", (NESTED, 2),
        "GOMP_parallel+96", (JOB, 5), "GOMP_parallel+96", ("main", 1),
        sleep=made.sleep(CRITICAL + "sum", 0xFFFFFFFF))]
    two = made.thread(2, "pause+128", ("step", 1), (JOB, 2), *WORKER)
    three = made.thread(3, "omp_set_lock+128", (JOB, 4), *WORKER)
    bodies = {1: (two[3]["sp"], 0), 2: (three[2]["sp"], three[1]["sp"])}
    for number in (4, 5):
        frames = made.thread(number, "GOMP_barrier+128", (JOB, 3), *WORKER)
        bodies[number - 1] = frames[2]["sp"], frames[1]["sp"]
    bodies[5] = 0, 0
    six = made.thread(6, "GOMP_taskwait+128", (NESTED, 2), *WORKER)
    stack = {"low": GUARD - 64, "high": GUARD + 0x10000, "guard": 4096}
    known = {
        "recorded": True, "runtimes": [query.RuntimeFacts(0, "libgomp", "yes", 6, 13, 13, "")],
        "icvs": [query.Icv("stacksize-var", "address_space", Name("8192"))],
        "sums": _sums(made, sum_, cells),
        "forks": 0, "control_vars": [(Name("OMP_NUM_THREADS"), Name("5"))], "tool": "none",
        "wait_times": query.WaitTimes({103: 280000000000, 104: 998000000000, 105: 970000000000,
                                       106: 999600000000}, 999600000000),
        "threads": {
            "t1": {"lwp": 101, "state": ("wait_critical", sum_), "number": 0, "region": "B",
                   "task": "e", "codeptr": made.address(("step", 0)), "frame": one[1],
                   "kind": "1"},
            "t2": {"lwp": 102, "state": ("work_parallel",), "number": 1, "region": "A", "task": "a1",
                   "codeptr": 0, "stack": stack, "history": _history(made, sum_, cells + 8)},
            "t3": {"history": [query.EventFacts(9, 998000000000, None, cells + 8,
                                                made.address((JOB, 4)), 0x201, 1)],
                   "lwp": 103, "state": ("wait_lock", cells + 8), "number": 2, "region": "A",
                   "task": "a2", "codeptr": made.address((JOB, 4)), "frame": three[1]["sp"]},
            **{"t%d" % at: {"lwp": 100 + at, "state": ("wait_barrier_explicit",), "number": at - 1,
                            "region": "A", "task": "a%d" % (at - 1), "kind": "waits", "barriers_entered": 4031,
                            "codeptr": made.address((JOB, 3)), "barrier": "within"}
               for at in (4, 5)},
            "t6": {"lwp": 106, "state": ("wait_taskwait",), "number": 1, "region": "B",
                   "task": "b1", "codeptr": made.address((NESTED, 2)), "frame": six[1]["sp"]},
            "t7": {"lwp": 199, "state": ("work_parallel",), "number": 5, "region": "A",
                   "task": "a5", "codeptr": 0},
            "t8": {"lwp": 198, "state": ("idle",), "number": 0}},
        "regions": {
            "A": {"id": 3, "size": 6, "function": made.symbols[JOB], "master": "t1",
                  "team": ["t1", "t2", "t3", "t4", "t5", "t7"], "requested": 6,
                  "region_codeptr": made.address(("main", 1)), "region_kind": "parallel",
                  "encountering_task": "i", "encountering_number": 0,
                  "implicit_tasks": ["a%d" % at for at in range(6)], "cancelled": False},
            "B": {"id": 4, "size": 2, "function": made.symbols[NESTED], "parent": "A",
                  "master": "t1", "team": ["t1", "t6"], "requested": 3,
                  "region_codeptr": made.address((JOB, 5)), "encountering_task": "a0",
                  "encountering_number": 0, "implicit_tasks": ["b0", "b1"],
                  "parted": (2, made.address((NESTED, 1)), made.address((NESTED, 3))),
                  "of_team": {"nthreads": 3, "shortfall": "limit", "thread_limit": 2},
                  "cancelled": True}},
        "tasks": {
            "i": {"id": 1, "kind": "initial", "level": 0, "state": "suspended", "thread": "t1",
                  "frames": query.Frames(0, one[8])},
            **{"a%d" % at: {
                "id": 2 + at, "kind": "implicit", "parent": "i", "level": 1, "region": "A",
                "function": made.symbols[JOB], "thread": "t%d" % (at + 1), "state": "running",
                "frames": query.Frames(*bodies[at])} for at in range(1, 6)},
            "a0": {"id": 2, "kind": "implicit", "parent": "i", "level": 1, "region": "A",
                   "function": made.symbols[JOB], "thread": "t1", "state": "suspended",
                   "frames": query.Frames(one[8] - 16, one[6]), "scheduling": "i"},
            "b0": {"id": 10, "kind": "implicit", "parent": "a0", "level": 2, "region": "B",
                   "function": made.symbols[NESTED], "thread": "t1", "state": "suspended",
                   "frames": query.Frames(one[6] - 16, one[4]), "scheduling": "a0"},
            "b1": {"id": 11, "kind": "implicit", "parent": "a0", "level": 2, "region": "B",
                   "function": made.symbols[NESTED], "thread": "t6", "state": "running",
                   "frames": query.Frames(six[2]["sp"], six[1]["sp"])},
            "e": {"id": 12, "kind": "explicit", "parent": "b0", "level": 2, "region": "B",
                  "function": made.symbols[TASK], "thread": "t1", "state": "running",
                  "frames": query.Frames(one[4] - 16, one[1]), "scheduling": "b0",
                  "flags": frozenset(["untied"]), "task_serial": 1},
            "child": {"id": 13, "kind": "explicit", "parent": "b1", "level": 2, "region": "B",
                      "function": made.symbols[TASK], "state": "waiting", "dependences": 1,
                      "codeptr": made.address((NESTED, 1))},
            "event": {"id": 14, "kind": "explicit", "parent": "b1", "level": 2, "region": "B",
                      "function": made.symbols[TASK], "state": "detached", "event": 0x5000},
            "held": {"id": 15, "kind": "explicit", "parent": "a3", "level": 1, "region": "A",
                     "function": made.symbols[TASK], "state": "suspended", "thread": "t4",
                     "frames": query.Frames(0, 0)}},
        "dependences": [query.DependenceFacts("e", "child", cells + 4,
                                              query.DependenceKinds("out", "in"))],
        "locks": [lock(cells + 8, "simple", "t4", "held", made.address((JOB, 4)), 0x100, "destroyed",
                       ["t3"]),
                  lock(sum_, "critical", "t2", "a1", made.address(("step", 0)), two[1]["sp"])],
        "barriers": [query.BarrierFacts("A", 6, 5, 2, "wait_barrier_explicit", "within",
                                        made.address((JOB, 3)))]}
    return made, known


ORDERED = """\
void turn(int i);
int main(void)
{
    #pragma omp parallel
    #pragma omp for ordered
    for (int i = 0; i < 3; i++) {
        #pragma omp ordered
        {
            turn(i);
        }
    }
}
"""


def ordered():
    """A team in an ordered loop: the second is inside."""
    entry = "GOMP_ordered_start"
    made = Program("turns.c", ORDERED, {
        "main": (2, [(4, "call", "GOMP_parallel", JOB), (12, "ret")]),
        JOB: (4, [(4, "nop"), (7, "call", entry), (9, "call", "turn"), (12, "ret")], WITHIN_MAIN),
        "turn": (0, [(0, "call", "nanosleep")])}, {}, {
            "/lib/libgomp.so.1": (GOMP, ("GOMP_parallel", entry, START, "omp_get_wtime_")),
            **LIBC_SO})
    made.thread(1, entry + "+128", (JOB, 1), "GOMP_parallel+96", ("main", 0))
    made.thread(2, "nanosleep+128", ("turn", 0), (JOB, 2), *WORKER,
                sleep=interface.Sleep(0, 0, True, True))
    made.thread(3, entry + "+128", (JOB, 1), *WORKER)
    known = {
        "threads": {"t%d" % at: {
            "lwp": 100 + at, "state": ("work_parallel",), "number": at - 1, "region": "A",
            "task": "a%d" % at} for at in range(1, 4)},
        "regions": {"A": {"size": 3, "function": made.symbols[JOB], "master": "t1",
                          "team": ["t1", "t2", "t3"]}},
        "tasks": {"a%d" % at: {"kind": "implicit", "level": 1, "function": made.symbols[JOB],
                               "region": "A"} for at in range(1, 4)}}
    return made, known


def idle_share():
    """A team that sleeps for a time each, though iterations, tasks and threads are left."""
    made, known = ordered()
    made.table["threads"].clear()
    for number in range(1, 4):
        made.thread(number, "nanosleep+128", ("turn", 0), (JOB, 2), *WORKER,
                    sleep=interface.Sleep(0, 0, True, True))
    for row in known["threads"].values():
        row["loop"] = {"schedule": 2, "next": 4, "end": 9, "increment": 1}
    known["tasks"]["ready"] = {"kind": "explicit", "parent": "a1", "level": 1, "region": "A",
                               "state": "ready", "function": made.symbols[JOB]}
    known["tasks"]["now"] = {"kind": "explicit", "parent": "a1", "level": 1, "region": "A",
                             "state": "running", "thread": "t2", "flags": frozenset(["undeferred"])}
    known["regions"]["A"]["requested"] = 8
    known["regions"]["A"]["of_team"] = {"nthreads": 8, "dynamic": 1, "shortfall": "dynamic"}
    return made, known


def forked(unbegun=3, callers=(("main", 1),)):
    """A child of fork, which is alone at the end of its parent's region."""
    made = heat(forked=True)
    made.thread(1, "GOMP_parallel+128", *callers, sleep=made.sleep("team+4", 8))
    known = {
        "runtimes": [query.RuntimeFacts(0, "libgomp", "no_hooks", 1, 13, 13, "")],
        "threads": {"t1": {"lwp": 101, "state": ("work_parallel",), "number": 0, "region": "A",
                           "task": "a0", "futexes": query.Futexes(
                               made.objects["team"] + 4, made.objects["pool"] + 4, 0)}},
        "regions": {"A": {"size": 4, "function": made.symbols[JOB], "master": "t1",
                          "team": ["t1"], "of_team": {"unbegun": unbegun}}},
        "tasks": {"a0": {"kind": "implicit", "level": 1, "function": made.symbols[JOB],
                         "region": "A", "thread": "t1"}},
        "barriers": [query.BarrierFacts("A", 4, 1, 1, "wait_barrier_implicit", "end", None)]}
    return made, known


def lost():
    return forked(0)


def called_back():
    """What a function of libc has called has left its frame to the runtime."""
    return forked(callers=("pthread_join+96", ("fill", 1)))


def ending():
    """A team at the end of its region: all have arrived but one, whom a nested region keeps, one is
    still being created, one has been released."""
    made = heat()
    made.thread(1, "GOMP_parallel+128", ("main", 1), sleep=made.sleep("team+4", 8))
    made.thread(2, START + "+128", *OUTER, sleep=made.sleep("team+4", 8))
    made.thread(3, ("step", 1), (TASK, 1), "gomp_barrier_handle_tasks+96", START + "+96", *OUTER)
    made.thread(4, {"at": START + "+128", "registers": {"rdi": made.objects["pool"] + 4}}, *OUTER,
                sleep=interface.Sleep(made.objects["pool"] + 4, 16, True, False))
    made.thread(5, "clone3+128")
    words = query.Futexes(made.objects["team"] + 4, made.objects["pool"] + 4, 0)
    known = {
        "runtimes": [query.RuntimeFacts(0, "libgomp", "no_hooks", 1, 13, 13, "")],
        "threads": {
            **{"t%d" % at: {"lwp": 100 + at, "state": ("work_parallel",), "number": at - 1,
                            "region": "A", "task": "a%d" % (at - 1), "futexes": words}
               for at in range(1, 5)}},
        "regions": {"A": {"size": 4, "function": made.symbols[JOB], "master": "t1",
                          "team": ["t1", "t2", "t3", "t4"]}},
        "tasks": {
            **{"a%d" % at: {"kind": "implicit", "level": 1, "function": made.symbols[JOB],
                            "region": "A", "thread": "t%d" % (at + 1)} for at in (0, 1, 3)},
            "a2": {"kind": "explicit", "parent": "a0", "level": 1, "function": made.symbols[TASK],
                   "region": "A", "thread": "t3", "state": "running"}},
        "barriers": [query.BarrierFacts("A", 4, 4, 3, "wait_barrier_implicit", "end", None)]}
    return made, known


def alone():
    """No OMPD library: stacks only."""
    made, _ = unprepared()
    return made, None


CLANG = """\
#include <omp.h>
omp_lock_t key;
int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < 4; i++)
            work(i);
        omp_set_lock(&key);
        #pragma omp critical (sum)
        work(4);
        #pragma omp task
        work(5);
        #pragma omp barrier
    }
}
"""
OUTLINED, INNER, ENTRY = "main.omp_outlined", "main.omp_outlined_debug__", ".omp_task_entry."
KMP_START = "__kmp_launch_worker"
LIBOMP = {"/lib/libomp.so.5": (OMP, (
    "__kmpc_fork_call", "__kmp_fork_call", "__kmp_invoke_microtask", "__kmpc_barrier",
    "__kmpc_set_lock", "__kmpc_critical", "__kmpc_end_critical", "__kmpc_omp_task", KMP_START,
    "omp_get_wtime_", "omp_set_lock", "__kmpc_omp_taskwait", "GOMP_parallel",
    "__kmpc_fork_teams"))}


def clang(libraries=()):
    """A program of clang on LLVM's runtime: at the barrier of a loop, whose description says which, in
    a lock that a register has, in a section, in a task at the end, idle."""
    made = Program("gcd.c", CLANG, {
        "main": (3, [(3, "nop"), (5, "call", "__kmpc_fork_call", OUTLINED), (17, "ret")]),
        OUTLINED: (5, [(5, "call", INNER), (5, "ret")]),
        INNER: (5, [(5, "nop"), (7, "call", "__kmpc_barrier", "loc"), (10, "call", "omp_set_lock",
                                                                       "key"),
                    (11, "call", "__kmpc_critical", "loc"), (12, "call", "work"),
                    (11, "call", "__kmpc_end_critical", "loc"), (13, "call", "__kmpc_omp_task"),
                    (15, "call", "__kmpc_barrier", "loc2"), (16, "ret")]),
        ENTRY: (13, [(14, "call", "work"), (14, "ret")]),
        "work": (18, [(19, "nop"), (19, "call", "nanosleep"), (20, "ret")])},
        {"key": 16, CRITICAL + "sum.var": 32, "row": 32, "loc": 32, "loc2": 32, "text": 64,
         "text2": 64}, {**dict(libraries), **LIBOMP, **LIBC_SO})
    words = {"text": b";/src/gcd.c;main;7;5;;\0", "text2": b";/src/gcd.c;main;15;5;;\0"}
    for name, text in words.items():
        made.memory[made.objects[name]][:len(text)] = text
    for name, flags, text in (("loc", 0x42, "text"), ("loc2", 0x22, "text2")):
        made.memory[made.objects[name]][:24] = struct.pack(
            "<iiiiQ", 0, flags, 0, len(words[text]) - 1, made.objects[text])
    row = (made.objects["row"] + 7) // 8 * 8  # as the runtime has it
    made.memory[made.objects[CRITICAL + "sum.var"]][:8] = row.to_bytes(8, "little")
    made.memory[made.objects["row"]][row - made.objects["row"]:row - made.objects["row"] + 8] = \
        (0x77770).to_bytes(8, "little")
    # mov %rdx,%rbx: kept_arguments.py finds the lock there
    kept = made.memory[made.symbols["__kmpc_set_lock"]]
    kept[:3] = b"\x48\x89\xfb"
    made.memory[made.symbols["omp_set_lock"]][:3] = b"\x48\x89\xfb"
    body = ("__kmp_invoke_microtask+96", KMP_START + "+96", "__kmp_fork_call+96")
    end = body[:2] + OUTER
    made.thread(1, "__kmpc_barrier+128", (INNER, 1), (OUTLINED, 0), "__kmp_invoke_microtask+96",
                "__kmp_fork_call+96", "__kmpc_fork_call+96", ("main", 1))
    made.thread(2, KMP_START + "+128", {"at": "omp_set_lock+96", "registers": {
        "rbx": made.objects["key"]}}, (INNER, 2), (OUTLINED, 0), *end)
    made.thread(3, "__kmpc_critical+128", (INNER, 3), (OUTLINED, 0), *end)
    made.thread(4, "nanosleep+128", ("work", 1), (INNER, 4), (OUTLINED, 0), *end,
                sleep=interface.Sleep(0, 0, True, True))
    made.thread(5, "nanosleep+128", ("work", 1), (ENTRY, 0), KMP_START + "+144",
                KMP_START + "+160", KMP_START + "+176", *OUTER)
    made.thread(6, "read+128", KMP_START + "+48", KMP_START + "+64", KMP_START + "+176", *OUTER)
    made.thread(7, KMP_START + "+128", KMP_START + "+80", KMP_START + "+176", *OUTER)
    known = {
        "runtimes": [query.RuntimeFacts(0, "libomp", "no_hooks", 7, None, None, "/lib/libomp.so.5")],
        "threads": {
            "t1": {"lwp": 101, "state": ("wait_barrier",), "barrier": "within"},
            "t2": {"lwp": 102, "state": ("wait_lock", 0x66660)},
            "t3": {"lwp": 103, "state": ("wait_critical", 0x77770)},
            "t4": {"lwp": 104, "state": ("work_parallel",)},
            "t5": {"lwp": 105, "state": ("work_parallel",), "task": "e", "barrier": "end"},
            "t6": {"lwp": 106, "state": ("idle",)},
            "t7": {"lwp": 107, "state": ("overhead",)}},
        "regions": {"A": {"size": 6, "function": made.symbols[OUTLINED], "master": "t1", "team": [
            "t1", "t2", "t3", "t4", "t5", "t7"]}},
        "tasks": {"a%d" % at: {"kind": "implicit", "level": 1, "function": made.symbols[OUTLINED],
                               "region": "A"} for at in range(1, 8)},
        "locks": [lock(0x66660, "simple", "t4", waiters=["t2"]),
                  lock(0x77770, "critical", "t4", waiters=["t3"])],
        "barriers": [query.BarrierFacts("A", 6, 6, 1, "wait_barrier", "within", None)]}
    for at, (name, row) in enumerate(known["threads"].items(), 1):
        row.update(number=at - 1, runtime_of=0)
        if name != "t6":
            row.update(region="A", task=row.get("task", "a%d" % at))
    known["tasks"]["e"] = {"kind": "explicit", "parent": "a1", "level": 1, "region": "A",
                           "function": made.symbols[ENTRY], "thread": "t5", "state": "running"}
    return made, known


def beside():
    """The same with a libgomp beside it that nobody uses. The one at the barrier, by its stack, sleeps:
    it may have been released."""
    made, known = clang(LIBGOMP)
    made.table["threads"][0]["sleep"] = made.sleep("row+24")
    known["threads"]["t1"].update(state=("work_parallel",), barrier=None)
    known["barriers"] = []
    return made, known


def league():
    """LLVM's runtime has leagues in no region: a thread at the end of one sleeps, another one is in its
    team."""
    made = Program("league.c", "int main(void)\n{\n    #pragma omp teams\n    nap();\n}\n", {
        "main": (1, [(1, "nop"), (3, "call", "__kmpc_fork_teams", OUTLINED), (5, "ret")]),
        OUTLINED: (3, [(4, "call", "nanosleep"), (5, "ret")], WITHIN_MAIN)},
        {"word": 16}, {**LIBOMP, **LIBC_SO})
    made.thread(1, KMP_START + "+128", KMP_START + "+96", "__kmpc_fork_teams+96", ("main", 1),
                sleep=made.sleep("word"))
    made.thread(2, "nanosleep+128", (OUTLINED, 0), "__kmp_invoke_microtask+96", KMP_START + "+96",
                *OUTER, sleep=interface.Sleep(0, 0, True, True))
    return made, {
        "runtimes": [query.RuntimeFacts(0, "libomp", "no_hooks", 2, None, None, "/lib/libomp.so.5")],
        "threads": {"t%d" % at: {"lwp": 100 + at, "state": ("work_serial",), "number": 0,
                                 "runtime_of": 0, "task": "i%d" % at}
                    for at in (1, 2)},
        "regions": {}, "tasks": {"i%d" % at: {"kind": "initial", "level": 0} for at in (1, 2)}}


def vendor():
    """A library of another vendor: states of all, one by one, and no more."""
    made, known = clang()
    known.update(bulk=False, recorded=True, locks=[], barriers=[])
    for row in known["threads"].values():
        row.pop("barrier", None)
    return made, known


def crowd():
    """Three at one barrier, alike, and the fourth at the end, which do not match; two runtimes."""
    made = heat()
    made.thread(1, "GOMP_parallel+128", ("main", 1), sleep=made.sleep("team+4", 8))
    for number in (2, 3, 4):
        made.thread(number, "GOMP_barrier+128", (JOB, 3), *WORKER, sleep=made.sleep("team+4", 8))
    words = query.Futexes(made.objects["team"] + 4, made.objects["pool"] + 4, 0)
    known = {
        "has_several_runtimes": True, "runtimes": [
            query.RuntimeFacts(0, "libgomp", "off", 4, 13, 13, "/lib/libgomp.so.1"),
            query.RuntimeFacts(1, "libgomp", "off", 4, 13, 13, "")],
        "threads": {"t%d" % at: {"lwp": 100 + at, "state": ("work_parallel",), "number": at - 1,
                                 "region": "A", "task": "a", "futexes": words,
                                 "runtime_of": at % 2} for at in range(1, 5)},
        "regions": {"A": {"size": 4, "function": made.symbols[JOB], "master": "t1",
                          "team": ["t1", "t2", "t3", "t4"]}},
        "tasks": {"a": {"kind": "implicit", "level": 1, "function": made.symbols[JOB],
                        "region": "A"}},
        "barriers": [query.BarrierFacts("A", 4, 4, 3, "wait_barrier", "within", None),
                     query.BarrierFacts("A", 4, 4, 1, "wait_barrier_implicit", "end", None)]}
    return made, known


CASES = tuple(case.__name__ for case in (
    crowd, libc, python, unprepared, recorded, ordered, idle_share, lost,
    called_back, ending, alone, clang, beside, league, vendor))
IN_VAIN = ("unprepared", "recorded", "ordered", "clang", "ending")
