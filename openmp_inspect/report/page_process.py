# SPDX-License-Identifier: MIT
"""What a process is, for its page: how it was started, when, with what. Whoever sends a page may leave
parts of it out."""

from __future__ import annotations

import itertools
import math
import shlex

from openmp_inspect.core import debug, proc_files, text
from openmp_inspect.core.errors import HostError, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.model import checkup
from openmp_inspect.code import start_environment
from openmp_inspect.report import thread_times

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, List, Optional
    from openmp_inspect.stacks.user_frames import Walker

_MOST_THREADS, _MOST_FRAMES = 4, 64  # whose source is asked for its compiler
SOURCE = "source"


def parts(words: Optional[str], no_source: bool) -> List[str]:
    """The parts that are named by what somebody has typed, or None; UserError."""
    found = words.split(",") if words else []
    unknown = [word for word in found if word not in (*_PARTS, SOURCE)]
    if unknown:
        raise UserError('A page has no part "%s" that can be left out: there are %s.' % (
            unknown[0], ", ".join([*_PARTS, SOURCE])))
    return found + [SOURCE] * no_source


def facts(said: Dict[str, Any], status: Dict[str, Any], walker: Walker,
          without: Collection[str]) -> List[List[str]]:
    """[[name, value], ...] of a process, of which "ompd why -json" has SAID what it is, and "ompd
    status" its STATUS."""
    found = [(name, of(said, walker)) for name, of in _PARTS.items() if name not in without]
    return [[name, value if isinstance(value, str) else "; ".join(value)]
            for name, value in [*found, *status.items()] if value]


def _command(_said: Dict[str, Any], _walker: Walker) -> str:
    return " ".join(map(shlex.quote, start_environment.arguments(_walker.space)))


def _directory(_said: Dict[str, Any], walker: Walker) -> str:
    process = walker.process
    return process.origin == interface.LIVE and proc_files.directory(process.pid) or ""


def _started(_said: Dict[str, Any], walker: Walker) -> str:
    process = walker.process
    times = process.times()
    if times is None or times.elapsed is None:
        return ""
    age = "%s before" % thread_times.duration(times.elapsed)
    if process.origin != interface.LIVE:
        return age
    return "%s, %s" % (text.moment(times.elapsed), age)


def _processors(_said: Dict[str, Any], walker: Walker) -> str:
    process = walker.process
    allowed, quota = process.allowed_processors(), process.processor_quota()
    total = process.machine_processors()
    words = [] if allowed is None else [
        "%d of %d" % (len(allowed), total) if total else "%d" % len(allowed)]
    if quota is not None and quota < math.inf:
        words.append("the time of %g" % quota)
    return ", ".join(words)


def _settings(_said: Dict[str, Any], _walker: Walker) -> str:
    found = start_environment.variables(_walker.space, checkup.is_setting) or {}
    return "; ".join("%s=%s" % one for one in sorted(found.items()))


def _compiler(_said: Dict[str, Any], walker: Walker) -> str:
    """Of what the first threads execute."""
    found: Dict[str, None] = {}
    try:
        for _, thread in walker.process.threads()[:_MOST_THREADS]:
            for frame in itertools.islice(walker.user_frames(thread), _MOST_FRAMES):
                file = frame.frame.line.file
                found.update({} if file is None else {file.producer(): None})
    except HostError:
        debug.ignored()
    return "; ".join(filter(None, found))


# To add a part: its name, by which it is left out, and what it is in words, nothing where that is not known.
_PARTS: Dict[str, Callable[[Dict[str, Any], Walker], str]] = {
    "command": _command, "directory": _directory,
    "host": lambda said, _walker: said.get("host") or "",
    "job": lambda said, _walker: said.get("job") or "",
    "started": _started, "processors": _processors, "settings": _settings, "compiler": _compiler}
