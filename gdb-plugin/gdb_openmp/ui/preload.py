# SPDX-License-Identifier: MIT
"""What "ompd on" changes in the environment of the next run, and how it is undone."""

from __future__ import annotations

import struct

import gdb

from gdb_openmp.core import elf, install_paths
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

# Put in front of what these variables hold, and the mark that lets the hooks take all of it
# from the program's children; see runtime-hooks/loader/mark.h.
_SWITCH = "OMP_OMPD"
_ADDED = {_SWITCH: "on", "ASAN_OPTIONS": "verify_asan_link_order=0"}
_MARK = "OMPD_RUN"

# Inferior number -> (what is added to each variable, what they held before).
_changed: Dict[int, Tuple[Dict[str, str], Dict[str, Optional[str]]]] = {}


def _hooks() -> Optional[str]:
    """The hooks for the selected inferior's program; without one, for one as gdb itself is:
    what gdb takes for a pointer then is that of a 32-bit machine."""
    if inferiors.program() is None:
        return install_paths.hooks(struct.calcsize("P"))
    return install_paths.hooks(inferiors.pointer().sizeof)


def prepared() -> bool:
    """Whether the next run of the selected inferior gets the hooks."""
    path = _hooks()
    return path is not None and path in _entries(inferiors.environment("LD_PRELOAD")) and \
        inferiors.environment("OMP_OMPD") == "on"


def prepare() -> str:
    """Adds the hooks; the path of what is preloaded. GdbError if they are not there."""
    path = _hooks()
    if path is None:
        raise gdb.GdbError("There are no hooks for this kind of program beside this plugin.")
    if elf.is_static(inferiors.program()):
        raise gdb.GdbError("Nothing can be preloaded into this program: it is linked "
                           "statically, so link it without -static first.")
    if any(c in path for c in " :"):
        raise gdb.GdbError("%s cannot be preloaded: LD_PRELOAD takes no path with a space "
                           "or a colon." % path)
    if prepared():
        return path
    added = dict(_ADDED, LD_PRELOAD=path)
    before = {name: inferiors.environment(name) for name in ("LD_PRELOAD", *_ADDED)}
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


def restore() -> bool:
    """Undoes prepare(); False if there was nothing to undo. What the user has added to
    the variables since then stays."""
    change = _changed.pop(gdb.selected_inferior().num, None)
    if change is None:
        return False
    added, before = change
    for name, held in before.items():
        now = _entries(inferiors.environment(name))
        if added[name] in now and added[name] not in _entries(held):
            now.remove(added[name])
            same = name == _SWITCH or now == _entries(held)
            _set(name, held if same else ":".join(now) or None)
    _set(_MARK, None)
    return True


def _entries(value: Optional[str]) -> List[str]:
    return value.replace(" ", ":").split(":") if value else []


def _set(name: str, value: Optional[str]) -> None:
    if value is None:
        gdb.execute("unset environment " + name, to_string=True)
    else:
        gdb.execute("set environment %s = %s" % (name, value), to_string=True)
