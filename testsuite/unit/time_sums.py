#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums over made-up samples of threads, and what "ompd top" says of them, without a process: of what is
costly one sentence, of all else none."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis import time_sums  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis.time_samples import BARRIER, CALL, Construct, IDLE, LOCK, OUTSIDE, RUNTIME, Sample, SERIAL, ThreadSample, UNKNOWN, WORK  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.report import time_table  # noqa: E402  pylint: disable=wrong-import-position

LOOP = Construct("parallel for", "flux", "flux.c", 88)
END = Construct("for", "flux", "flux.c", 88)
SUM = Construct("critical (sum)", "add", "sum.c", 12, True)
SOME = Construct("critical", "add", "sum.c", 12, True, False)  # not known which
TREE = Construct("lock tree", "put", "tree.c", 5, True)
ALONE = Construct(SERIAL, "main", "heat.c", 3)
NOWHERE = Construct("")
TAP = Tap()


def works(where=LOOP, team=1):
    return WORK, where, team, False


def waits(where=END):
    return BARRIER, where, 1, False


def wants(where=SUM, has_holder=False):
    return LOCK, where, 1, has_holder


IDLES = IDLE, NOWHERE, 0, False
SEES_NOTHING = UNKNOWN, NOWHERE, 0, False
HELPS = OUTSIDE, NOWHERE, 0, False
ENTERS = RUNTIME, NOWHERE, 1, False


def sums(*samples, times=40, had=(1.0, 1.0, 1.0, 1.0), could=(1.0, 1.0, 1.0, 1.0)):
    """Of SAMPLES so many TIMES, each one second after another. A thread HAD a processor for such a share
    of the time in which it COULD run."""
    found = time_sums.Sums()
    for at in range(times):
        threads = [ThreadSample(
            lwp + 1, "%d/%d" % (lwp, len(had)) if one[2] else "", one[0], one[1], one[2], 4, False, one[3],
            at * had[lwp] * could[lwp], at * (1 - had[lwp]) * could[lwp])
            for lwp, one in enumerate(samples[at % len(samples)])]
        found.add(Sample(float(at), 0.0, 0.0, 4.0, threads))
    return found


SLOW = [works(), waits(), waits(), waits()], [works()] * 4
# What it is, its samples, more for sums(), the sentences.
TABLE = (
    ("one thread has more to do", SLOW, {},
     ["parallel for at flux.c:88: the others wait 19.5 of 39.0 s, 100 % of that for thread 1 (0/4), which "
      "has 40 % of the work there."]),
    ("by records, which have the work by regions", (
        [works(Construct("parallel", "flux", "flux.c", 80)), waits(), waits(), waits()], [
            works(Construct("parallel", "flux", "flux.c", 80))] * 4), {},
     ["for at flux.c:88: the others wait 19.5 of 39.0 s, 100 % of that for thread 1 (0/4)."]),
    ("few samples", SLOW, {"times": 29}, []),
    ("it is let run less, by others", SLOW, {"had": (0.3, 1, 1, 1)}, []),
    ("all have the same", ([works()] * 4, [works()] * 4, [works()] * 4, [waits()] * 4), {}, []),
    ("one waits elsewhere", ([wants(), waits(), waits(), waits()],), {}, [
        "Threads wait 9.8 of 39.0 s for critical (sum) at sum.c:12."]),
    ("all have arrived", ([waits()] * 4,), {}, []),
    ("a critical section", ([works(SUM), wants(), works(), works()], [works()] * 4), {},
     ["critical (sum) at sum.c:12 is held 50 % of the time; threads wait 4.9 of 39.0 s for it."]),
    ("of which it is known at times which one it is",
     ([works(SUM), wants(), works(), works()], [works(SUM), wants(SOME), wants(SOME), works()]), {},
     ["critical (sum) at sum.c:12 is held 100 % of the time; threads wait 14.6 of 39.0 s for it."]),
    ("which is free where a waiter has yet to run",
     ([works(SUM), wants(), works(), works()], [wants(), works(), works(), works()]), {},
     ["critical (sum) at sum.c:12 is held 50 to 100 % of the time; threads wait 9.8 of 39.0 s for it."]),
    ("nobody waits for it", ([works(SUM), works(), works(), works()],), {}, []),
    ("it is hardly ever held", ([works(SUM), wants(), works(), works()], *[[works()] * 4] * 4), {}, []),
    ("a lock of which it is not known who has it", ([wants(TREE), wants(TREE), works(), works()],), {},
     ["Threads wait 19.5 of 39.0 s for lock tree at tree.c:5."]),
    ("whose holder is known", ([wants(TREE, True), wants(TREE, True), works(), works()],), {},
     ["lock tree at tree.c:5 is held 100 % of the time; threads wait 19.5 of 39.0 s for it."]),
    ("one thread works", ([works(ALONE, 0), IDLES, IDLES, IDLES],), {},
     ["100 % of the time one of 4 threads works, outside a region: main ()."]),
    ("in many functions", ([works(ALONE, 0), IDLES, IDLES, IDLES], [
        works(ALONE._replace(line=0, function="step"), 0), IDLES, IDLES, IDLES], [ENTERS] * 4), {},
     ["68 % of the time one of 4 threads works, outside a region."]),
    ("it sleeps in a call", ([(CALL, ALONE, 0, False), IDLES, IDLES, IDLES],), {}, []),
    ("beside a thread that is none of OpenMP's", ([works(ALONE, 0), HELPS, HELPS, HELPS],), {}, []),
    ("within a region", ([works(LOOP, 0), *[works()] * 3],), {}, []),
    ("more threads than processors", ([works()] * 5,), {"had": [0.75] * 5, "could": [1.0] * 5},
     ["5 threads share 4 processors: 25 % of the time runnable and not running."]),
    ("others use them", ([works()] * 4,), {"had": [0.5] * 4},
     ["4 threads on 4 processors, which others use, too: 50 % of the time runnable and not running."]),
    ("of threads that hardly run", ([works()] * 4,), {"had": (0.5, 1, 1, 1), "could": (0.05, 1, 1, 1)}, []),
    ("nothing is seen", ([SEES_NOTHING] * 4,), {}, []))


def table():
    for name, samples, more, wanted in TABLE:
        TAP.equal(time_table.sentences(sums(*samples, **more)), wanted, name)


def numbers():
    found = sums(*SLOW)
    row, = found.by_waits()
    TAP.equal([found.share(row.waits), found.share(row.works), sum(found.kinds.values()),
               row.construct.words], [0.375, 0.625, 160, "parallel for"], "shares of the threads' time")
    facts = time_table.facts(found, None, 7)
    TAP.equal([facts["constructs"][0]["late"], facts["constructs"][0]["held"], facts["findings"][0]["id"]],
              [{"1": 1.0}, None, "uneven"], "for programs")
    found = sums([HELPS] * 4)
    TAP.equal([found.known, found.by_work(), time_table.screen(found, None, 7)],
              [0, [], ["Nothing has been seen of process 7 yet."]], "threads that are none of OpenMP's")
    many = time_sums.Sums()
    for at in range(5000):
        many.add(Sample(float(at), 0.0, 0.0, None, [ThreadSample(
            1, "", WORK, Construct("for", "f", "f.c", at + 1))]))
        if at == 99:
            TAP.equal(len(time_table.screen(many, "/home/me/heat", 7, most=20)), 20, "as many lines as are wanted")
    TAP.equal(len(many.rows), 1024, "as many rows as there is memory for")


def crafted():
    """What comes from the process that parses may be anything."""
    good = [1.0, 0.0, 0.0, None, [[1, "0/2", WORK, list(LOOP), 1, 2, False, False, None, 0.5]]]
    TAP.equal(time_sums.sample(good).threads[0].construct, LOOP, "a sample as JSON has it")
    wrong = [None, [], good[:4], [float("nan"), *good[1:]], [10 ** 400, *good[1:]], [*good[:3], float("inf"), good[4]],
             [*good[:4], [[float("inf"), *good[4][0][1:]]]], [*good[:4], 7], ["x", *good[1:]], [*good[:4], [[1]]],
             [*good[:4], [[*good[4][0][:2], "eats", *good[4][0][3:]]]],
             [*good[:4], [[*good[4][0][:3], [1], *good[4][0][4:]]]]]
    passed = []
    for one in wrong:
        try:
            passed.append(time_sums.sample(one))
        except (TypeError, ValueError, LookupError, ArithmeticError):
            pass
    TAP.equal(passed, [], "what is none")


table()
numbers()
crafted()
TAP.end()
