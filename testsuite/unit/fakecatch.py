# SPDX-License-Identifier: MIT
"""What `ompd catch` decides: threads at functions and addresses, and at which of them there is an event."""

from openmp_inspect.code.entry_point_table import ENTRIES
from openmp_inspect.stacks import caught_events
from openmp_inspect.stacks.caught_events import Spot

BODY, LINE, CALL, FAR, TASK = 0x1000, 0x1010, 0x2000, 0x3000, 0x5000
LOCK = 0x7000


class Visit(caught_events.Visit):
    """A thread at an address; PART: of its untied task; RESULT: what was returned."""

    def __init__(self, thread, pc, sp=0x8000, caller=Spot(CALL, 0x9000), part=0, result=1, last=False):
        self.thread, self.here, self._caller = thread, Spot(pc, sp), caller
        self._part, self._result, self._last = part, result, last

    caller = property(lambda self: self._caller)
    back = property(lambda self: self._caller or Spot(FAR, 0x9000))

    def argument(self, number):
        return TASK if self.here.pc in (BODY, LINE) else LOCK

    def result(self):
        return self._result

    def body(self, entry):
        return BODY

    def part(self, task):
        return self._part

    def is_last(self, arrivals):
        return self._last


def caught(what, visits, entrance=LINE, watch=lambda address: True):
    """(the event or None of each visit, the addresses watched) of WHAT a user catches; VISITS are
    (function, or None at a watched address, Visit, maybe the breakpoint that is there)."""
    watched = []
    machine = caught_events.Machine(*what.split(), lambda address: watched.append(address) or watch(address),
                                    lambda body: entrance)
    decides = machine.functions()
    found = [machine.at(visit) if name is None else decides[name](visit, ENTRIES[name], who)
             for name, visit, *who in visits for who in [who[0] if who else None]]
    return found, watched


# Name, what is caught, visits, at which of them there is an event, what is watched.
ROWS = (
    ("call", "lock enter", (("omp_set_lock", Visit(1, 1)),), "+", []),
    ("not of the user's code", "lock enter", (("omp_set_lock", Visit(1, 1, caller=None)),), "-", []),
    ("by a jump from another function", "lock enter",
     (("omp_set_lock", Visit(1, 1)), ("omp_set_lock", Visit(1, 2))), "+-", []),
    ("by another name of one function", "lock enter",
     (("omp_set_lock", Visit(1, 1), "a"), ("omp_set_lock", Visit(1, 1), "b")), "+-", []),
    ("again, and in another thread", "lock enter",
     (("omp_set_lock", Visit(1, 1)), ("omp_set_lock", Visit(1, 1)), ("omp_set_lock", Visit(2, 1))),
     "+++", []),
    ("the end of a region", "parallel end",
     (("GOMP_parallel", Visit(1, 1)), (None, Visit(2, CALL, 0x9000)), (None, Visit(1, CALL, 0x8ff0)),
      (None, Visit(1, CALL, 0x9000)), (None, Visit(1, CALL, 0x9000))), "---+-", [CALL]),
    ("a task begins", "task begin", (("GOMP_task", Visit(1, 1)), (None, Visit(2, LINE))), "-+", [LINE]),
    ("a task ends", "task end",
     (("GOMP_task", Visit(1, 1)), (None, Visit(2, BODY, caller=None)), (None, Visit(2, FAR, 0x9000))),
     "--+", [BODY, FAR]),
    ("parts of an untied task", "task begin",
     (("__kmpc_omp_task", Visit(1, 1)), (None, Visit(1, LINE)), ("__kmpc_omp_task", Visit(1, 1, part=1)),
      (None, Visit(2, BODY, part=1)), (None, Visit(2, LINE, part=1)), (None, Visit(3, LINE))),
     "-+---+", [LINE, BODY]),
    ("the end of an untied task", "task end",
     (("__kmpc_omp_task", Visit(1, 1)), (None, Visit(1, BODY, caller=None)),
      ("__kmpc_omp_task", Visit(1, 1, part=1)), (None, Visit(1, FAR, 0x9000)),
      (None, Visit(2, BODY, caller=None)), (None, Visit(2, FAR, 0x9000))), "-----+", [BODY, FAR]),
    ("the last of a team", "barrier all",
     (("GOMP_barrier", Visit(1, 1)), ("GOMP_barrier", Visit(2, 1, last=True))), "-+", []),
    ("who does `single`", "single begin",
     (("GOMP_single_start", Visit(1, 1)), (None, Visit(1, CALL, 0x9000, result=0)),
      ("GOMP_single_start", Visit(2, 1)), (None, Visit(2, CALL, 0x9000, result=1))), "---+", [CALL]),
    ("who has done `single`", "single end",
     (("GOMP_single_start", Visit(1, 1)), (None, Visit(1, CALL, 0x9000)), ("GOMP_barrier", Visit(2, 1)),
      ("GOMP_barrier", Visit(1, 1)), ("GOMP_barrier", Visit(1, 1))), "---+-", [CALL]),
)


def run(tap):
    for name, what, visits, wanted, watched in ROWS:
        found, asked = caught(what, visits)
        tap.equal(("".join("-" if event is None else "+" for event in found), asked), (wanted, watched),
                  "caught: " + name)
    visits = [("GOMP_task", Visit(1, 1)), (None, Visit(1, LINE))]
    tap.equal(caught("task begin", visits, watch=lambda address: False)[0], [None, None],
              "caught: what cannot be watched")
