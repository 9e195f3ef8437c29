# SPDX-License-Identifier: MIT
"""What a thread waits for, told from its stack where no record says it.

The call that left the user's code names the runtime's function, and that function says what
the thread is about. Only what is certain is told (calls.py).
"""

import re

import gdb

from ompd import calls, names

_UNNAMED = None  # the wait id of critical sections without a name
_CHECKED = "checked"  # one of several arguments is the address of a section's name

# Function of the runtime -> (state as the report names it, whether its argument says what
# is waited for, else the wait id).
_WAITS = (
    (r"GOMP_critical_name_start", "wait_critical", True),
    (r"GOMP_critical_start", "wait_critical", _UNNAMED),
    (r"__kmpc_critical(_with_hint)?", "wait_critical", _CHECKED),
    (r"GOMP_atomic_start", "wait_atomic", 0),
    (r"omp_set_lock_?", "wait_lock", True),
    (r"omp_set_nest_lock_?", "wait_nest_lock", True),
    (r"GOMP_barrier(_cancel)?", "wait_barrier_explicit", 0),
    (r"GOMP_(loop|sections)_end(_cancel)?", "wait_barrier_implicit", 0),
    (r"GOMP_single_copy_(start|end)", "wait_barrier_implicit", 0),
    (r"GOMP_workshare_task_reduction_unregister", "wait_barrier_implicit", 0),
    (r"GOMP_(ordered_start|doacross(_ull)?_wait)", "wait_ordered", 0),
    (r"GOMP_taskwait(_depend)?", "wait_taskwait", 0),
    (r"GOMP_taskgroup_end", "wait_taskgroup", 0),
    (r"__kmpc_(cancel_)?barrier", "wait_barrier_explicit", 0),
    (r"__kmpc_reduce", "wait_barrier_implicit", 0),
    (r"__kmpc_(ordered|doacross_wait)", "wait_ordered", 0),
    (r"__kmpc_omp_(taskwait|wait_deps|taskwait_deps_51)", "wait_taskwait", 0),
    (r"__kmpc_end_taskgroup", "wait_taskgroup", 0),
    # The body has not begun or has ended, or else it would be on the stack.
    (r"GOMP_(parallel(_reductions|_loop_\w+|_sections)?|teams_reg)(?<!_start)", "overhead", 0),
    (r"__kmpc_fork_(call(_if)?|teams)", "overhead", 0),
)
# Of these libgomp on Linux hands the address to the kernel, which is that of the lock or
# the named section itself. LLVM's runtime sleeps on something else.
FUTEXES = ("wait_critical", "wait_lock", "wait_nest_lock")

_WAITS = tuple((re.compile(name + r"\Z"), state, argument)
               for name, state, argument in _WAITS)


def wait(place):
    """(state, wait id) of a thread whose innermost user frame, a Place, is inside a call;
    None when the stack does not tell. The wait id is 0 where only the state is told, None
    for the unnamed critical section."""
    if not place.called or place.address is None:
        return None
    try:
        machine = gdb.newest_frame().architecture().name()
    except gdb.error:
        return None
    function = calls.called_at(machine, place.address, place.jumped)
    if function is None:
        return None
    for pattern, state, argument in _WAITS:
        if pattern.match(function):
            if argument is _CHECKED:
                argument = _checked_section(machine, place.address)
            elif argument is True:
                argument = _section(machine, place.address) if state == "wait_critical" else \
                    calls.argument_at(machine, place.address)
            return state, argument
    return None


def section_at(end):
    """The wait id of the critical section with a name that a call is about which returns to
    END, or 0 where its code does not tell."""
    try:
        return _section(gdb.newest_frame().architecture().name(), end) if end else 0
    except gdb.error:
        return 0


def _section(machine, end):
    return calls.argument_at(machine, end) or _checked_section(machine, end)


def _checked_section(machine, end):
    return calls.checked_argument_at(
        machine, end, lambda address: names.critical(address) is not None) or 0
