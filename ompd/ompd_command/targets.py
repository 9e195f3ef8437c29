# SPDX-License-Identifier: MIT
"""What a command is about: processes by id or name, threads by id, cores; or all that have a
runtime."""

from __future__ import annotations

import itertools
import os
import stat

from openmp_inspect.core import debug, elf, proc_files, regular_file, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from ompd_command import runtime_search
from ompd_command.host import packed_core, ptrace
from ompd_command.monitor import Owner

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

_PROGRAMS = elf.EXECUTABLE, elf.SHARED
_OTHERS = "-all takes all of yours that have a runtime"


class NoTarget(Exception):
    """There is no such process or core; the text is a sentence."""


class Target(NamedTuple):
    pid: int  # 0 of a core
    core: Optional[str]  # its path, or packed_core.INPUT
    threads: Tuple[int, ...]  # of a process those that were meant, none: all

    def __str__(self) -> str:
        return "process %d" % self.pid if self.core is None else \
            "standard input" if self.core == packed_core.INPUT else self.core


def chosen(given: Any) -> Tuple[List[Target], List[str]]:
    """The Targets that the command line means, each once, and sentences about words of it that mean
    none: a process may just have ended. NoTarget where "-all" or "-job" finds none."""
    for option, path, kind, is_there in (("sysroot", given.sysroot, "directory", os.path.isdir),
                                         ("program", given.program, "file", os.path.isfile)):
        if path is not None and not is_there(path):
            raise NoTarget("There is no %s %s, which -%s names." % (kind, path, option))
    found: List[Target] = []
    missing = []
    for word in given.targets:
        try:
            found += of_word(word)
        except NoTarget as error:
            missing.append(str(error))
    if given.part is not None:
        found += [Target(pid, None, ()) for pid in runtime_search.of_user(given.all or "", given.part)]
    elif given.all is not None:
        found += _all_of(runtime_search.of_user(given.all), "No process of yours%s" % (
            " whose program is %s" % given.all if given.all else ""))
    if given.job is not None:
        if not proc_files.status(given.job):
            raise NoTarget("There is no process %d%s." % (
                given.job, ", and no job of that number runs" * (given.command == "why")))
        found += _all_of(runtime_search.below(given.job), "No process below %d" % given.job)
    return _merged(found), missing


def _merged(found: List[Target]) -> List[Target]:
    """Each process once: two looks would be in each other's way. Its id is that of its first thread
    where others of its threads are meant, too."""
    threads: Dict[Tuple[int, Optional[str]], List[Tuple[int, ...]]] = {}
    for pid, core, meant in found:
        threads.setdefault((pid, core), []).append(meant)
    return [Target(pid, core, tuple(dict.fromkeys(itertools.chain(*some)))
                   if all(some) and set(some) != {(pid,)} else ())
            for (pid, core), some in threads.items()]


def _all_of(processes: List[int], none: str) -> List[Target]:
    if not processes:
        raise NoTarget(none + " has an OpenMP runtime loaded; one that is linked to it statically is "
                       "looked at by its id.")
    return [Target(pid, None, ()) for pid in processes]


def of_word(word: str) -> List[Target]:
    """The Targets that a WORD of the command line means: an id, a core's path, "-" for one that is
    piped, or a program, by its name or its path, that runs."""
    if word.isdigit() and len(word) < 10:
        return [_of_id(int(word))]
    if word == packed_core.INPUT:
        return [Target(0, word, ())]
    kind = _kind(word)
    processes = [] if kind == elf.CORE else runtime_search.named(word) if "/" not in word else \
        runtime_search.executing(word) if kind in _PROGRAMS else []
    if processes:
        return [Target(pid, None, ()) for pid in processes]
    if kind in _PROGRAMS:
        raise NoTarget("%s is no core, and no process of yours executes it; %s." % (word, _OTHERS))
    if os.path.exists(word):
        return [_of_core(word)]
    raise NoTarget("There is no file %s%s; %s." % (
        word, "" if "/" in word else ", and no process of yours has that name", _OTHERS))


def _of_id(number: int) -> Target:
    """A process, or the one that has a thread of this id."""
    words = proc_files.status(number)
    if not words:
        raise NoTarget("There is no process %d; %s." % (number, _OTHERS))
    process = int(words.get(b"Tgid", b"0"))
    if proc_files.has_ended(number) and ptrace.living(process) is None:
        raise NoTarget("Process %d has ended." % number)
    return Target(process or number, None, (number,))


def described(target: Target) -> str:
    """A target in a sentence, with what is known of it without a look."""
    program = proc_files.program(target.pid) if target.pid else None
    return str(target) if program is None else "%s (%s, %s)" % (
        target, os.path.basename(program),
        text.count(len(proc_files.threads(target.pid)), "thread"))


def owner_of(target: Target) -> Optional[Owner]:
    """Who it is of; None for a user, who has no more rights than that one."""
    if os.geteuid() != 0:
        return None
    try:
        if target.core is not None:
            found = os.stat(target.core)
            return Owner(found.st_uid, found.st_gid, [])
        words = proc_files.status(target.pid)
        return Owner(int(words[b"Uid"].split()[0]), int(words[b"Gid"].split()[0]),
                     [int(word) for word in words[b"Groups"].split()])
    except (OSError, LookupError, ValueError):
        debug.ignored()  # it has ended
        return Owner(0, 0, [])


def tracer_of(number: int) -> Optional[str]:
    """What traces a process already, in words, or None."""
    tracer = int(proc_files.status(number).get(b"TracerPid", b"0")) if number else 0
    if not tracer:
        return None
    name = proc_files.status(tracer).get(b"Name", b"?")
    return "process %d (%s)" % (tracer, name.decode("utf-8", "surrogateescape"))


def _of_core(path: str) -> Target:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NoTarget("%s is no file: a TARGET is a process or a core, of which \"-\" is one on standard "
                       "input." % path)
    return Target(0, path, ())


def _kind(path: str) -> Optional[int]:
    """That of an ELF file, None of another one, or of none."""
    try:
        with regular_file.opened(path) as stream:
            return elf.read(stream).header.type
    except (OSError, ValueError):
        debug.ignored()
        return None
