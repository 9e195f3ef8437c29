# SPDX-License-Identifier: MIT
"""What `ompd run` takes before a program, and how the watchdog has processes looked at."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Optional
    from ompd_command.host.held import CrashedProcess

ENDED = 79  # exit status where a watchdog has ended the program: none of sysexits.h, timeout(1) or a signal
# `ompd run`'s own, before a program, as arguments.COMMANDS has them; other ones are ompd-run's.
OPTIONS = (
    ("watchdog", "SECONDS", "report a program that makes no progress for so long, or is ended"),
    ("report", "DIR", "where to, as text, JSON, a page and a snapshot, beside the log"),
    ("summary", None, "without -watchdog: say at its end where the time went, in 15 lines at most"),
    ("junit", "FILE", "write the verdict as a test case that has failed, with the line of the source"),
    ("sarif", "FILE", "write it as the result of an analysis, likewise"),
    ("kill", None, "end one that makes no progress, with exit status %d" % ENDED),
    ("status", "N", "this exit status in place of that"))


class Files(NamedTuple):
    """The paths that annotation_files.py writes to."""

    junit: Optional[str]
    sarif: Optional[str]


class WatchdogOptions(NamedTuple):
    """How `ompd run` watches a program."""

    seconds: float
    directory: Optional[str]  # where the report goes beside the log
    below: Optional[int]  # the same, open
    files: Files
    program: str
    kills: bool
    status: int  # with which it ends where it has ended the program


class How(NamedTuple):
    """How a process is looked at: for how many seconds it is watched, whether for a page and a
    snapshot, too, how long the answer may take, those that crash_holder.py keeps stopped, and whether
    it is about to end."""

    watch: Optional[float]
    page: bool
    limit: float
    crashed: Dict[int, CrashedProcess] = {}
    ends: bool = False
