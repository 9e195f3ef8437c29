# SPDX-License-Identifier: MIT
"""What is of use in an object of "ompd why -json", which may come from anywhere: whatever has
another type than it should is not known."""

from __future__ import annotations

import re

from openmp_inspect.core import escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.report import why_text

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

    Key = Tuple[Any, ...]

SCHEMA = "ompd-why/1"
_LARGEST = 1 << 31  # of a rank, a process id, a number of threads
_LONGEST = 240  # of a name or sentence
_MOST_LINES = 32
_MOST_PLACES = 4
_MOST_PARTS = 4096  # threads that are gone through for places
_KIND = re.compile("[a-z-]{1,32}")
_MPI = re.compile("P?MPI_", re.IGNORECASE)
_NUMBER = re.compile(r"(\b(?:0x[0-9a-f]+|[0-9]+)\b)")
CERTAINTIES = (None, "possible", "likely", "certain")


class Process(NamedTuple):
    """One of a job, or without one; who it is wherever it was looked at."""

    rank: Optional[int]
    job: Optional[Name]
    host: Optional[Name]
    pid: Optional[int]
    core: Optional[Name]

    @property
    def order(self) -> Tuple[bool, int, str, str, int, str]:
        """By rank, those that have none last."""
        job, host, core = (name.raw if name else "" for name in (self.job, self.host, self.core))
        return self.rank is None, self.rank or 0, job, host, self.pid or 0, core


class ProcessReport(NamedTuple):
    """Of one process: which it is, and its first verdict."""

    process: Process
    size: Optional[int]
    program: Optional[Name]
    threads: Optional[int]
    kind: str
    id: str
    certainty: int  # 0 to 3
    sentence: Name
    places: Tuple[Name, ...]  # where it is stuck
    functions: Tuple[Name, ...]  # the calls of MPI that it is in, or the functions of these places
    in_mpi: bool  # because other processes have not come
    lines: Tuple[Name, ...]  # as a person reads the verdict

    @property
    def parts(self) -> List[str]:
        """Of the sentence: what is around numbers, and in turn these."""
        return _NUMBER.split(self.sentence.raw)

    @property
    def key(self) -> Key:
        """Equal of verdicts that differ in numbers alone; the surer, the greater. Its beginnings are
        equal of more."""
        return (self.certainty, self.kind, self.id, self.in_mpi, _raw(self.functions),
                _NUMBER.sub("N", self.sentence.raw), _raw(self.places))


def _raw(names: Sequence[Name]) -> Tuple[str, ...]:
    return tuple(name.raw for name in names)


def of_object(value: Dict[str, Any]) -> Optional[ProcessReport]:
    """None: it is none."""
    found = value.get("verdicts")
    verdict = found[0] if isinstance(found, list) and found else None
    if value.get("schema") != SCHEMA or not isinstance(verdict, dict):
        return None
    own = _word(verdict.get("sentence"))
    sentence = _word(value.get("sentence")) or why_text.headline(str(verdict.get("kind")), own or "")
    in_mpi = _is_in_mpi(verdict, sentence)
    return of_facts(dict(
        value, sentence=own and sentence, mpi=in_mpi, places=_places(verdict),
        functions=_functions(verdict, in_mpi),
        **{key: verdict.get(key) for key in ("kind", "id", "certainty")}))


def of_facts(value: Dict[str, Any]) -> Optional[ProcessReport]:
    """Of what facts() returns, from anywhere."""
    kind, ident, sentence, certainty = (
        _word(value.get(key)) for key in ("kind", "id", "sentence", "certainty"))
    if not kind or not _KIND.fullmatch(kind) or not ident or not _KIND.fullmatch(ident) or not sentence:
        return None
    process = process_of(*(value.get(key) for key in Process._fields))
    if process is None:
        return None
    places, functions, lines = (_words(value.get(key), most) for key, most in (
        ("places", _MOST_PLACES), ("functions", _MOST_PLACES), ("lines", _MOST_LINES)))
    return ProcessReport(
        process, _number(value.get("size")) if process.rank is not None else None,
        escaped.name(_word(value.get("program"))), _number(value.get("threads")), kind, ident,
        CERTAINTIES.index(certainty) if certainty in CERTAINTIES else 0, Name(sentence), places,
        functions, value.get("mpi") is True, lines or (Name(sentence),))


def facts(report: ProcessReport) -> Dict[str, Any]:
    """Keys of an object for JSON."""
    return dict(report._asdict(), **report.process._asdict(), process=None, in_mpi=None,
                mpi=report.in_mpi, certainty=CERTAINTIES[report.certainty])


def process_of(rank: Any, job: Any, host: Any, pid: Any, core: Any) -> Optional[Process]:
    """None where they do not say which it is."""
    found = Process(_number(rank), escaped.name(_word(job)), escaped.name(_word(host)), _number(pid),
                    escaped.name(_word(core)))
    return None if found.rank is found.pid is found.core is None else found


def _word(value: Any) -> Optional[str]:
    """A string that can be written, if it is one."""
    if not isinstance(value, str):
        return None
    return value[:_LONGEST].encode("utf-8", "backslashreplace").decode("utf-8")


def _number(value: Any) -> Optional[int]:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST
    return value if known else None


def _words(value: Any, most: int) -> Tuple[Name, ...]:
    found = map(_word, value[:most] if isinstance(value, list) else ())
    return tuple(Name(word) for word in found if word is not None)


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


def _functions(verdict: Dict[str, Any], in_mpi: bool) -> List[str]:
    parts = [part for name in ("links", "at") for part in _parts(verdict, name)]
    calls = {call for call in (_word(part.get("call")) for part in parts) if call and _MPI.match(call)}
    found = in_mpi and calls or set(filter(None, (_word(part.get("function")) for part in parts)))
    return ["%s ()" % name for name in sorted(found)[:_MOST_PLACES]]


def _is_in_mpi(verdict: Dict[str, Any], sentence: str) -> bool:
    calls = [_word(part.get("call")) or "" for part in _parts(verdict, "at")]
    return verdict.get("id") == "mpi" or any(map(_MPI.match, calls)) or \
        re.search(r"\bin P?MPI_", sentence) is not None
