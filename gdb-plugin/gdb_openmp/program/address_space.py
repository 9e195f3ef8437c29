# SPDX-License-Identifier: MIT
"""The Space of each inferior, and when it is thrown away."""

from __future__ import annotations

import gdb

from openmp_inspect.core import caches
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings.spaces import Space
from openmp_inspect.stacks import stitched_stack
from gdb_openmp.host import inferiors, parameters, process, thread_ids

if TYPE_CHECKING:
    from typing import Dict, Tuple
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from gdb_openmp.host.gdb_types import GdbEvent, GdbInferior

_spaces: Dict[int, Space] = {}  # by inferior number


def current() -> Space:
    """The Space of the selected inferior."""
    inferior = gdb.selected_inferior()
    space = _spaces.get(inferior.num)
    if space is not None and space.identity != _identity(inferior):
        discard(inferior.num)
        space = None
    if space is None:
        space = _spaces[inferior.num] = Space(process.current(), _identity(inferior))
    if not space.still:
        space.still = not any(thread.is_running() for thread in thread_ids.threads(inferior))
    if not space.still and not space.is_in_use:
        space.forget()  # non-stop: what was read may be old already
    return space


def stacks() -> StitchedStacks:
    """The StitchedStacks of the selected inferior at this stop."""
    return stitched_stack.of(current())


def _identity(inferior: GdbInferior) -> Tuple[int, int, str]:
    return inferior.pid, inferiors.connection_number(inferior), parameters.library()


def discard(number: int) -> None:
    """Forgets what is known of an inferior."""
    space = _spaces.pop(number, None)
    if space is not None:
        space.close()


def _drop_pages(_event: GdbEvent) -> None:
    # Memory may be shared between inferiors (fork, threads of a checkpoint): all of them.
    for space in _spaces.values():
        space.forget()


def _drop_space(event: GdbEvent) -> None:
    caches.forget_code()  # the next process may have it elsewhere
    inferior = getattr(event, "inferior", None)
    if inferior is not None:
        discard(inferior.num)


def _drop_all(_event: GdbEvent) -> None:
    """Libraries came or went (dlopen, exec, another core): symbols are looked up again."""
    caches.forget_code()
    for number in list(_spaces):
        discard(number)


def watch() -> None:
    """Follows gdb's events. Called once."""
    events = gdb.events
    for name, action in (("cont", _drop_pages), ("stop", _drop_pages),
                         ("memory_changed", _drop_pages), ("inferior_call", _drop_pages),
                         ("exited", _drop_space), ("inferior_deleted", _drop_space),
                         ("new_objfile", _drop_all), ("clear_objfiles", _drop_all),
                         ("free_objfile", _drop_all)):
        registry = getattr(events, name, None)
        if registry is not None:
            registry.connect(action)
