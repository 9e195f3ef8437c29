# SPDX-License-Identifier: MIT
"""Where on a stack regions and tasks begin, as records say it.

A task's record has two stack pointers: that of the runtime's frame which called its body
(exit), and that of its own frame which called the runtime (enter). The first lies in the gap
where the task begins; the second belongs to the frame behind the gap where the next inner
one does. All have to agree with the stack: a program may have been stopped while it wrote
its records, or have left its frames by longjmp().
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model import nesting

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from openmp_inspect.model.nesting import Entered
    from openmp_inspect.model.objects import Task
    from openmp_inspect.stacks.labelled_stack import LabelledStack
    from openmp_inspect.stacks.segments import Gap


class Boundaries(NamedTuple):
    """What begins in the gaps of a stack, by their levels."""

    regions: Dict[int, Entered]
    tasks: Dict[int, Task]  # explicit ones


_KINDS = {"implicit": "region", "explicit": "task"}


def find(of: LabelledStack, gaps: List[Gap]) -> Optional[Boundaries]:
    """The Boundaries of a LabelledStack that has these GAPS, newest first; None where the records do
    not say."""
    tasks = nesting.chain(of.known) if of.known is not None else []
    found: Optional[Boundaries] = errors.known(
        lambda: _find(tasks, list(of.entered), gaps)) if tasks else None
    return found


def _find(tasks: List[Task], entered: List[Entered], gaps: List[Gap]) -> Optional[Boundaries]:
    regions: Dict[int, Entered] = {}
    explicit: Dict[int, Task] = {}
    kinds: Dict[int, str] = {}
    last = -1
    outers: List[Optional[Task]] = [*tasks[1:], None]
    for task, outer in zip(tasks, outers):
        if task.kind not in _KINDS:
            break  # initial: it begins nowhere
        at = _gap_of(task.frames[0], outer.frames[1] if outer is not None else 0, gaps,
                     outer is None)
        if at is None or at < last:
            return None
        last, gap = at, gaps[at]
        if not task.frames[0] and gap.newer is not None and gap.level not in explicit:
            return None  # its body, which is not running, seems to be there
        if task.frames[0] and gap.newer is not None:
            kinds[gap.level] = _KINDS[task.kind]
        if task.kind == "explicit":
            if explicit.setdefault(gap.level, task) != task:
                return None  # two that begin in one gap: the first one's body is not there
            continue
        if not entered or gap.level in regions or \
                task.region is not None and task.region != entered[0].region:
            return None
        regions[gap.level] = entered.pop(0)
    if entered:
        return None
    for gap in gaps:
        if kinds.get(gap.level, gap.kind) != gap.kind:
            if gap.kind != "other":
                return None
            gap.kind = kinds[gap.level]
    return Boundaries(regions, explicit)


def _gap_of(called: int, entering: int, gaps: List[Gap], outermost: bool) -> Optional[int]:
    """The index of the gap which holds the frame that CALLED a body, or else the one of
    which the older frame was ENTERING the runtime; None if there is none, or they differ."""
    if called:
        found = [at for at, gap in enumerate(gaps) if gap.holds(called)]
        if len(found) == 1 and entering and gaps[found[0]].older != entering:
            return None
    elif entering:
        found = [at for at, gap in enumerate(gaps) if gap.older == entering]
    else:
        found = [len(gaps) - 1] if outermost and gaps[-1].bottom else []
    return found[0] if len(found) == 1 else None
