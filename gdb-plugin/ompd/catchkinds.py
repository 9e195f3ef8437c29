# SPDX-License-Identifier: MIT
"""What can be caught: for each kind and moment the runtime's functions that tell of it.

The first function of a list is where the user's breakpoint stands. How an event is told:
  call     at a call of the function
  return   when such a call has come back
  body     when the body begins with which the function was called
  after    when that body has ended
  last     at the call by the last thread of a team
  chosen   when the call has come back and this thread is the one to do the work
  done     at the call by a thread that has been chosen before
"""

import collections

from ompd import constructs

How = collections.namedtuple("How", "way functions verb")

_PARALLEL = tuple(name for name, opening in constructs.OPENINGS.items()
                  if name.startswith("GOMP_parallel"))
_PARALLEL_ENDS = tuple(name for name in _PARALLEL
                       if not name.endswith("_start")) + ("GOMP_parallel_end",)
_TASKS = ("GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull")
_BARRIERS = ("GOMP_barrier", "GOMP_barrier_cancel", "GOMP_loop_end", "GOMP_loop_end_cancel",
             "GOMP_sections_end", "GOMP_sections_end_cancel")
_TASKWAITS = ("GOMP_taskwait", "GOMP_taskwait_depend")


def _locks(verb):
    return tuple("omp_%s_%slock%s" % (verb, nest, fortran)
                 for nest in ("", "nest_") for fortran in ("", "_"))


KINDS = {
    "parallel": {"begin": How("call", _PARALLEL, "begins"),
                 "end": How("return", _PARALLEL_ENDS, "has ended")},
    "task": {"begin": How("body", _TASKS, "begins"),
             "end": How("after", _TASKS, "has ended")},
    "barrier": {"enter": How("call", _BARRIERS, "enters"),
                "exit": How("return", _BARRIERS, "leaves"),
                "all": How("last", _BARRIERS, "enters")},
    "critical": {"enter": How("call", ("GOMP_critical_name_start", "GOMP_critical_start"),
                              "enters"),
                 "exit": How("call", ("GOMP_critical_name_end", "GOMP_critical_end"),
                             "leaves")},
    "lock": {"enter": How("call", _locks("set"), "sets"),
             "exit": How("call", _locks("unset"), "unsets")},
    "single": {"begin": How("chosen", ("GOMP_single_start", "GOMP_single_copy_start"),
                            "begins"),
               "end": How("done", ("GOMP_barrier", "GOMP_barrier_cancel",
                                   "GOMP_single_copy_end"), "ends")},
    "ordered": {"enter": How("call", ("GOMP_ordered_start", "GOMP_doacross_wait",
                                      "GOMP_doacross_ull_wait"), "enters"),
                "exit": How("call", ("GOMP_ordered_end", "GOMP_doacross_post",
                                     "GOMP_doacross_ull_post"), "leaves")},
    "taskwait": {"enter": How("call", _TASKWAITS, "enters"),
                 "exit": How("return", _TASKWAITS, "leaves")},
}

# Where "end" of one kind depends on what was told at the beginning.
CHOSEN = ("GOMP_single_start", "GOMP_single_copy_start")

SYNONYMS = {"begin": "enter", "end": "exit", "enter": "begin", "exit": "end"}
