# SPDX-License-Identifier: MIT
"""What records or the runtime's structures say of one thread, ordered as its stack is: the
regions and tasks that it went into, innermost first."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional
    from openmp_inspect.model.objects import Region, Task, Thread

_MOST_LEVELS = 64
_MOST_TASKS = 4096


class Entered(NamedTuple):
    """A region that a thread is in, and its number there."""

    region: Region
    number: Optional[int]


class BegunTasks(NamedTuple):
    tasks: List[Task]
    complete: bool  # these are certainly all


def regions(thread: Thread) -> List[Entered]:
    """The regions on a thread's own stack: those that it encountered itself, and the one in
    which it is a worker. Empty when it is in none or that is not known."""
    result: List[Entered] = []
    try:
        region = thread.region
        if region is None or errors.known(lambda: thread.state) == "idle":
            return []
        numbers = [number for number, _ in reversed(thread.path)]
        while region is not None and len(result) < _MOST_LEVELS:
            result.append(Entered(region, numbers[len(result)]))
            if region.master != thread:
                return result
            region = region.parent
    except (errors.OmpdError, IndexError):
        debug.ignored()
        return []
    return result


def explicit_tasks(thread: Thread) -> BegunTasks:
    """The explicit tasks that a thread has begun and not ended."""
    result: List[Task] = []
    try:
        task = thread.task
        while task is not None and len(result) < _MOST_TASKS:
            if task.kind == "explicit":
                result.append(task)
            elif task.kind != "implicit":
                return BegunTasks(result, task.kind == "initial")
            following = task.scheduling
            if following is None and task.kind == "implicit":
                region = task.region or thread.region
                if region is None or region.master != thread:
                    return BegunTasks(result, True)
                following = task.parent  # which has encountered the region
            task = following
    except errors.OmpdError:
        debug.ignored()
    return BegunTasks(result, False)


def chain(thread: Thread) -> List[Task]:
    """The tasks that a thread has begun and not ended, innermost first, as records have
    them; empty where they are not known."""
    result: List[Task] = []
    try:
        task = thread.task
        while task is not None and len(result) < _MOST_TASKS:
            result.append(task)
            task = task.scheduling
    except errors.OmpdError:
        debug.ignored()
        return []
    return result if len(result) < _MOST_TASKS else []


def thread_of(task: Task) -> Optional[Thread]:
    """The Thread that has begun a task and not ended it, or None."""
    try:
        if task.thread is not None:
            return task.thread
        if task.state in ("created", "completed"):
            return None
    except errors.OmpdError:
        debug.ignored()
        return None
    return next((thread for thread in task.snapshot.threads
                 if errors.known(lambda thread=thread: thread.task) == task), None)


def number_of(region: Region, worker: Optional[int]) -> Dict[str, int]:
    """{"region", "thread_num", "num_threads": number} for a label, as far as is known."""
    facts = {}
    asks: Dict[str, Callable[[], Optional[int]]] = {
        "region": lambda: region.id, "thread_num": lambda: worker,
        "num_threads": lambda: region.size}
    for name, get in asks.items():
        value = errors.known(get)
        if value is not None:
            facts[name] = value
    return facts
