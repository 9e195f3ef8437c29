# SPDX-License-Identifier: MIT
"""What records or the runtime's structures say of one thread, ordered as its stack is: the
regions and tasks that it went into, innermost first."""

from ompd.errors import OmpdError

_MOST_LEVELS = 64
_MOST_TASKS = 4096


class Entered:
    """A region that a thread is in. `number` may be None."""

    def __init__(self, region, number):
        self.region = region
        self.number = number


def regions(thread):
    """Entered regions that are on a thread's own stack: those that it met itself, and the
    one in which it is a worker. Empty when it is in none or that cannot be told."""
    result = []
    try:
        region = thread.region
        if region is None or thread.state == "idle":
            return []
        numbers = [number for number, _ in reversed(thread.path)]
        while region is not None and len(result) < _MOST_LEVELS:
            result.append(Entered(region, numbers[len(result)]))
            if region.master != thread:
                return result
            region = region.parent
    except (OmpdError, IndexError):
        return []
    return result


def explicit_tasks(thread):
    """(explicit tasks that a thread has begun and not ended, whether these are all)."""
    result = []
    try:
        task = thread.task
        while task is not None and len(result) < _MOST_TASKS:
            if task.kind == "explicit":
                result.append(task)
            elif task.kind != "implicit":
                return result, task.kind == "initial"
            following = task.scheduling
            if following is None and task.kind == "implicit":
                region = task.region or thread.region
                met = region is not None and region.master == thread
                return result, not met
            task = following
    except OmpdError:
        pass
    return result, False


def chain(thread):
    """The tasks that a thread has begun and not ended, innermost first, as records have
    them; empty where they cannot be had."""
    result = []
    try:
        task = thread.task
        while task is not None and len(result) < _MOST_TASKS:
            result.append(task)
            task = task.scheduling
    except OmpdError:
        return []
    return result if len(result) < _MOST_TASKS else []


def thread_of(task):
    """The Thread that has begun a task and not ended it, or None."""
    try:
        if task.thread is not None:
            return task.thread
        if task.state in ("created", "completed"):
            return None
    except OmpdError:
        return None
    for thread in task.snapshot.threads:
        try:
            if thread.task == task:
                return thread
        except OmpdError:
            pass
    return None


def number_of(region, worker):
    """The region's facts for a label, those that are known."""
    facts = {}
    for name, get in (("region", lambda: region.id), ("thread_num", lambda: worker),
                      ("num_threads", lambda: region.size)):
        try:
            value = get()
        except OmpdError:
            value = None
        if value is not None:
            facts[name] = value
    return facts
