# SPDX-License-Identifier: MIT
"""States of threads, and what they wait for, in words."""

from ompd import code_owner, names

_STATES = {
    "work_serial": "work",
    "work_parallel": "work",
    "work_reduction": "reduction",
    "overhead": "runtime",
}

_WAITS = {
    "wait_barrier_implicit": "implicit",
    "wait_barrier_explicit": "explicit",
    "wait_taskwait": "child tasks",
    "wait_taskgroup": "tasks of its group",
    "wait_atomic": "atomic",
    "wait_ordered": "its turn",
}

_LOCKS = ("wait_critical", "wait_lock", "wait_nest_lock", "wait_mutex")


def state(name):
    if name.startswith("wait_barrier"):
        return "wait barrier"
    return _STATES.get(name) or name.replace("_", " ")


def waits_for(name, wait_id, recorded=False):
    """What a thread in this state waits for. Where it is RECORDED that the kind of a barrier is
    open, the call was that of `#pragma omp barrier`, which GCC also makes at the end of some
    worksharing constructs.
    "-" when the thread does not wait or it is not known for what.
    A WAIT_ID of None is the critical section without a name."""
    if name == "wait_critical":
        return _critical(wait_id)
    if name in _LOCKS:
        return (names.object_at(wait_id) or "%#x" % wait_id) \
            if wait_id else "-"
    if name == "wait_barrier" and recorded:
        return "explicit"
    return _WAITS.get(name, "-")


def is_lock(name):
    """Whether a state of this name waits for something that somebody holds."""
    return name in _LOCKS or name == "wait_atomic"


def held(what, owner, told=False):
    """OWNER as the report calls threads, or None when that is not known; TOLD: not recorded."""
    return what if owner is None else "%s, %sheld by %s" % (what, "~" if told else "", owner)


def arrived(what, barrier):
    if barrier is None or not barrier.team_size:
        return what
    count = "%d of %d arrived" % (barrier.arrived, barrier.team_size)
    return count if what == "-" else "%s, %s" % (what, count)


def _critical(wait_id):
    if wait_id is None or (wait_id and code_owner.is_runtime(wait_id)):
        return "unnamed"
    if not wait_id:
        return "-"
    name = names.critical(wait_id)
    if name is not None:
        return '"%s"' % name if name else "unnamed"
    return "%#x" % wait_id  # the program is stripped
