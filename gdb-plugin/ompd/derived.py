# SPDX-License-Identifier: MIT
"""What a thread waits for, told from its stack where no record says it.

The call that left the user's code names the runtime's function, and that function says what
the thread is about. Only what is certain is told: the instruction before the return address
must be a direct call of a known function, and an argument must have been loaded by the
instructions right before it. x86-64 only.
"""

import re

import gdb

_CALL = 5  # bytes of a direct call

_UNNAMED = None  # the wait id of critical sections without a name

# Function of the runtime -> (state as the report names it, whether its argument says what
# is waited for, else the wait id).
_WAITS = (
    (r"GOMP_critical_name_start", "wait_critical", True),
    (r"GOMP_critical_start", "wait_critical", _UNNAMED),
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
)
_WAITS = tuple((re.compile(name + r"\Z"), state, argument)
               for name, state, argument in _WAITS)


def wait(place):
    """(state, wait id) of a thread whose innermost user frame, a Place, is inside a call;
    None when the stack does not tell. The wait id is 0 where only the state is told, None
    for the unnamed critical section."""
    if place.address is None or not place.called:
        return None
    memory = gdb.selected_inferior()
    try:
        if gdb.newest_frame().architecture().name() != "i386:x86-64":
            return None
        code = bytes(memory.read_memory(place.address - 24, 24))
    except gdb.error:
        return None
    if code[-_CALL] != 0xE8:
        return None
    function = _called(place.address + int.from_bytes(code[-4:], "little", signed=True))
    if function is None:
        return None
    for pattern, state, argument in _WAITS:
        if pattern.match(function):
            if argument is True:
                argument = _argument(code[:-_CALL], place.address - _CALL)
            return state, argument
    return None


def _called(address):
    """The function behind a call of this address, through its linkage table entry too."""
    try:
        pointer = gdb.lookup_type("void").pointer()
        text = gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string(format="a")
    except gdb.error:
        return None
    found = re.search(r"<([\w.]+)(?:@plt)?>$", text)
    return found.group(1) if found else None


def _argument(code, end):
    """The constant address in the first argument's register, or 0: CODE ends at END, where
    the call stands."""
    if code[-7:-4] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
        return end + int.from_bytes(code[-4:], "little", signed=True)
    if code[-5:-4] == b"\xbf":  # mov $ADDRESS,%edi
        return int.from_bytes(code[-4:], "little")
    if code[-3:] == b"\x48\x89\xc7":  # mov %rax,%rdi, after
        code, end = code[:-3], end - 3
        if code[-7:-4] == b"\x48\x8d\x05":  # lea DISTANCE(%rip),%rax
            return end + int.from_bytes(code[-4:], "little", signed=True)
    return 0
