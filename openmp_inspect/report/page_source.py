# SPDX-License-Identifier: MIT
"""The lines of the source around the places that verdicts name, for a page."""

from __future__ import annotations

from openmp_inspect.core import debug, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import source_file
from openmp_inspect.analysis.evidence_items import INFERRED

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Process

    Facts = Dict[str, Any]

_AROUND = 3  # lines
_MOST = 8  # places of a verdict
_MOST_FILES = 8
_LONGEST = 160  # of a line


def of_verdicts(process: Process, verdicts: Sequence[Facts]) -> List[List[Facts]]:
    """Of each verdict, as "ompd why -json" has it: since where, and at which lines threads hold and wait,
    each with its number, the lines around it from number `first` on, and whether the file is newer than
    the program."""
    files: Dict[str, Optional[Tuple[List[str], bool]]] = {}
    made = _changed(process.program)
    return [list(_of_verdict(verdict, files, made)) for verdict in verdicts]


def _of_verdict(verdict: Facts, files: Dict[str, Optional[Tuple[List[str], bool]]],
                made: float) -> Iterator[Facts]:
    for (word, path, file, line), threads in list(_places(verdict).items())[:_MOST]:
        if path not in files and len(files) < _MOST_FILES:
            files[path] = _read(path, made)
        found = files.get(path)
        if found is not None and line <= len(found[0]):
            first = max(line - _AROUND, 1)
            yield {"word": word, "place": text.source_line(file, line), "threads": threads,
                   "first": first, "line": line, "is_newer": found[1],
                   "lines": [one[:_LONGEST].expandtabs()[:_LONGEST]
                             for one in found[0][first - 1:line + _AROUND]]}


def _places(verdict: Facts) -> Dict[Tuple[str, str, str, int], List[int]]:
    """{(word, path, file, line): threads}"""
    found: Dict[Tuple[str, str, str, int], List[int]] = {}
    parts = [("~since" if held["source"] in INFERRED else "since", held, held["since"] or {})
             for held in verdict["holds"]] + [
        ("at", part, part) for part in [*verdict["links"], *verdict["at"]]]
    for word, part, place in parts:
        if place.get("fullname") and place["line"]:
            threads = found.setdefault((word, place["fullname"], place["file"], place["line"]), [])
            threads += [part["thread"]] * (part["thread"] is not None)
    return found


def _read(path: str, made: float) -> Optional[Tuple[List[str], bool]]:
    """(the lines of a file, whether it has changed since the program was MADE)"""
    try:
        lines, changed = source_file.shown(path)
        return lines, changed > made
    except (OSError, ValueError, MemoryError):
        debug.ignored()
        return None


def _changed(program: Optional[str]) -> float:
    """When that file was changed last, as far as is known."""
    try:
        return source_file.status(program or "").st_mtime
    except (OSError, ValueError):
        debug.ignored()
        return float("inf")
