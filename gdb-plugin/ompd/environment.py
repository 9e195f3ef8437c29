# SPDX-License-Identifier: MIT
"""What "ompd on" changes in the environment of the next run, and how it is undone."""

import os
import re
import struct

import gdb

from ompd import gdbtext, installed, sourcefile, target

_LARGEST_SEGMENT = 256  # bytes of a segment's entry in the table
_INTERPRETER = 3  # type of the segment that names the dynamic linker

# Put in front of what these variables hold, and the mark that lets the hooks take all of it
# from the program's children; see runtime-hooks/loader/mark.h.
_SWITCH = "OMP_OMPD"
_ADDED = {_SWITCH: "on", "ASAN_OPTIONS": "verify_asan_link_order=0"}
_MARK = "OMPD_RUN"

_changed = {}  # inferior number -> (what is added to each variable, what they held before)


def _hooks():
    """The hooks for the selected inferior's program; without one, for one as gdb itself is:
    what gdb takes for a pointer then is that of a 32-bit machine."""
    if gdbtext.file_name(gdb.current_progspace()) is None:
        return installed.hooks(struct.calcsize("P"))
    return installed.hooks(target.pointer().sizeof)


def is_static(path):
    """Whether a program has no dynamic linker that could preload anything, and is not one."""
    try:
        if re.match(r"ld[-.\d]", os.path.basename(path)):
            return False
        with sourcefile.opened(path) as stream:
            ident = stream.read(16)
            wide, order = ident[4] == 2, "<" if ident[5] == 1 else ">"
            header = struct.Struct(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"))
            fields = header.unpack(stream.read(header.size))
            table, size, count = fields[4], fields[8], fields[9]
            stream.seek(table)
            headers = stream.read(min(size, _LARGEST_SEGMENT) * count)
            kinds = [struct.unpack_from(order + "I", headers, at * size)[0]
                     for at in range(count)]
    except (OSError, ValueError, IndexError, TypeError, OverflowError, struct.error):
        return False
    return ident[:4] == b"\x7fELF" and bool(kinds) and _INTERPRETER not in kinds


def prepared():
    """Whether the next run of the selected inferior gets the hooks."""
    path = _hooks()
    return path is not None and path in _entries(target.environment("LD_PRELOAD")) and \
        target.environment("OMP_OMPD") == "on"


def prepare():
    """Adds the hooks; the path of what is preloaded. GdbError if they are not there."""
    path = _hooks()
    if path is None:
        raise gdb.GdbError("There are no hooks for this kind of program beside this plugin.")
    if is_static(gdbtext.file_name(gdb.current_progspace())):
        raise gdb.GdbError("Nothing can be preloaded into this program: it is linked "
                           "statically, so link it without -static first.")
    if any(c in path for c in " :"):
        raise gdb.GdbError("%s cannot be preloaded: LD_PRELOAD takes no path with a space "
                           "or a colon." % path)
    if prepared():
        return path
    added = dict(_ADDED, LD_PRELOAD=path)
    before = {name: target.environment(name) for name in ("LD_PRELOAD", *_ADDED)}
    _changed.setdefault(gdb.selected_inferior().num, (added, before))
    mark = "restore"
    for name, held in before.items():
        if added[name] in _entries(held):
            continue
        joined = held if name != _SWITCH else None
        _set(name, "%s:%s" % (added[name], joined) if joined else added[name])
        mark += (",%s" if held is None else ",+%s") % name
    _set(_MARK, mark)
    return path


def restore():
    """Undoes prepare(); False if there was nothing to undo. What the user has added to
    the variables since then stays."""
    change = _changed.pop(gdb.selected_inferior().num, None)
    if change is None:
        return False
    added, before = change
    for name, held in before.items():
        now = _entries(target.environment(name))
        if added[name] in now and added[name] not in _entries(held):
            now.remove(added[name])
            same = name == _SWITCH or now == _entries(held)
            _set(name, held if same else ":".join(now) or None)
    _set(_MARK, None)
    return True


def _entries(value):
    return value.replace(" ", ":").split(":") if value else []


def _set(name, value):
    if value is None:
        gdb.execute("unset environment " + name, to_string=True)
    else:
        gdb.execute("set environment %s = %s" % (name, value), to_string=True)
