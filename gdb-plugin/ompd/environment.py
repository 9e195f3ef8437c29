# SPDX-License-Identifier: MIT
"""What "ompd on" changes in the environment of the next run, and how it is undone."""

import os
import re
import struct

import gdb

from ompd import installed, target

_INTERPRETER = 3  # type of the segment that names the dynamic linker

_changed = {}  # inferior number -> (hooks, LD_PRELOAD before, OMP_OMPD before)


def _hooks():
    """The hooks for the selected inferior's program; without one, for one as gdb itself is:
    what gdb takes for a pointer then is that of a 32-bit machine."""
    if gdb.current_progspace().filename is None:
        return installed.hooks(struct.calcsize("P"))
    return installed.hooks(target.pointer().sizeof)


def is_static(path):
    """Whether a program has no dynamic linker that could preload anything, and is not one."""
    try:
        if re.match(r"ld[-.\d]", os.path.basename(path)):
            return False
        with open(path, "rb") as stream:
            ident = stream.read(16)
            wide, order = ident[4] == 2, "<" if ident[5] == 1 else ">"
            header = struct.Struct(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"))
            fields = header.unpack(stream.read(header.size))
            table, size, count = fields[4], fields[8], fields[9]
            stream.seek(table)
            kinds = [struct.unpack_from(order + "I", stream.read(size))[0]
                     for _ in range(count)]
    except (OSError, IndexError, TypeError, struct.error):
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
    if is_static(gdb.current_progspace().filename):
        raise gdb.GdbError("Nothing can be preloaded into this program: it is linked "
                           "statically, so link it without -static first.")
    if any(c in path for c in " :"):
        raise gdb.GdbError("%s cannot be preloaded: LD_PRELOAD takes no path with a space "
                           "or a colon." % path)
    if prepared():
        return path
    before = target.environment("LD_PRELOAD")
    _changed.setdefault(gdb.selected_inferior().num,
                        (path, before, target.environment("OMP_OMPD")))
    if path not in _entries(before):
        _set("LD_PRELOAD", "%s:%s" % (path, before) if before else path)
    _set("OMP_OMPD", "on")
    return path


def restore():
    """Undoes prepare(); False if there was nothing to undo. What the user has added to
    LD_PRELOAD since then stays."""
    change = _changed.pop(gdb.selected_inferior().num, None)
    if change is None:
        return False
    path, preload, switch = change
    if path not in _entries(preload):
        rest = [e for e in _entries(target.environment("LD_PRELOAD")) if e != path]
        ours = "%s:%s" % (path, preload) if preload else path
        if target.environment("LD_PRELOAD") == ours:
            _set("LD_PRELOAD", preload)
        else:
            _set("LD_PRELOAD", ":".join(rest) or None)
    if target.environment("OMP_OMPD") == "on":
        _set("OMP_OMPD", switch)
    return True


def _entries(preload):
    return [] if preload is None else preload.replace(" ", ":").split(":")


def _set(name, value):
    if value is None:
        gdb.execute("unset environment " + name, to_string=True)
    else:
        gdb.execute("set environment %s = %s" % (name, value), to_string=True)
