#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The checks of "ompd doctor" over tables of facts, the limits of control groups over made-up
ones, and what ELF files need over real and crafted ones; without gdb."""

import io
import itertools
import math
import os
import random
import resource
import struct
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core import control_groups, cpu_quota, elf_symbols, frame_size, thread_limits  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core.elf_symbols import Body, NeededSymbols  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.model.checkup import CORE, Devices, Facts, Mapped, NEXT_RUN, NO_LIMIT, Orders, Pools, Runtime, StackUse, Team, Waiting  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core.thread_limits import Limit  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.bindings.query import OrderFacts  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis import checks, lock_orders  # noqa: E402  pylint: disable=wrong-import-position

FOUND, PASSED, UNKNOWN = checks.FOUND, checks.PASSED, checks.UNKNOWN


def image(*undefined, lines=True, symbols=True):
    return NeededSymbols(("libgomp.so.1",), frozenset(undefined), symbols, lines)


def masks(*sets):
    return {lwp: frozenset(some) for lwp, some in enumerate(sets, 1)}


def team(size, **more):
    known = dict(nthreads=size, thread_limit=NO_LIMIT, dynamic=0, max_active_levels=1, gone=0)
    return Team(size, frozenset(range(1, size + 1)), **{**known, **more})


EIGHT = frozenset(range(8))
PROGRAM = {"/home/me/heat": image("GOMP_parallel", "omp_get_thread_num")}
# A process of four threads on eight processors, with which nothing is wrong.
WELL = Facts(
    runtimes=(Runtime("libgomp.so.1", 4, ("heat",)),), teams=(team(4),),
    icvs={"bind-var": "false", "cancel-var": "false", "nthreads-var": "4"}, settings={},
    masks=masks(*[EIGHT] * 4), machine=8, quota=math.inf, images=PROGRAM,
    stacks=(StackUse(2, 4096, 1 << 20),), forked=False, threads=4, hooks="no_hooks",
    limits=(Limit("pids.max", 100, 96, "/a"), Limit("ulimit -v", 1 << 30, 1 << 29)))
BEFORE = Facts(of=NEXT_RUN, settings={}, masks={0: EIGHT}, machine=8, quota=math.inf,
               images=PROGRAM)
ONE = masks(*[{3}] * 4)
MPI = {"/home/me/ring": image("GOMP_parallel", "MPI_Init")}
LARGE = {"/home/me/heat": PROGRAM["/home/me/heat"]._replace(body=Body("main", 3 << 20))}
TARGETS = {"/home/me/heat": image("GOMP_target_ext")}
CANCELS = {"/home/me/heat": image("GOMP_parallel", "GOMP_cancel")}

# What differs, the check, what is said: outcome, value, limit.
TABLE = (
    ("two runtimes", {"runtimes": (Runtime("libgomp.so.1", 2), Runtime("libomp.so.5", 4))},
     "two-runtimes", FOUND, 2, 1),
    ("more threads than processors", {"masks": masks(*[{0, 1}] * 4)}, "oversubscribed", FOUND, 4,
     2),
    ("a quota", {"quota": 1.5}, "oversubscribed", FOUND, 4, 2),
    ("a setting that is none", {"settings": {"OMP_NUM_THREADS": "abc", "OMP_DYNAMIC": "true"},
                                "families": ("gomp",)}, "ignored-settings", FOUND, 1, 0),
    ("settings that are", {"settings": {"OMP_NUM_THREADS": "4"}}, "ignored-settings", PASSED, None,
     None),
    ("settings that cannot be read", {"settings": None}, "ignored-settings", UNKNOWN, None, None),
    ("a quota of all", {"quota": 4.0}, "oversubscribed", PASSED, 4, 4),
    ("the quota is not known", {"quota": None}, "oversubscribed", UNKNOWN, None, None),
    ("too many whatever the quota is", {"quota": None, "masks": masks(*[{0}] * 4)},
     "oversubscribed", FOUND, 4, 1),
    ("a core", {"of": CORE, "masks": None, "quota": None}, "oversubscribed", UNKNOWN, None, None),
    ("a core that was recorded", {"of": CORE, "masks": None, "quota": None,
                                  "icvs": {"num-procs-var": "2"}}, "oversubscribed", FOUND, 4, 2),
    ("the next region", {"teams": (), "icvs": {"nthreads-var": "16"}}, "oversubscribed", FOUND,
     16, 8),
    ("the first of a list", {"teams": (), "icvs": {"nthreads-var": "2,16"}}, "oversubscribed",
     PASSED, 2, 8),
    # The initial thread is bound to its place before the first region.
    ("a mask of the runtime's", {"teams": (), "masks": masks({0}), "icvs": {
        "nthreads-var": "8", "bind-var": "close"}}, "oversubscribed", UNKNOWN, None, None),
    ("the runtime cannot be read", {"teams": None}, "oversubscribed", UNKNOWN, None, None),
    ("spinning on one's own processor", {"settings": {"OMP_WAIT_POLICY": "active"}},
     "busy-waiting", PASSED, "OMP_WAIT_POLICY=active", None),
    ("spinning on another's", {"settings": {"OMP_WAIT_POLICY": "ACTIVE"}, "quota": 2.0},
     "busy-waiting", FOUND, "OMP_WAIT_POLICY=active", None),
    ("what the runtime says counts", {"settings": {"OMP_WAIT_POLICY": "active"}, "quota": 2.0,
                                      "icvs": {"wait-policy-var": "passive"}}, "busy-waiting",
     PASSED, None, None),
    ("rounds of spinning", {"settings": {"GOMP_SPINCOUNT": "30 G"}, "quota": 2.0}, "busy-waiting",
     FOUND, "GOMP_SPINCOUNT=30 G", None),
    ("few rounds", {"settings": {"GOMP_SPINCOUNT": "30k"}, "quota": 2.0}, "busy-waiting", PASSED,
     None, None),
    ("threads that sleep for all that", {"settings": {"OMP_WAIT_POLICY": "active"}, "quota": 2.0,
                                         "waiting": Waiting(3, 0, False)}, "busy-waiting", PASSED,
     "OMP_WAIT_POLICY=active", None),
    ("some that spin while one works", {
        "settings": {"OMP_WAIT_POLICY": "active"}, "waiting": Waiting(0, 3, False)}, "busy-waiting",
     PASSED, "OMP_WAIT_POLICY=active", None),
    ("some that spin while nobody works", {
        "settings": {"OMP_WAIT_POLICY": "active"}, "waiting": Waiting(0, 3, True)}, "busy-waiting",
     FOUND, "OMP_WAIT_POLICY=active", 3),
    ("all that spin, without a setting", {"waiting": Waiting(0, 3, True)}, "busy-waiting", PASSED,
     None, None),
    ("four teams at once", {"teams": tuple(team(2)._replace(threads=frozenset((n, 9 - n)))
                                          for n in (1, 2, 3, 4)), "masks": masks(*[{0, 1}] * 8)},
     "oversubscribed", FOUND, 8, 2),
    ("pools of four", {"teams": (), "masks": masks(*[{0, 1}] * 8), "pools": Pools(
        4, 4, frozenset(range(1, 9)))}, "oversubscribed", FOUND, 8, 2),
    ("of one", {"teams": (), "masks": masks(*[{0, 1}] * 8), "icvs": {"nthreads-var": "2"},
                "pools": Pools(1, 7, frozenset(range(1, 9)))}, "oversubscribed", PASSED, 2, 2),
    ("of few", {"teams": (), "pools": Pools(2, 2, frozenset(range(1, 5)))}, "oversubscribed", PASSED, 4, 8),
    ("bound threads outside of regions", {
        "teams": (), "icvs": {"nthreads-var": "2", "bind-var": "close"}, "masks": masks({0}, {1}),
        "machine": 2}, "oversubscribed", PASSED, 2, 2),
    ("no environment", {"settings": None}, "busy-waiting", UNKNOWN, None, None),
    ("all on one processor", {"masks": ONE}, "affinity", FOUND, 1, 8),
    ("there is but one", {"masks": ONE, "machine": 1}, "affinity", PASSED, None, None),
    ("two on one processor", {"masks": masks({0}, {0}, {1}, {2}, EIGHT)}, "affinity", FOUND, 2, 1),
    ("two of the program's beside them", {"masks": masks({0}, {1}, {0}, {0}, {2}),
                                          "others": frozenset((3, 4))}, "affinity", FOUND, 3, 1),
    ("which sleep", {"masks": masks({0}, {1}, {0}, {0}, {2})}, "affinity", PASSED, None, None),
    ("one of the program's on its own", {"masks": masks({0}, {1}, {2}, {3}, {4}),
                                         "others": frozenset((5,))}, "affinity", PASSED, None, None),
    ("each on its own", {"masks": masks({0}, {1}, {2}, {3})}, "affinity", PASSED, None, None),
    ("a core's masks", {"of": CORE, "masks": None}, "affinity", UNKNOWN, None, None),
    ("nested", {"teams": (team(4), *[team(4, active_around=1)] * 4)}, "nested", FOUND, 16, 8),
    ("nested, and room", {"teams": (team(2), *[team(2, active_around=1)] * 2)}, "nested", PASSED,
     4, 8),
    ("by the limit", {"teams": (team(2, nthreads=8, requested=8, shortfall="limit"),)},
     "smaller-team", FOUND, 2, 8),
    ("as many as asked for", {"teams": (team(2, nthreads=8, requested=2, shortfall="none"),)},
     "smaller-team", PASSED, None, None),
    ("a clause may have asked for fewer", {"teams": (team(2, nthreads=8),)}, "smaller-team",
     PASSED, None, None),
    ("by a clause in the source", {"teams": (team(2, clause=6),)}, "smaller-team", FOUND, 2, 6),
    ("a clause in the source asks for as few", {
        "teams": (team(2, thread_limit=2, nthreads=8, clause=2),)}, "smaller-team", PASSED, None, None),
    ("nobody knows what was asked for", {"teams": (team(4, thread_limit=4),)}, "smaller-team",
     UNKNOWN, None, None),
    ("fewer than the limit", {"teams": (team(2, thread_limit=8, nthreads=4),)}, "smaller-team",
     UNKNOWN, None, None),
    ("fewer than nthreads-var, dynamic, and no clause",
     {"teams": (team(2, dynamic=1, nthreads=4, clause=0),)}, "smaller-team", FOUND, 2, 4),
    ("fewer, and dynamic", {"teams": (team(2, dynamic=1, nthreads=4),)}, "smaller-team",
     UNKNOWN, None, None),
    ("as many as the limit", {"teams": (team(4, thread_limit=4, nthreads=8),)}, "smaller-team",
     FOUND, 4, 8),
    ("a stack almost full", {"stacks": (StackUse(2, 10, 100), StackUse(3, 80, 100))}, "stack", FOUND,
     80, 100),
    ("no stack", {"stacks": ()}, "stack", UNKNOWN, None, None),
    ("a region that needs more", {"images": LARGE}, "stack", FOUND, 3 << 20, 1 << 20),
    ("or less", {"images": LARGE, "stacks": (StackUse(2, 4096, 8 << 20),)}, "stack", PASSED, 4096,
     8 << 20),
    ("or nobody knows", {"images": LARGE, "stacks": ()}, "stack", UNKNOWN, None, None),
    ("a child of fork", {"teams": (team(4, gone=3, unbegun=3),), "forked": True}, "fork", FOUND, 3,
     0),
    ("no child of fork", {"teams": (team(4, gone=3, unbegun=3),)}, "fork", PASSED, None, None),
    ("forked inside a region", {"teams": (team(4, gone=3, unbegun=0),), "forked": True,
                                "threads": 1}, "fork", FOUND, 3, 0),
    ("members that have ended", {"teams": (team(4, gone=3, unbegun=0),), "forked": False,
                                 "threads": 1}, "fork", PASSED, None, None),
    ("a child of fork in no region", {"teams": (), "forked": True, "threads": 1}, "fork", UNKNOWN,
     None, None),
    ("a core of one thread", {"of": CORE, "forked": None, "threads": 1}, "fork", UNKNOWN, None,
     None),
    ("cancellation is off", {"images": CANCELS}, "cancellation", FOUND, "false", "true"),
    ("cancellation is on", {"images": CANCELS, "icvs": {"cancel-var": "true"}}, "cancellation",
     PASSED, None, None),
    ("a static program", {"images": {"/p": image()}}, "cancellation", UNKNOWN, None, None),
    ("no -g", {"images": {"/p": image("GOMP_parallel", lines=False), "/q": image("GOMP_task")}},
     "debug-info", FOUND, 1, 0),
    ("of a library that has no OpenMP", {"images": {**PROGRAM, "/q": image("f", lines=False)}},
     "debug-info", PASSED, None, None),
    ("cannot be read", {"unread": "It is new."}, "debug-info", FOUND, "It is new.", None),
    ("off", {"hooks": "off"}, "not-recording", FOUND, "not set", "on"),
    ("set to off", {"hooks": "off", "settings": {"OMP_OMPD": "off"}}, "not-recording", FOUND,
     "off", "on"),
    ("recorded", {"hooks": "yes"}, "not-recording", PASSED, None, None),
    ("MPI_Init", {"images": MPI}, "mpi-threads", FOUND, 0, 1),
    ("more was granted", {"images": MPI, "mpi_level": 1}, "mpi-threads", PASSED, None, None),
    ("MPI_Init_thread", {"images": {"/p": image("MPI_Init_thread", "GOMP_parallel")}},
     "mpi-threads", UNKNOWN, None, None),
    ("more than a group allows", {"icvs": {"nthreads-var": "9"}}, "thread-limit", FOUND, 5, 4),
    ("as many as it allows", {"icvs": {"nthreads-var": "8"}}, "thread-limit", PASSED, None, None),
    ("large stacks", {"icvs": {"nthreads-var": "8"}, "settings": {"OMP_STACKSIZE": "200M"}},
     "thread-limit", FOUND, 4, 2),
    ("no cycle of locks", {"orders": Orders((), True)}, "lock-orders", PASSED, None, None),
    ("a cycle of locks", {"orders": Orders(("b with a held, a with b held",), False)}, "lock-orders",
     FOUND, 1, 0),
    ("orders that were not kept", {"orders": Orders((), False)}, "lock-orders", UNKNOWN, None, None),
    ("orders of LLVM's runtime", {"orders": Orders((), True), "families": ("kmp",)}, "lock-orders",
     UNKNOWN, None, None),
    ("no device", {"images": TARGETS, "devices": Devices(0, None, True)}, "devices", FOUND, 0, 1),
    ("none is wanted", {"images": TARGETS, "devices": Devices(0, None, True),
                        "settings": {"OMP_TARGET_OFFLOAD": "DISABLED"}}, "devices", PASSED, None, None),
    ("a default device that there is", {"images": TARGETS, "devices": Devices(2, None, True),
                                        "icvs": {"default-device-var": "1"}}, "devices", PASSED, None, None),
    ("the host", {"images": TARGETS, "devices": Devices(2, None, True),
                  "settings": {"OMP_DEFAULT_DEVICE": "2"}}, "devices", PASSED, None, None),
    ("one that there is not", {"images": TARGETS, "devices": Devices(2, None, True),
                               "settings": {"OMP_DEFAULT_DEVICE": "3"}}, "devices", FOUND, 3, 2),
    ("nobody knows whether one is wanted", {"images": TARGETS, "devices": Devices(0, None, True),
                                            "settings": None}, "devices", UNKNOWN, None, None),
    ("mapped often", {"images": TARGETS, "devices": Devices(1, Mapped("a", 0, 100), False)}, "mapped-again",
     FOUND, 100, 100),
    ("by many threads", {"images": TARGETS, "devices": Devices(1, Mapped("a", 0, 111), True), "threads": 7},
     "mapped-again", PASSED, None, None),
    ("more may be mapped", {"images": TARGETS, "devices": Devices(1, Mapped("a", 0, 99), False)},
     "mapped-again", UNKNOWN, None, None),
    ("no limits", {"icvs": {"nthreads-var": "9"}, "limits": ()}, "thread-limit", PASSED, None, None),
    ("a core's limits", {"of": CORE, "limits": None}, "thread-limit", UNKNOWN, None, None),
    ("the program cannot be read", {"images": {"/p": None}}, "mpi-threads", UNKNOWN, None, None),
)
NEXT = (
    ("threads", {"settings": {"OMP_NUM_THREADS": "16"}}, "oversubscribed", FOUND, 16, 8),
    ("as many as processors", {}, "oversubscribed", PASSED, 8, 8),
    ("of which the quota grants two", {"quota": 2.0}, "oversubscribed", FOUND, 8, 2),
    ("a limit", {"settings": {"OMP_NUM_THREADS": "8", "OMP_THREAD_LIMIT": "4"}}, "smaller-team",
     FOUND, 4, 8),
    ("as many threads as there may be", {"settings": {"OMP_NUM_THREADS": "8"}, "limits": (
        Limit("ulimit -v", 64 << 20, 0),), "stack_limit": 8 << 20}, "thread-limit", PASSED, None, None),
    ("or more", {"settings": {"OMP_NUM_THREADS": "8", "OMP_STACKSIZE": "16M"}, "limits": (
        Limit("ulimit -v", 64 << 20, 0),)}, "thread-limit", FOUND, 7, 4),
    ("hooks by hand", {"settings": {"LD_PRELOAD": "/x/libompd-hooks.so"}}, "not-recording", FOUND,
     "not set", "on"),
    ("flight recorders", {"settings": {"LD_PRELOAD": "/x/libompd-hooks.so", "OMP_OMPD": "history"}},
     "not-recording", PASSED, None, None),
    ("libraries", {}, "two-runtimes", UNKNOWN, None, None),
    ("cancellation", {"images": CANCELS}, "cancellation", FOUND, "false", "true"),
)

tap = Tap()
tap.equal([(check.number, check.outcome) for check in checks.all_checks(WELL)],
          [(number, PASSED) for number in range(1, 15)], "a program that is well: all pass")
for base, table, before in ((WELL, TABLE, ""), (BEFORE, NEXT, "before run: ")):
    for name, changes, about, *wanted in table:
        check = next(one for one in checks.all_checks(base._replace(**changes))
                     if one.id == about)
        tap.equal([check.outcome, check.value, check.limit], wanted,
                  "%s%s: %s is %s" % (before, name, about, wanted[0]))
# What is not known makes nothing pass, and nothing fail that did not.
silent = {name: value for name, value in Facts._field_defaults.items() if name != "of"} \
    if hasattr(Facts, "_field_defaults") else {}
for name, value in silent.items():
    less = checks.all_checks(WELL._replace(**{name: value}))
    tap.equal([one.id for one in less if one.outcome == FOUND], [],
              "without %s nothing is found" % name)
tap.equal({one.outcome for one in checks.all_checks(Facts())}, {UNKNOWN},
          "of nothing nothing is known")


# Orders of locks: path, and who has met it, as thread and barrier.
CYCLES = (
    ("two", {"ab": ("1",), "ba": ("2",)}, ["ab ba"]),
    ("one order", {"ab": ("1", "2")}, []),
    ("one thread", {"ab": ("1",), "ba": ("1",)}, []),
    ("either thread", {"ab": ("1", "2"), "ba": ("1",)}, ["ab ba"]),
    ("after a barrier", {"ab": ("1", "2"), "ba": ("2/1", "1/1")}, []),
    ("after the same one", {"ab": ("1/1",), "ba": ("1", "2/1")}, ["ab ba"]),
    ("a guard around", {"gab": ("1",), "gba": ("2",)}, []),
    ("a guard between", {"agb": ("1",), "bga": ("2",)}, []),
    ("a guard in one of them", {"gab": ("1",), "ba": ("2",)}, ["ab ba"]),
    ("three", {"ab": ("1",), "bc": ("2",), "ca": ("3",)}, ["ab bc ca"]),
    ("three, of which two are one thread's", {"ab": ("1",), "bc": ("2",), "ca": ("1",)}, []),
    ("three, two guarded", {"gab": ("1",), "bc": ("2",), "gca": ("3",)}, []),
    ("five", {"ab": "1", "bc": "2", "cd": "3", "de": "4", "ea": "5"}, []),
    ("a parent that is missing", {"ab": ("1",), "-ba": ("2",)}, []),
)


def order_rows(paths):
    """OrderFacts of a row of CYCLES."""
    ids, rows = {}, []
    for path, met in paths.items():
        for end in range(1, len(path) + 1):
            number = ids.setdefault(path[:end], len(ids) + 1)
            row = OrderFacts(number, ids.get(path[:end - 1], 0), ord(path[end - 1]), 0, 0, 0, 0, 0, "simple")
            rows += [row] * (path[end - 1] != "-")
        rows += [row._replace(thread=int(one[0]), region=7, barrier=int(one[2:] or 0)) for one in met]
    return rows


for name, paths, wanted in CYCLES:
    found = lock_orders.cycles(order_rows(paths)).found
    tap.equal([" ".join(sorted(chr(one.held.lock) + chr(one.wanted.lock) for one in cycle))
               for cycle in found], wanted, "orders of locks: " + name)
MANY = {a + b: tuple("123456789") for a in "abcdefghijklmnop" for b in "abcdefghijklmnop" if a != b}
tap.equal(lock_orders.cycles(order_rows(MANY)).is_all, False, "orders of locks: the search has an end")


# Control groups

def of_groups(ask, files, groups):
    """What is said to ASK with these FILES below /sys/fs/cgroup, and the text of /proc/PID/cgroup."""
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in files.items():
            path = os.path.join(scratch, "fs", path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as stream:
                stream.write(text)
        os.makedirs(os.path.join(scratch, "proc/7"))
        if groups is not None:
            with open(os.path.join(scratch, "proc/7/cgroup"), "w", encoding="ascii") as stream:
                stream.write(groups)
        return ask(7, os.path.join(scratch, "proc"), os.path.join(scratch, "fs"))


V2 = {"cgroup.controllers": "cpu memory\n"}
CASES = (
    ("two of its own", {**V2, "a/cpu.max": "200000 100000\n"}, "0::/a\n", 2.0),
    ("one of the group above", {**V2, "a/cpu.max": "50000 100000\n", "a/b/cpu.max": "max 100000\n"},
     "0::/a/b\n", 0.5),
    ("none", {**V2, "a/cpu.max": "max 100000\n"}, "0::/a\n", math.inf),
    ("in a namespace", {**V2, "cpu.max": "300000 100000\n"}, "0::/\n", 3.0),
    ("out of sight", V2, "0::/../x\n", None),
    ("not there", V2, "0::/gone\n", None),
    ("nonsense", {**V2, "a/cpu.max": "lots\n"}, "0::/a\n", None),
    ("negative", {**V2, "a/cpu.max": "-7 100000\n"}, "0::/a\n", None),
    ("version 1", {"cpu,cpuacct/a/cpu.cfs_quota_us": "150000\n",
                   "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"}, "3:cpu,cpuacct:/a\n0::/\n", 1.5),
    ("version 1, none", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"},
     "3:cpu:/a\n", math.inf),
    ("no groups in this kernel", {}, None, math.inf),
    ("a file of another kind", V2, "hello", None),
)
for name, files, groups, wanted in CASES:
    tap.equal(of_groups(cpu_quota.of_process, files, groups), wanted, "control groups: " + name)

for name, files, groups, wanted in (
        ("version 2, and above", {**V2, "a/b/pids.max": "max\n", "a/b/pids.current": "3\n",
                                  "a/pids.max": "100\n", "a/pids.current": "98\n"}, "0::/a/b\n",
         [Limit("pids.max", 100, 98, "/a")]),
        ("version 1", {"pids/a/pids.max": "7\n", "pids/a/pids.current": "7\n"}, "8:pids:/a\n",
         [Limit("pids.max", 7, 7, "/a")]),
        ("none", {}, "0::/\n", [])):
    tap.equal(of_groups(thread_limits.of_groups, files, groups), wanted,
              "threads of control groups: " + name)
tap.equal({thread_limits.SPACE, thread_limits.MACHINE} - {
    one.name for one in thread_limits.of_process(os.getpid())},
          {thread_limits.SPACE} if (resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY) else set(),
          "threads of this process")

FROZEN = (
    ("version 1, the group above", {"freezer/a/freezer.self_freezing": "1\n",
                                    "freezer/a/b/freezer.self_freezing": "0\n"},
     "9:freezer:/a/b\n1:name=systemd:/\n", "/a"),
    ("version 2", {**V2, "a/cgroup.freeze": "1\n"}, "0::/a\n", "/a"),
    ("none", {**V2, "a/cgroup.freeze": "0\n"}, "0::/a\n", None),
    ("out of sight", V2, "0::/../x\n", None),
    ("no such process", V2, None, None),
)
for name, files, groups, wanted in FROZEN:
    tap.equal(of_groups(control_groups.frozen_by, files, groups), wanted, "frozen: " + name)


# ELF files

with open(sys.executable, "rb") as stream:
    own = elf_symbols.read(stream)
for allowed, words in (({3}, ("as its parent sh",)), ({2, 3}, ("unlike its parent sh",)), ({4}, ())):
    facts = WELL._replace(masks=ONE, parent=("sh", frozenset(allowed)))
    tap.equal(next(one.names for one in checks.all_checks(facts) if one.id == "affinity"), ("3", *words),
              "one processor, where the parent may use %s" % allowed)
tap.ok(any(name.startswith("libc.so") for name in own.needed) and own.undefined,
       "what Python needs", own.needed)
program = os.path.join(os.environ["stage"], "bin/ompd-run")
with open(program, "rb") as stream:
    data = stream.read()
whole = elf_symbols.read(io.BytesIO(data))
tap.ok(whole.has_lines and whole.has_symbols and not
       any(name.startswith("GOMP_") for name in whole.undefined), "what ompd-run is", whole)


def refused(data):
    try:
        elf_symbols.largest(io.BytesIO(data.replace(b"GLIBC_", b"omp_XX")), lambda name: True)
        elf_symbols.read(io.BytesIO(data))
    except ValueError:
        return True
    return False


PUSHES = bytes.fromhex("4157 4156 4155 4154 55 53")
for name, code, wanted in (
        ("at once", PUSHES + bytes.fromhex("4881ec286c1800 e800000000"), 0x186C28),
        ("in pages", bytes.fromhex("55 4889e5 53 4c8d9c2400a0e7ff 4881ec00100000 48830c2400 4c39dc"
                                   "75ef 4881ec380c0000"), 0x186000 + 0xC38),
        ("little", bytes.fromhex("4883ec18"), 0x18), ("nothing", PUSHES, None),
        ("less than nothing", bytes.fromhex("4881ec000000ff 4883ec80"), None),
        ("cut short", bytes.fromhex("4881ec2800"), None), ("no code", b"", None)):
    tap.equal(frame_size.of_prologue(code), wanted, "a function that takes of the stack " + name)
tap.equal(elf_symbols.largest(io.BytesIO(data), lambda name: True), None, "no bodies, no frames")

chance = random.Random(1)
tap.ok(all(map(refused, (b"", b"\x7fELF", data[:64], data[:-40]))), "what is cut short is refused")
start = struct.unpack_from("<Q", data, 40)[0]
for _ in itertools.repeat(None, 2000):
    spoilt = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.choice((chance.randrange(16, 64), chance.randrange(start, len(data)) % len(data)))
        spoilt[at] = chance.randrange(256)
    refused(bytes(spoilt))  # raises nothing else
tap.ok(True, "2000 spoilt ones raise ValueError at most")
tap.end()
