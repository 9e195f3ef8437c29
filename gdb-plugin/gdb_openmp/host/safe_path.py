# SPDX-License-Identifier: MIT
"""gdb's auto-load safe-path: the directories from which its user lets code be loaded."""

from __future__ import annotations

import fnmatch
import os
import re

import gdb

from openmp_inspect.core import trusted_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import Iterator, List, Sequence

_VARIABLES = {"debugdir": "debug-file-directory", "datadir": "data-directory"}
_VARIABLE = re.compile(r"(?<![^/:])\$(%s)(?![^/:])" % "|".join(_VARIABLES))


def covers(path: str) -> bool:
    """Whether an absolute PATH lies within one of them by its name alone: nothing is looked
    up under it."""
    if not os.path.isabs(path) or os.path.normpath(path) != path:
        return False
    parts = _parts(path)
    return any(_is_prefix(_parts(entry), parts) for entry in _entries())


def _entries() -> Iterator[str]:
    """As gdb expands them; each also by the directory that it leads to."""
    text = _VARIABLE.sub(lambda found: _setting(_VARIABLES[found.group(1)]),
                         _setting("auto-load safe-path"))
    for entry in filter(None, text.split(":")):
        entry = os.path.expanduser(entry)
        if os.path.isabs(entry):
            yield entry
        yield trusted_file.resolved(entry)


def _setting(name: str) -> str:
    return gdb_text.exact(gdb.parameter, name) or ""


def _parts(path: str) -> List[str]:
    return [part for part in path.split("/") if part]


def _is_prefix(patterns: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether each of PATTERNS, which may have wildcards, matches a whole component."""
    return len(patterns) <= len(parts) and all(map(fnmatch.fnmatchcase, parts, patterns))
