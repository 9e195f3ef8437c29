# SPDX-License-Identifier: MIT
"""What is of use in an object of "ompd why -json", which may come from anywhere: whatever has
another type than it should is not known."""

from __future__ import annotations

import re

from openmp_inspect.core import escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.analysis import verdicts
from openmp_inspect.report import why_text

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

SCHEMA = "ompd-why/1"
_LARGEST = 1 << 31  # of a rank, a process id, a number of threads
_LONGEST = 240  # of a name or sentence
_MOST_LINES = 32
_MOST_PLACES = 4
_MOST_PARTS = 4096  # threads that are gone through for places
_KIND = re.compile("[a-z-]{1,32}")
_MPI = re.compile("P?MPI_", re.IGNORECASE)


class ProcessReport(NamedTuple):
    """Of one process: which it is, and its first verdict."""

    rank: Optional[int]
    size: Optional[int]
    host: Optional[Name]
    job: Optional[Name]
    pid: Optional[int]
    core: Optional[Name]
    program: Optional[Name]
    threads: Optional[int]
    kind: str
    id: str
    certainty: int  # 0 to 3
    sentence: Name
    places: Tuple[Name, ...]  # where it is stuck
    in_mpi: bool  # because other processes have not come
    lines: Tuple[Name, ...]  # as a person reads the verdict


def of_object(value: Dict[str, Any]) -> Optional[ProcessReport]:
    """None: it is none."""
    found = value.get("verdicts")
    verdict = found[0] if isinstance(found, list) and found else None
    if value.get("schema") != SCHEMA or not isinstance(verdict, dict):
        return None
    kind, ident = _word(verdict.get("kind")), _word(verdict.get("id"))
    own = _word(verdict.get("sentence"))
    if not kind or not _KIND.fullmatch(kind) or not ident or not _KIND.fullmatch(ident) or not own:
        return None
    sentence = _word(value.get("sentence")) or why_text.headline(kind, own)
    rank, certainty = _number(value.get("rank")), _word(verdict.get("certainty"))
    host, job, core, program = (escaped.name(_word(value.get(key)))
                                for key in ("host", "job", "core", "program"))
    return ProcessReport(
        rank, _number(value.get("size")) if rank is not None else None, host, job,
        _number(value.get("pid")), core, program, _number(value.get("threads")), kind, ident,
        verdicts.CERTAINTY.get(certainty or "", 0), Name(sentence),
        tuple(map(Name, _places(verdict))), _is_in_mpi(verdict, sentence),
        tuple(map(Name, _lines(value.get("lines")))) or (Name(sentence),))


def _word(value: Any) -> Optional[str]:
    """A string that can be written, if it is one."""
    if not isinstance(value, str):
        return None
    return value[:_LONGEST].encode("utf-8", "backslashreplace").decode("utf-8")


def _number(value: Any) -> Optional[int]:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST
    return value if known else None


def _lines(value: Any) -> Iterator[str]:
    for line in value[:_MOST_LINES] if isinstance(value, list) else ():
        word = _word(line)
        if word is not None:
            yield word


def _parts(verdict: Dict[str, Any], name: str) -> List[Dict[str, Any]]:
    found = verdict.get(name)
    return [one for one in found[:_MOST_PARTS] if isinstance(one, dict)] \
        if isinstance(found, list) else []


def _places(verdict: Dict[str, Any]) -> List[str]:
    """Where threads wait, by line, and where they work, by function: the line is chance. Of what
    has no source, as an MPI library's own threads, only where there is nothing else."""
    found: Set[str] = set()
    foreign: Set[str] = set()
    for name in ("links", "at"):
        for part in _parts(verdict, name):
            file, line = _word(part.get("file")), _number(part.get("line"))
            function = _word(part.get("function"))
            if part.get("does") != "works" and file and line:
                found.add("%s:%d" % (file.rpartition("/")[2], line))
            elif function:
                (found if file else foreign).add(function + " ()")
    return sorted(found or foreign)[:_MOST_PLACES]


def _is_in_mpi(verdict: Dict[str, Any], sentence: str) -> bool:
    calls = [_word(part.get("call")) or "" for part in _parts(verdict, "at")]
    return verdict.get("id") == "mpi" or any(map(_MPI.match, calls)) or \
        re.search(r"\bin P?MPI_", sentence) is not None
