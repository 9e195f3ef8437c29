# SPDX-License-Identifier: MIT
"""What a thread waits for, told from its stack where no record says it.

The call that left the user's code names the runtime's function, and that function says what
the thread is about. Only what is certain is told: the instruction before the return address
must be a direct call of a known function, and an argument must have been loaded by the
instructions right before it. x86-64 and aarch64.
"""

import re

import gdb

_BEFORE = 24  # bytes of code that hold a call and its argument

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
    if place.address is None or place.address < _BEFORE or not place.called:
        return None
    try:
        machine = _MACHINES.get(gdb.newest_frame().architecture().name())
        if machine is None:
            return None
        code = _code(place.address - _BEFORE, _BEFORE)
    except gdb.error:
        return None
    call, argument_of = machine
    target = call(code, place.address)
    function = None if target is None else _called(target)
    if function is None:
        return None
    for pattern, state, argument in _WAITS:
        if pattern.match(function):
            if argument is True:
                argument = argument_of(code, place.address, function)
            return state, argument
    return None


def _code(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def _called(address):
    """The function behind a call of this address, through its linkage table entry too."""
    try:
        pointer = gdb.lookup_type("void").pointer()
        text = gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string(format="a")
    except gdb.error:
        return None
    found = re.search(r"<([\w.]+)(?:@plt)?>$", text)
    return found.group(1) if found else None


# Both machines: the address that the call before END goes to, or None when there is none; and
# the constant in the first argument's register then, or 0. CODE ends at END.


def _x86_64_call(code, end):
    if code[-5] != 0xE8:
        return None
    return end + int.from_bytes(code[-4:], "little", signed=True)


def _x86_64_argument(code, end, _function):
    code, end = code[:-5], end - 5
    if code[-7:-4] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
        return end + int.from_bytes(code[-4:], "little", signed=True)
    if code[-5:-4] == b"\xbf":  # mov $ADDRESS,%edi
        return int.from_bytes(code[-4:], "little")
    if code[-3:] == b"\x48\x89\xc7":  # mov %rax,%rdi, after
        code, end = code[:-3], end - 3
        if code[-7:-4] == b"\x48\x8d\x05":  # lea DISTANCE(%rip),%rax
            return end + int.from_bytes(code[-4:], "little", signed=True)
    return 0


def _aarch64_call(code, end):
    word = int.from_bytes(code[-4:], "little")
    if word >> 26 != 0b100101:  # bl
        return None
    return end - 4 + _signed(word, 26) * 4


def _aarch64_argument(code, end, function):
    page, offset = (int.from_bytes(code[at:at + 4], "little") for at in (-12, -8))
    if page & 0x9F00001F != 0x90000000:  # adrp x0
        return 0
    address = (end - 12 & ~0xFFF) + (_signed(page >> 5, 19) << 14) + (page >> 29 & 3) * 0x1000
    if offset & 0xFFC003FF == 0x91000000:  # add x0, x0, OFFSET
        return address + (offset >> 10 & 0xFFF)
    # ldr x0, [x0, OFFSET]: the address stands in the linker's table, or else the program's
    # own pointer does, which may be another by now. A section's name is never a pointer.
    if offset & 0xFFC003FF == 0xF9400000 and function == "GOMP_critical_name_start":
        try:
            return int.from_bytes(_code(address + (offset >> 10 & 0xFFF) * 8, 8), "little")
        except gdb.error:
            return 0
    return 0


def _signed(word, bits):
    word &= (1 << bits) - 1
    return word - (word >> bits - 1 << bits)


_MACHINES = {"i386:x86-64": (_x86_64_call, _x86_64_argument),
             "aarch64": (_aarch64_call, _aarch64_argument)}
