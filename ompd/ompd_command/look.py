# SPDX-License-Identifier: MIT
"""One target: it is opened, stopped if it is alive, asked, and let go."""

from __future__ import annotations

import argparse
import os

from openmp_inspect.core import access, debug, install_paths, lazy_modules, \
    process_root, screen
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.errors import HostError, NoLibrary, UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import library, spaces
from openmp_inspect.code import library_choice, rank_environment
from openmp_inspect.host import demangling
from openmp_inspect.report import node_words, thread_times, why_report
from openmp_inspect.source import source_file
from ompd_command import reports, sampler, snapshot, started, targets
from ompd_command.host import core, elfutils, live
from ompd_command.host.elfutils import NoElfutils
from ompd_command.shell_screen import Screen

if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Sequence, Tuple, Union
    from openmp_inspect.analysis import watching
    from openmp_inspect.code.rank_environment import Rank
    from ompd_command.reports import Report
    from ompd_command.host.rights import Rights
    from ompd_command.targets import Target

# Exit status, as sysexits.h has them.
NO_INPUT, CANNOT_CREATE, NOT_PERMITTED, NOT_READABLE = started.NO_INPUT, 73, 77, 78
_ENDED = "process %d has ended."
# Modules that are executed by the process that asks for a look alone.
_ELSEWHERE = ("openmp_inspect.report.html_document", "openmp_inspect.report.html_text",
              "openmp_inspect.host.held_snapshot", *("ompd_command." + name for name in (
                  "annotation_files", "crash_holder", "group_signals", "isolation", "job_nodes",
                  "merged_page", "record")))
_OF_GRAPHS = "openmp_inspect.report.graphviz"


class Answer(NamedTuple):
    """Of one target: lines or an object, or a sentence about what went wrong."""

    said: Any
    status: int
    failed: Optional[str] = None
    heading: str = ""
    rank: Optional[int] = None
    name: str = ""  # of the target
    children: Sequence[int] = ()  # processes that it waits for
    graph: str = ""  # for graphviz, if it was wanted


def looked(given: Any, target: Target, rights: Rights, enter: Callable[[], None],
           has_names: bool, tell: Callable[[Any], None]) -> Tuple[Answer, bytes]:
    """The Answer to what is GIVEN, and what of it is bytes; in a process of its own. What is opened
    by name is opened before it ENTERs its sandbox, or by the RIGHTS of another one. HAS_NAMES: debug
    information is read. TELL: what is said before the answer."""
    shown = screen.current()
    if isinstance(shown, Screen):
        shown.look_at(target, given.ends)
    try:
        process = _opened(given, target, rights)
        _load(given, has_names)
        root = given.sysroot or (process_root.of_process(target.pid) if target.pid else "")
        enter()
        access.use(rights)
        process.has_names = has_names
        process.begin()
    except PermissionError:
        debug.ignored()
        return Answer(None, NOT_PERMITTED, _not_permitted(target)), b""
    except NoElfutils as error:
        return Answer(None, NOT_READABLE, str(error)), b""
    except (OSError, ValueError, HostError) as error:
        if target.pid and not os.path.exists("/proc/%d" % target.pid):
            return Answer(None, NO_INPUT, _ENDED % target.pid), b""
        return Answer(None, NO_INPUT, "%s cannot be read: %s." % (
            target, getattr(error, "strerror", 0) or error)), b""
    if given.library:
        process.library = os.path.abspath(given.library)
    source_file.are_below(lambda: root)
    return _asked(given, target, process, tell)


def _load(given: Any, has_names: bool) -> None:
    """All code that a look may need."""
    lazy_modules.open_all([*_ELSEWHERE, *[_OF_GRAPHS] * (not vars(given).get("graph"))])
    elfutils.load()
    for path in install_paths.libraries():
        library.keep(path, library.load_own)
    if given.library:
        library.keep(os.path.abspath(given.library), library.load_checked)
    if has_names:
        demangling.load()


def _asked(given: Any, target: Target,
           process: Union[core.CoreProcess, live.LiveProcess],
           tell: Callable[[Any], None]) -> Tuple[Answer, bytes]:
    space = spaces.Space(process, target)
    space.still = process.is_stopped

    def has_run() -> None:
        space.forget()
        space.still = process.is_stopped

    spaces.open_by(library_choice.open_session)
    try:
        if isinstance(process, live.LiveProcess):
            process.when_run = has_run
            report = _of_live(space, given, target, process, tell)
        elif given.command == "snapshot" or given.snapshot:
            raise UserError("%s is a core already." % str(target))
        else:
            process.check_program()
            report = reports.of(space, given, target.threads, _watched(space, given))
        rank = rank_environment.of_process(space)
    except PermissionError:
        debug.ignored()
        return Answer(None, NOT_PERMITTED, _not_permitted(target)), b""
    except ProcessLookupError:
        debug.ignored()
        return Answer(None, NO_INPUT, _ENDED % target.pid), b""
    except (UserError, NoLibrary) as error:
        return Answer(None, NOT_READABLE, str(error)), b""
    return Answer(report.said, report.status, None, _heading(process, target, rank), rank.rank,
                  target.core or "%d" % target.pid, report.children, report.graph), report.core


def _of_live(here: spaces.Space, given: Any, target: Target, process: live.LiveProcess,
             tell: Callable[[Any], None]) -> Report:
    """What is needed is found by asking everything once while the process runs on. It is stopped to
    be copied, and once more if it has moved on so far that something is missing."""
    process.rehearse()
    if given.command in ("top", "record"):
        sampler.run(here, given, process, tell)
    if not process.stops:
        return reports.of(here, given, target.threads)
    if given.command == "snapshot" or given.snapshot:
        snapshot.prepare(given, process, lambda one: reports.of(here, one, ()), reports.COMMANDS)
    if given.command == "snapshot":
        process.look_again()
        return reports.Report(None, core=snapshot.made(process, given.anonymous))
    try:
        reports.of(here, _rehearsed(given), target.threads)
    except (UserError, NoLibrary, HostError):
        debug.ignored()
    process.has_vectors = given.watch is not None
    process.look_again()
    before = _watched(here, given)
    report = reports.of(here, given, target.threads, before)
    if process.stopped_again():
        report = reports.of(here, given, target.threads, before)
    return report._replace(core=snapshot.made(process)) if given.snapshot else report


def _watched(here: spaces.Space, given: Any) -> Optional[watching.Look]:
    """The look with which what is GIVEN is compared, if it is."""
    return None if given.watch is None else why_report.watched(here, given.watch, lambda: here)


def _rehearsed(given: Any) -> Any:
    """The same without what takes time or writes a file."""
    return argparse.Namespace(**dict(vars(given), watch=None, graph=None))


def _opened(given: Any, target: Target,
            rights: Rights) -> Union[core.CoreProcess, live.LiveProcess]:
    if target.core is None:
        return live.LiveProcess(target.pid, not given.nostop, rights, given.held or None)
    return core.CoreProcess(target.core, given.sysroot or "", given.program)


def _heading(process: Union[core.CoreProcess, live.LiveProcess], target: Target,
             rank: Rank) -> str:
    words = [Name(target.core or "%d" % target.pid)]
    if process.program:
        words.append(Name(os.path.basename(process.program)))
    threads = len(process.threads())
    said = "%s, %d thread%s" % (" ".join(map(str, words)), threads, "s" * (threads != 1))
    if rank.rank is not None:
        said += ", rank %d" % rank.rank + (" of %d" % rank.size if rank.size else "")
    if not isinstance(process, live.LiveProcess):
        return said
    if process.crash() is not None:
        return said
    times = process.times()
    if times is not None and times.elapsed is not None:
        said += ", started %s ago" % thread_times.duration(times.elapsed)
    if process.was_stopped:
        said += ", stopped by %s before" % (targets.tracer_of(target.pid) or "a signal")
    if process.stops:
        said += ", " + (node_words.unstopped(process) or
                        "stopped for %s ms" % _milliseconds(process.seconds))
    return said + ", looked at while it ran: may be torn" * (process.is_torn or not process.stops)


def _milliseconds(seconds: float) -> str:
    return "%.*f" % (seconds < 0.00995, seconds * 1000)


def _not_permitted(target: Target) -> str:
    tracer = targets.tracer_of(target.pid)
    if tracer is not None:
        return "process %d is traced by %s, which has to let it go first; \"-nostop\" looks all the " \
            "same, less surely." % (target.pid, tracer)
    try:
        scope = access.current().text("/proc/sys/kernel/yama/ptrace_scope").strip()
    except OSError:
        debug.ignored()
        scope = b"0"
    if target.pid and os.path.exists("/proc/%d" % target.pid) and \
            os.stat("/proc/%d" % target.pid).st_uid == os.getuid() and scope != b"0":
        return "process %d may not be looked at: kernel.yama.ptrace_scope is %d; be root, or have " \
            "CAP_SYS_PTRACE." % (target.pid, int(scope))
    return "%s may not be looked at: be its owner or root." % str(target)
