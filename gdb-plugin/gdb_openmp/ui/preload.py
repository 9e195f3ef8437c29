# SPDX-License-Identifier: MIT
"""What "ompd on" changes in the environment of the next run, which is what ompd-run changes, and
how it is undone."""

from __future__ import annotations

import os
import re
import struct

import gdb

from openmp_inspect.core import install_paths
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import image_symbols
from gdb_openmp.host import inferiors, process

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

# Put in front of what these variables hold, and the mark that lets the hooks take all of it
# from the program's children; see runtime-hooks/loader/mark.h.
_SWITCH = "OMP_OMPD"
_ADDED = {_SWITCH: "on", "ASAN_OPTIONS": "verify_asan_link_order=0"}
_MARK = "OMPD_RUN"
_SEPARATORS = {"LD_LIBRARY_PATH": "[:;]"}

# Inferior number -> (what is added to each variable, what they held before).
_changed: Dict[int, Tuple[Dict[str, str], Dict[str, Optional[str]]]] = {}


def _hooks() -> Optional[str]:
    """The hooks for the selected inferior's program; without one, for one as gdb itself is:
    what gdb takes for a pointer then is that of a 32-bit machine."""
    if inferiors.program() is None:
        return install_paths.hooks(struct.calcsize("P"))
    return install_paths.hooks(inferiors.pointer().sizeof)


def _preloads(path: str) -> Dict[str, str]:
    """What makes the dynamic linker load the hooks: LD_PRELOAD takes no path with a space."""
    if " " not in path:
        return {"LD_PRELOAD": path}
    directory, name = os.path.split(path)
    return {"LD_PRELOAD": name, "LD_LIBRARY_PATH": directory + "/./."}


def prepared() -> bool:
    """Whether the next run of the selected inferior gets the hooks."""
    path = _hooks()
    return path is not None and inferiors.environment(_SWITCH) == "on" and \
        all(element in _entries(name) for name, element in _preloads(path).items())


def prepare() -> str:
    """Adds the hooks; the path of what is preloaded. GdbError if they are not there."""
    path = _hooks()
    if path is None:
        raise gdb.GdbError("There are no hooks for this kind of program beside this plugin.")
    if image_symbols.is_static(process.current()):
        raise gdb.GdbError("Nothing can be preloaded into this program: it is linked "
                           "statically, so link it without -static first.")
    separator = re.search("[:;]" if " " in path else ":", path)
    if separator:
        raise gdb.GdbError("Nothing can be preloaded from %s, as that has a '%s'."
                           % (os.path.dirname(path), separator.group()))
    if prepared():
        return path
    added = dict(_preloads(path), **_ADDED)
    before = {name: inferiors.environment(name) for name in added}
    _changed.setdefault(gdb.selected_inferior().num, (added, before))
    mark = "restore"
    for name, held in before.items():
        if added[name] in _entries(name):
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
        now = _entries(name)
        if added[name] in now and added[name] not in _split(name, held):
            now.remove(added[name])
            same = name == _SWITCH or now == _split(name, held)
            _set(name, held if same else ":".join(now) or None)
    _set(_MARK, None)
    return True


def _split(name: str, value: Optional[str]) -> List[str]:
    return re.split(_SEPARATORS.get(name, "[: ]"), value) if value else []


def _entries(name: str) -> List[str]:
    """The elements of a variable of the next run."""
    return _split(name, inferiors.environment(name))


def _set(name: str, value: Optional[str]) -> None:
    if value is None:
        gdb.execute("unset environment " + name, to_string=True)
    else:
        gdb.execute("set environment %s = %s" % (name, value), to_string=True)
