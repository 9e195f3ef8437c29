# SPDX-License-Identifier: MIT
"""Caches that are valid until a program or library is loaded or unloaded, or a process ends.

Each is registered here; a debugger, which follows what happens to its processes, clears them all.
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

_forgetters: List[Callable[[], None]] = []


def of_code() -> Dict[Any, Any]:
    """A dictionary that is emptied when the code of some program changes."""
    found: Dict[Any, Any] = {}
    when_code_changes(found.clear)
    return found


def when_code_changes(forget: Callable[[], None]) -> None:
    """Has FORGET called, without arguments, when the code of some program changes."""
    _forgetters.append(forget)


def forget_code() -> None:
    for forget in _forgetters:
        forget()
