# SPDX-License-Identifier: MIT
"""What `ompd run -watchdog` says in the log of a job, framed as its runner folds it, and the files of
-report beside that."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time

from openmp_inspect.core import debug, screen, text, whole_file
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import rank_environment
from openmp_inspect.report import html_page
from ompd_command import merged_json, merged_text, merged_verdicts, process_report

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

MOST_LINES = 30  # of one report
_LIKELY = 2
_FORBIDDEN = re.compile(r"[^\w.-]", re.ASCII)  # in names of files
_MOST_PROCESSES = 4  # with lines of their own
# By the variable that a runner sets to "true": what stands before the title of a fold, and behind it.
_FRAMES = {"GITHUB_ACTIONS": ("::group::", "::endgroup::\n"),
           "GITLAB_CI": ("section_start:{now}:ompd_{now}[collapsed=true]\r\033[0K",
                         "section_end:{now}:ompd_{now}\r\033[0K\n")}


class Hang(NamedTuple):
    """What a look at one process says, for people, for programs, and, if it was asked for, for a
    page; and its snapshot. `still`: what it does, equal while it does not get any further, or
    None where it does, or works alone; `computes`: a thread has new values all the time, or may
    have."""

    lines: List[str]
    facts: Dict[str, Any]
    certainty: int
    of_page: Optional[Dict[str, Any]]
    core: bytes
    still: Optional[str]
    computes: bool

    @property
    def is_stuck(self) -> bool:
        """Whether it is likely that nobody can end its waits, no other process either."""
        return self.certainty >= _LIKELY and self.facts["verdicts"][0]["kind"] != "waiting"

    @property
    def is_in_mpi(self) -> bool:
        """Whether it waits for other processes."""
        report = process_report.of_object(self.facts)
        return report is not None and report.in_mpi

    @property
    def key(self) -> object:
        """Equal of looks that have found the same."""
        first = self.facts["verdicts"][0]
        return first["id"], tuple(first["threads"])


def write(why: str, hangs: Dict[int, Hang], directory: Optional[str], below: Optional[int]) -> None:
    """Says WHY it is written, and what was found of each process, of ranks or of many as merge.py does;
    what there is more of it goes into the DIRECTORY, which is open as BELOW, if there is one. A log that
    cannot be written is left."""
    frame = next((one for name, one in _FRAMES.items() if os.environ.get(name) == "true"), ("", ""))
    files = [] if directory is None or below is None else [
        _kept(process, hang, directory, below) for process, hang in hangs.items()]
    reports = [(hang.lines, files[at:at + 1]) for at, hang in enumerate(hangs.values())]
    merged = _merged(hangs)
    if merged:
        reports = [(merged, files[:1] + ["the same of each of them"] * bool(files))]
    most = (MOST_LINES - 1) // max(len(reports), 1) - 4
    try:
        for (heading, title, *rest), kept in reports:
            if len(rest) > most:
                more = text.count(len(rest) - most, "more line")
                rest = rest[:most] + ["  ... " + (more if kept else "%s with -report DIR" % more)]
            _say(["ompd: %s: %s" % (why, heading)])
            _say([title, *rest], frame)
            _say("ompd: " + one for one in kept)
    except OSError:
        debug.ignored()


def _merged(hangs: Dict[int, Hang]) -> List[str]:
    """One report of ranks, or of many; nothing where they are neither."""
    merged = merged_verdicts.Merged()
    if len(hangs) <= _MOST_PROCESSES and not (len(hangs) > 1 and any(
            hang.facts.get("rank") is not None for hang in hangs.values())):
        return []
    for hang in hangs.values():
        merged_json.add(merged, hang.facts)
    return merged_text.lines(merged)


def _say(lines: Iterable[str], frame: Tuple[str, str] = ("", "")) -> None:
    """LINES, the first of which is the title of a FRAME."""
    first, last = (part.format(now=int(time.time())) for part in frame)
    sys.stderr.write(first + screen.printable("".join(line + "\n" for line in lines)) + last)
    sys.stderr.flush()


def file_name(process: int, rank: Optional[int] = None) -> str:
    """That of a report on a PROCESS, without its ending: none of another node is the same."""
    return "ompd-%s-%s%d" % (_FORBIDDEN.sub("_", os.uname().nodename),
                             "" if rank is None else "r%d-" % rank, process)


class Node:
    """The ranks of one job on this node: each that hangs tells the others, by a file in the directory that is
    open as BELOW."""

    def __init__(self, below: Optional[int]) -> None:
        own = rank_environment.of_variables(dict(os.environ))
        self._below = None if own.rank is None or own.job is None else below
        self._name = _FORBIDDEN.sub("_", "ompd-%s-job-%s.told" % (
            os.uname().nodename, "" if own.job is None else own.job.raw))
        self._last = self._time()

    def _time(self) -> Optional[int]:
        """When somebody has told, in nanoseconds."""
        if self._below is None:
            return None
        try:
            return os.stat(self._name, dir_fd=self._below, follow_symlinks=False).st_mtime_ns
        except OSError:
            debug.ignored()
            return None

    def tell(self) -> None:
        if self._below is not None:
            with contextlib.suppress(OSError):  # they look for themselves
                os.close(os.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600,
                                 dir_fd=self._below))
                os.utime(self._name, dir_fd=self._below, follow_symlinks=False)
            self._last = self._time()

    def was_told(self) -> bool:
        """Whether another one has told, since this was asked last."""
        last, self._last = self._last, self._time()
        return self._last != last


def _kept(process: int, hang: Hang, directory: str, below: int) -> str:
    """Makes files of all that a look has found; a sentence."""
    contents: Dict[str, Union[str, bytes]] = {
        ".txt": "\n".join(hang.lines) + "\n", ".json": json.dumps(hang.facts), ".core": hang.core}
    if hang.of_page is not None:
        contents[".html"] = html_page.page(hang.of_page)
    try:
        name = whole_file.make(below, file_name(process, hang.facts.get("rank")), contents)
    except OSError as error:
        return "%s: %s" % (directory, error.strerror)
    return "all stacks, page and snapshot in %s.txt, .html and .core" % os.path.join(directory, name)
