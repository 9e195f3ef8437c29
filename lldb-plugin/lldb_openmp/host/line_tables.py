# SPDX-License-Identifier: MIT
"""lldb's tables of lines, each read once: its Python hands out one entry after the other."""

from __future__ import annotations

import lldb

from openmp_inspect.core import caches
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Set, Tuple

_MOST = 1 << 20  # entries of a compilation unit
NOWHERE = lldb.LLDB_INVALID_ADDRESS


class Entry(NamedTuple):
    start: int
    end: int
    path: str
    line: int


# By the unit's module, its number there, and where the module is loaded.
_known: Dict[Tuple[str, str, int], List[Entry]] = caches.of_code()
_paths: Dict[Tuple[str, str], str] = {}


def path_of(spec: Any) -> str:
    """The path of an SBFileSpec."""
    key = spec.GetDirectory() or "", spec.GetFilename() or ""
    if key not in _paths:
        _paths[key] = key[1] if not key[0] else "%s/%s" % (key[0].rstrip("/"), key[1])
    return _paths[key]


def of_unit(unit: Any, target: Any) -> List[Entry]:
    """The entries of an SBCompileUnit in an SBTarget."""
    size = min(unit.GetNumLineEntries(), _MOST)
    first = unit.GetLineEntryAtIndex(0).GetStartAddress() if size else None
    module = "" if first is None else path_of(first.GetModule().GetFileSpec())
    start = 0 if first is None else first.GetLoadAddress(target)
    key = module, path_of(unit.GetFileSpec()), start
    if key not in _known:
        _known[key] = [_entry(unit.GetLineEntryAtIndex(at), target) for at in range(size)]
    return _known[key]


def _entry(entry: Any, target: Any) -> Entry:
    return Entry(entry.GetStartAddress().GetLoadAddress(target),
                 entry.GetEndAddress().GetLoadAddress(target),
                 path_of(entry.GetFileSpec()), entry.GetLine())


def producer(module: Any) -> Optional[str]:
    """The compiler and its options that the strings of an SBModule's debug information have, where
    they have one."""
    found: Set[bytes] = set()
    for name in (".debug_str", ".debug_line_str"):
        data = module.FindSection(name).GetSectionData()
        error = lldb.SBError()
        text = data.ReadRawData(error, 0, min(data.GetByteSize(), _MOST << 4)) \
            if data.IsValid() and data.GetByteSize() else None
        found.update(one for one in (text or b"").split(b"\0")
                     if one.startswith((b"GNU ", b"clang version", b"Debian clang version")))
    return found.pop().decode("utf-8", "replace") if len(found) == 1 else None
