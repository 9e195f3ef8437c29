# SPDX-License-Identifier: MIT
"""How every command begins: is there a program to look at, and what can be known of it?"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.stacks import enclosing_body
from openmp_inspect.report import explanations
from gdb_openmp.host import inferiors, options, process, thread_ids
from gdb_openmp.program import address_space

if TYPE_CHECKING:
    from typing import Callable, ContextManager, Iterator, Optional, Tuple, TypeVar
    from gdb_openmp.host.gdb_types import GdbFrame, GdbInferior
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.stacks.enclosing_body import Resumption
    Answer = TypeVar("Answer")


def need_program() -> GdbInferior:
    """Raises GdbError unless the selected inferior is a stopped process or a core."""
    inferior = gdb.selected_inferior()
    threads = thread_ids.threads(inferior) if inferior.pid else []
    if not threads:
        raise gdb.GdbError(
            'There is no process: type %s"run", attach to one, or open a core file first.' % (
                '"file PROGRAM" and ' if inferiors.program() is None else ""))
    if all(thread.is_running() for thread in threads):
        raise gdb.GdbError('The program is running: type "interrupt" to stop it first.')
    return inferior


def snapshot() -> ContextManager[Snapshot]:
    """The Snapshot of the selected inferior. NoLibrary or OmpdError if there is none."""
    return Snapshot.of(address_space.current())


def of_selected(ask: Callable[[Thread], Answer]) -> Optional[Answer]:
    """What ASK returns of the model's Thread that the selected thread is, while the snapshot lives;
    None where OpenMP does not know it, or that cannot be had."""
    try:
        with snapshot() as known:
            thread = known.by_lwp.get(thread_ids.lwp(gdb.selected_thread()))
            return None if thread is None else ask(thread)
    except (errors.OmpdError, errors.NoLibrary, errors.HostError, gdb.error):
        debug.ignored()
        return None


def place_in_team() -> Optional[Tuple[int, int]]:
    """(the selected thread's number, the size of its team), or None outside of regions and where
    that cannot be had."""
    return of_selected(lambda thread: None if thread.region is None else
                       (thread.number, thread.region.size))


def successor() -> Optional[Resumption]:
    """Where the thread that has encountered the selected one's region goes on behind it, or None."""
    with inferiors.selection_kept():
        return of_selected(lambda _thread: enclosing_body.successor(
            address_space.stacks(), gdb.selected_thread()))


def body_of_region() -> Optional[int]:
    """Where the body of the selected thread's innermost region begins, or None."""
    with inferiors.selection_kept():
        return of_selected(lambda _thread: enclosing_body.of_region(
            address_space.stacks(), gdb.selected_thread()))


def runs_task(body: GdbFrame) -> Optional[bool]:
    """Whether the BODY in a frame of the selected thread is an explicit task's; None where that is
    not certain."""
    with inferiors.selection_kept():
        return of_selected(lambda _thread: enclosing_body.is_task(
            address_space.stacks(), gdb.selected_thread(), process.Frame(body)))


@contextlib.contextmanager
def sentences() -> Iterator[None]:
    """Errors inside become gdb's own, in one sentence."""
    with options.user_errors(), explanations.explained(process.current()):
        try:
            yield
        except gdb.MemoryError as error:
            raise errors.HostError(str(error)) from None
