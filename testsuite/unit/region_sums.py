#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums of places, made up, and what is said of them: of what costs most one finding, of healthy twins none."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.bindings import abi5  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.bindings.query import SumFacts  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis.region_sums import Sums  # noqa: E402  pylint: disable=wrong-import-position

SECOND = 1000000000
TAP = Tap()


def one(kind, number, times, time=0.0, waited=0.0, longest=0.0, contended=0, typical=0.0, place=0x10,
        region=0, thing=0, several=False, holder=0):
    """Times are seconds, those of None unknown."""
    def in_ns(seconds):
        return None if seconds is None else int(seconds * SECOND)
    return SumFacts(abi5.SUM_KIND["mutex"] + kind if isinstance(kind, int) else abi5.SUM_KIND[kind], number,
                    times, in_ns(time), in_ns(waited), in_ns(longest), contended, in_ns(typical), place,
                    region, thing, several, holder)


TEN = one("threads", 0, 2, 5.0, 15.0, place=0)  # from second 5 to second 15


def team(works, typical=None, times=100, length=8.0, late=0.0):
    """A region that has run so many TIMES, with what its members have worked, and do as a rule."""
    ended = [one("member", number, times, work, late, contended=int((work) * SECOND),
                 typical=(typical or works)[number] / times) for number, work in enumerate(works)]
    size = len(works)
    return [TEN, one("region", 0, times, length, length * size, length / times, times * size), *ended]


def lock(**more):
    return [*team([8, 8]), one(5, 0, 500, **dict(dict(waited=2.0, time=3.0, contended=90, thing=7), **more)),
            one(5, 1, 500, **dict(dict(waited=2.0, time=3.0, contended=90, thing=7), **more))]


# What it is, the sums, the findings.
TABLE = (
    ("one has more to do", team([2, 6]), ["uneven"]),
    ("all have the same", team([4, 4]), []),
    ("it was kept from running a few times", team([2, 6], [2, 2]), []),
    ("it was for long, and has more to do", team([2, 6], [2, 2.6]), []),
    ("once", team([2, 6], times=9), []),
    ("the others begin late", team([2, 6], late=4.5, length=9.0), []),
    ("and that is not why they wait", team([0.2, 0.6]), []),
    ("hardly anybody waits", team([7.9, 8.0]), []),
    ("work that is waited for at a barrier", [*team([0, 0]), *(
        one("barrier", number, 100, work, 8 - work, typical=work / 100, region=0x10, place=0x20)
        for number, work in enumerate([2, 6]))], ["uneven"]),
    ("regions that are short", team([0.8, 0.8], times=100000, length=2.0), ["short"]),
    ("and are few", team([0.8, 0.8], times=10000, length=0.2), []),
    ("that are long", team([1, 1], times=100, length=2.0), []),
    ("a section", lock(), ["held"]),
    ("which is one of several", lock(several=True), ["wanted"]),
    ("of a runtime that does not report releases", lock(time=None, contended=None), ["wanted"]),
    ("that is hardly held", lock(time=1.0), ["wanted"]),
    ("that nobody waits for", lock(waited=0.1), []),
    ("tasks that are small", [*team([8, 8]), one("task", 0, 4000000, 2.0)], ["small"]),
    ("and are few", [*team([8, 8]), one("task", 0, 400000, 0.2)], []),
    ("tasks that are large", [*team([8, 8]), one("task", 0, 4000000, 9.0)], []),
    ("threads that are made", [*team([8, 8]), one("threads", 0, 5000, 5.0, 15.0)], ["made"]),
    ("by and by", [*team([8, 8]), one("threads", 0, 900, 5.0, 15.0)], []),
    ("nothing", [], []), ("no time has passed", [one("threads", 0, 900, 5.0, 5.0)], []))

for name, facts, wanted in TABLE:
    TAP.equal([found.kind for found in Sums(facts).findings()], wanted, name)

# Each thread's sums follow its own row.
facts = team([2.5, 4], length=4.5)
threads = [one("threads", lwp, 1, 5.0, 15.0, place=0) for lwp in (101, 102)]
apart = [threads[0], *facts[1:3], threads[1], facts[3]]
TAP.equal([[(found.kind, found.who) for found in Sums(apart, executes).findings()] for executes in (
    {101: 1.0, 102: 0.6}, {101: 0.4, 102: 1.0})], [[], [("uneven", (1, 0.8))]], "work is what a thread has executed")
apart = [threads[0], *team([2, 6])[1:3], threads[1], team([2, 6])[3]]
TAP.equal([found.kind for found in Sums(apart, {101: 0.9, 102: 0.3}).findings()], [],
          "one that is let run less has no more to do")

sums = Sums([*team([2, 5], late=0.5), one("region", 0, 1, place=0x90),
             one("member", 0, 0, place=0x90, contended=9), one("taskwait", 0, 3, waited=1.0),
             one("task_created", 1, 9, place=0x30), one(0x99, 0, 1, thing=3)])
region = sums.by(False)[0]
TAP.equal([sums.seconds, sums.made, region.count, region.seconds, region.waited, region.began_late,
           region.work.most], [10.0, 2, 100, 8.0, 8.0, 1.0, (1, 5.0)], "waits are what is neither work nor before the begin")
TAP.equal([sums.by(True)[1].waited, sums.by(True)[0] is region, dict(sums.tasks[0x30].created)],
          [0.0, True, {1: 9}], "no wait is negative")
TAP.end()
