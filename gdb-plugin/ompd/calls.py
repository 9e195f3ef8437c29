# SPDX-License-Identifier: MIT
"""Which function a call instruction of the program enters, told from its code."""

import re

import gdb

_LONGEST = 6
_known = {}  # (program space, return address) -> name; emptied when libraries change


def forget():
    """The code may be another."""
    _known.clear()


def called(frame):
    """The name of the function that the call which FRAME is inside of names, through its
    linkage table entry too, or None when the code does not tell. FRAME must have called
    something: it is not the newest one."""
    try:
        pc = frame.pc()
        key = id(gdb.current_progspace()), pc
        if key not in _known:
            address = _target(frame.architecture().name(), pc)
            _known[key] = None if address is None else _name(address)
        return _known[key]
    except (gdb.error, OverflowError):
        return None


def _target(architecture, pc):
    """Where the call before PC goes. Calls through registers do not tell."""
    memory = gdb.selected_inferior()
    if architecture == "aarch64":
        word = int.from_bytes(bytes(memory.read_memory(pc - 4, 4)), "little")
        if word >> 26 != 0x25:  # bl
            return None
        distance = word & (1 << 26) - 1
        return pc - 4 + ((distance ^ 1 << 25) - (1 << 25)) * 4
    if not architecture.startswith("i386"):
        return None
    code = bytes(memory.read_memory(pc - _LONGEST, _LONGEST))
    distance = int.from_bytes(code[-4:], "little", signed=True)
    if code[-5] == 0xE8:
        return pc + distance
    if code[-6:-4] == b"\xff\x15" and architecture == "i386:x86-64":  # -fno-plt
        return int.from_bytes(bytes(memory.read_memory(pc + distance, 8)), "little")
    return None


def _name(address):
    pointer = gdb.lookup_type("void").pointer()
    text = gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string(format="a")
    found = re.search(r"<([\w.]+)(?:@plt|@got\.plt)?>$", text)
    return found.group(1) if found else None
