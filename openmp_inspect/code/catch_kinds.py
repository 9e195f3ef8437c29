# SPDX-License-Identifier: MIT
"""What can be caught: for each kind and moment the runtime's functions that report it.

The first function of a list is where the user's breakpoint stands. How an event is recognised:
  call     at a call of the function
  return   when such a call has returned
  body     when the body begins with which the function was called
  after    when that body has ended
  last     at the call by the last thread of a team
  chosen   when the call has returned and this thread is the one to do the work
  done     at the call by a thread that has been chosen before
"""

from __future__ import annotations

from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code.entry_points import caught

if TYPE_CHECKING:
    from typing import Dict, Sequence, Tuple


class How(NamedTuple):
    """How an event is reported."""

    way: str  # one of those above
    functions: Tuple[str, ...]
    verb: str  # what the thread does, in words


_BEGINS, _ENDS, _ANY = ("whole", "start"), ("whole", "end"), ("whole", "start", "end")


def _around(kind: str, enters: str, leaves: str) -> Dict[str, How]:
    """A kind whose beginning and end are calls."""
    return {"enter": How("call", caught(kind, ("start",)), enters),
            "exit": How("call", caught(kind, ("end",)), leaves)}


def _within(kind: str) -> Dict[str, How]:
    """A kind that is over when the call has returned."""
    return {"enter": How("call", caught(kind, _ANY), "enters"),
            "exit": How("return", caught(kind, _ANY), "leaves")}


KINDS: Dict[str, Dict[str, How]] = {
    "parallel": {"begin": How("call", caught("parallel", _BEGINS), "begins"),
                 "end": How("return", caught("parallel", _ENDS), "has ended")},
    "task": {"begin": How("body", caught("task", _ANY), "begins"),
             "end": How("after", caught("task", _ANY), "has ended")},
    "barrier": dict(_within("barrier"), all=How("last", caught("barrier", _ANY), "enters")),
    "critical": _around("critical", "enters", "leaves"),
    "lock": _around("lock", "sets", "unsets"),
    "single": {"begin": How("chosen", caught("single", ("start",)), "begins"),
               # Of GCC's, most have no end but the barrier behind it.
               "end": How("done", caught("single", ("end",)) + caught("barrier", ("whole",)),
                          "ends")},
    "ordered": _around("ordered", "enters", "leaves"),
    "taskwait": _within("taskwait"),
    # When the call returns the region may not have begun: on the host, or with nowait.
    "target": {"enter": How("call", caught("target", _ANY), "enters")},
}

# For help.
MOMENTS = """\
KIND and its moments, the first being what is meant when none is given:
  parallel  begin, end    at the construct; after the region, in the thread
                          that encountered it
  task      begin, end    in the thread that runs the task
  barrier   enter, exit   each thread, at explicit barriers and those of loops,
                          sections and single
            all           the last thread of a team to arrive; all others wait
  critical  enter, exit   before the thread waits for it; before it releases it
  lock      enter, exit   alike, for omp_set_lock, omp_unset_lock and the like
  single    begin, end    the thread that does the work; at the barrier after
                          it, so never where there is none
  ordered   enter, exit   before the thread waits for its turn; at the end
  taskwait  enter, exit   before and after it waits
  target    enter         at the construct, before the region is executed
"begin" and "enter" mean the same, and so do "end" and "exit"."""

# Where "end" of one kind depends on what was reported at the beginning.
CHOSEN = KINDS["single"]["begin"].functions

SYNONYMS = {"begin": "enter", "end": "exit", "enter": "begin", "exit": "end"}


def parsed(words: Sequence[str]) -> Tuple[str, str]:
    """The keys of KINDS that a user has typed; UserError for what is none."""
    known = ", ".join(sorted(KINDS))
    if not words:
        raise UserError("What to catch is missing: one of %s." % known)
    kind = words[0]
    if kind not in KINDS:
        raise UserError('"%s" cannot be caught, but %s can.' % (kind, known))
    moments = KINDS[kind]
    moment = words[1] if len(words) > 1 else next(iter(moments))
    moment = moment if moment in moments else SYNONYMS.get(moment, "")
    if moment not in moments or len(words) > 2:
        raise UserError('The moments of "%s" are %s.' % (kind, " and ".join(moments)))
    return kind, moment
