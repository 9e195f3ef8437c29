# SPDX-License-Identifier: MIT
"""ompd apply"""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import thread_paths
from gdb_openmp.host import console, gdb_text, inferiors, options, process
from gdb_openmp.program import address_space
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import List, Optional, Sequence, Tuple
    from gdb_openmp.host.gdb_types import GdbThread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.report.thread_paths import Member

_WHICH = regex(r"(team|all|level\s+(\d{1,9})|\d[\d.,-]*)(\s+|$)")
_FLAG = regex(r"-([qcs])(\s+|$)")


class Command(options.Helpful):
    """Apply a command to threads that OpenMP numbers choose.

Usage: ompd apply [WHICH] [-q] [-c | -s] COMMAND

WHICH is one of
  team      the team of the selected thread; so it is without WHICH
  all       every OpenMP thread, those that are idle last
  level L   the threads that are L parallel regions deep
  0,2-3     threads by number, 2.0-1 in the team that thread 2 has opened, as
            "ompd thread" takes them
In each thread the innermost frame of your own code is selected. Thread and
frame are selected as before at the end.

  -q   does not print which thread it is
  -c   prints the error when COMMAND fails, and goes on
  -s   says nothing when COMMAND fails or prints nothing, and goes on
Without -c and -s an error ends it."""

    def __init__(self) -> None:
        super().__init__("ompd apply", gdb.COMMAND_RUNNING)

    def act(self, argument: str, from_tty: bool) -> None:
        which, flags, command = _parse(argument)
        session.need_program()
        with session.sentences(), session.snapshot() as snapshot:
            chosen = choose(snapshot, which)
            # COMMAND may let the program run: what follows needs nothing of the snapshot.
            headers = [(m.thread, m.name(inferiors.system_name(m.thread))) for m in chosen]
        with inferiors.selection_kept():
            for thread, name in headers:
                if thread.is_valid():
                    _apply(thread, "\n%s:\n" % name, flags, command, from_tty)

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        """What COMMAND may be; in its place also the words that WHICH may be."""
        _, _, rest = _split(text)
        if word is None or not text.endswith(word) or len(word) > len(rest):
            return []
        if rest.startswith("-") and " " not in rest:
            return options.after_dash(word, "csq")
        found = gdb_text.printed("complete " + rest).splitlines() if rest else []
        if rest == text and " " not in text:
            found += [which for which in ("all", "level", "team") if which.startswith(text)]
        return sorted(line[len(rest) - len(word):] for line in found)


def _split(argument: str) -> Tuple[str, str, str]:
    """(WHICH, the letters of the flags, COMMAND)"""
    found = _WHICH.match(argument)
    which = found.group(1) if found else "team"
    rest = argument[found.end():] if found else argument
    flags = ""
    while True:
        flag = _FLAG.match(rest)
        if not flag:
            return which, flags, rest
        flags += flag.group(1)
        rest = rest[flag.end():]


def _parse(argument: str) -> Tuple[str, str, str]:
    which, flags, rest = _split(argument)
    if rest[:1].isdigit():  # no command begins so
        raise gdb.GdbError('"%s" is no list of OpenMP numbers: give one as 0,2-3.' %
                           rest.split()[0])
    if re.match(r"-\w", rest):
        raise gdb.GdbError('"ompd apply" has no option "%s": there are -q, -c and -s.' %
                           rest.split()[0])
    if "c" in flags and "s" in flags:
        raise gdb.GdbError("-c and -s exclude each other: choose one of them.")
    if not rest.strip():
        raise gdb.GdbError('Give a command to apply, as in "ompd apply team bt".')
    word = re.match(r"[A-Za-z]\w*", rest)
    if word is not None and not _is_command(word.group()):
        raise gdb.GdbError('"%s" is no command, and no choice of threads: these are team, all, '
                           'level L, and numbers as 0,2-3.' % word.group())
    return which, flags, rest


def _is_command(word: str) -> bool:
    try:
        gdb_text.printed("help " + word)
    except gdb.error:
        debug.ignored()
        return False
    return True


def choose(snapshot: Snapshot, which: str) -> List[Member]:
    """The thread_paths.Members that WHICH names, in their order."""
    everybody = thread_paths.everybody(snapshot)
    own = thread_paths.among(everybody, gdb.selected_thread())
    if which == "all":
        chosen = everybody
    elif which == "team":
        chosen = team_of(own, everybody)
    elif which.startswith("level"):
        level = int(which.split()[1])
        chosen = [m for m in everybody if m.root is not None and m.known.level == level]
    else:
        indexed = thread_paths.index(everybody)
        found = [thread_paths.find(path, indexed, own) for path in thread_paths.parse_list(which)]
        chosen = list(dict.fromkeys(found))  # each once
    if not chosen:
        raise gdb.GdbError("No OpenMP thread is %s." %
                           ("here" if which == "all" else "at " + which))
    return chosen


def team_of(own: Optional[Member], everybody: Sequence[Member]) -> List[Member]:
    """The Members of the innermost team of one of them, by rising number."""
    if own is None or own.root is None:
        raise gdb.GdbError('The selected thread is in no team: select another one with "ompd '
                           'thread N", or choose all.')
    region = own.known.region
    if region is None:
        return [own]
    by_lwp = {m.known.lwp: m for m in everybody}
    return [by_lwp[t.lwp] for t in region.team if t.lwp in by_lwp]


def _apply(thread: GdbThread, header: str, flags: str, command: str, from_tty: bool) -> None:
    thread.switch()
    frame = address_space.stacks().walker.user_frame(thread)
    if frame is not None:
        process.gdb_frame(frame.frame).select()
    silent = "s" in flags
    if "q" not in flags and not silent:
        console.write(header)
    try:
        printed = gdb_text.exact(gdb.execute, command, from_tty, silent)
        if printed:
            console.write(("" if "q" in flags else header) + printed)
    except gdb.error as error:
        if "c" in flags:
            console.write("%s\n" % error)
        elif not silent:
            raise gdb.GdbError(str(error)) from None
