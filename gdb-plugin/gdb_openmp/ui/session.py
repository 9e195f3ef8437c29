# SPDX-License-Identifier: MIT
"""How every command begins: is there a program to look at, and what can be known of it?"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import callbacks
from openmp_inspect.model.snapshot import Snapshot
from gdb_openmp.host import allowed_processors, inferiors, parameters, thread_ids
from gdb_openmp.program import address_space
from gdb_openmp.ui import explanations

if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, Optional, Tuple, TypeVar
    from gdb_openmp.host.gdb_types import GdbInferior
    from openmp_inspect.model.icv_table import Setting
    from openmp_inspect.model.objects import Thread
    Answer = TypeVar("Answer")


_MOST_UNASKED = 64  # threads of a process that a verdict is offered of


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


@contextlib.contextmanager
def snapshot() -> Iterator[Snapshot]:
    """A snapshot.Snapshot of the selected inferior. NoLibrary or OmpdError if there is none."""
    with Snapshot(address_space.current().session) as result:
        yield result


def of_selected(ask: Callable[[Thread], Answer]) -> Optional[Answer]:
    """What ASK returns of the model's Thread that the selected thread is, while the snapshot lives;
    None where OpenMP does not know it, or that cannot be had."""
    try:
        with snapshot() as known:
            thread = known.by_lwp.get(thread_ids.lwp(gdb.selected_thread()))
            return None if thread is None else ask(thread)
    except (errors.OmpdError, errors.NoLibrary, gdb.error):
        debug.ignored()
        return None


def place_in_team() -> Optional[Tuple[int, int]]:
    """(the selected thread's number, the size of its team), or None outside of regions and where
    that cannot be had."""
    return of_selected(lambda thread: None if thread.region is None else
                       (thread.number, thread.region.size))


def offers_verdicts() -> bool:
    """Whether a verdict is to be offered that nobody has asked for."""
    threads = thread_ids.threads(gdb.selected_inferior())
    return parameters.verdicts() and len(threads) <= _MOST_UNASKED


@contextlib.contextmanager
def sentences() -> Iterator[None]:
    """Errors inside become gdb's own, in one sentence."""
    try:
        yield
        callbacks.raise_pending()
    except (errors.NoLibrary, errors.OmpdError, errors.HostError, gdb.MemoryError) as error:
        raise gdb.GdbError(explanations.sentence(error)) from None


def processors(inferior: GdbInferior, settings: Iterable[Setting]) -> Optional[str]:
    """How many processors the process may use, as text: by the one of its ICVs, objects with a
    name and a value, that says so, or by what is known of a live process; or None."""
    known = next((one.value for one in settings if one.name == "num-procs-var"), None)
    allowed = allowed_processors.of_process(inferior) if known is None else None
    return known if allowed is None else str(len(allowed))
