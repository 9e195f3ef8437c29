# SPDX-License-Identifier: MIT
"""States of threads, and what they wait for, in words."""

from ompd import names
from ompd.text import style

_STATES = {
    "work_serial": "work",
    "work_parallel": "work",
    "work_reduction": "reduction",
    "overhead": "runtime",
}

_WAITS = {
    "wait_barrier": "barrier",
    "wait_barrier_implicit": "implicit barrier",
    "wait_barrier_explicit": "explicit barrier",
    "wait_taskwait": "child tasks",
    "wait_taskgroup": "tasks of its group",
    "wait_atomic": "atomic",
    "wait_ordered": "its turn",
}


def derived(name, wait_id):
    """(state, what is waited for) of a wait that the stack tells; marked as that."""
    if wait_id is None:
        return "~" + state(name), "unnamed critical"
    nothing = not wait_id and name in ("wait_critical", "wait_lock", "wait_nest_lock")
    return "~" + state(name), "-" if nothing else waits_for(name, wait_id)


def state(name):
    if name.startswith("wait_barrier"):
        return "wait barrier"
    return _STATES.get(name) or name.replace("_", " ")


def waits_for(name, wait_id):
    """A cell of the table; "-" when the thread does not wait."""
    if name == "wait_critical":
        return _critical(wait_id)
    if name in ("wait_lock", "wait_nest_lock"):
        known = names.object_at(wait_id) if wait_id else None
        if known:
            return known
        kind = "omp_lock_t" if name == "wait_lock" else "omp_nest_lock_t"
        return "%s %s" % (kind, style("address", "%#x" % wait_id))
    return _WAITS.get(name, "-")


def _critical(wait_id):
    name = names.critical(wait_id)
    if name is not None:
        return 'critical "%s"' % name
    if names.of_runtime(wait_id):
        return "unnamed critical"
    return "critical %s" % style("address", "%#x" % wait_id)  # the program is stripped
