# SPDX-License-Identifier: MIT
"""Internal control variables with what they mean: "ompd icvs"."""

from __future__ import annotations

from functools import partial

from openmp_inspect.core import cached, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import icv_table
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.report import explanations

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, List, Optional, Sequence, Tuple, Union
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.model.icv_table import Setting
    from openmp_inspect.model.objects import Region, Task, Thread

_WIDEST = 22  # a value that is wider pushes the rest of its row, or has a line of its own
_LEAST = 20  # columns for the rest
_GONE = ("unavailable", "stale_handle")  # errors of what a thread is not in, or no longer


def facts(here: Space, thread: Optional[int] = None, changed: bool = False) -> List[Dict[str, Any]]:
    """An object for each variable, of the THREAD with this number of the debugger's or of all;
    CHANGED: of those that differ from the default, or may. UserError where they are not known."""
    return [row.facts() for row in _asked(here, thread, changed)]


def lines(here: Space, thread: Optional[int] = None, changed: bool = False) -> List[str]:
    """The table, with the numbers of threads if it is of all; UserError likewise."""
    rows = _asked(here, thread, changed)
    return _table([row.cells(thread is None) for row in rows]) or \
        ["No setting differs from its default."]


def _asked(here: Space, chosen: Optional[int], only_changed: bool) -> List[_Row]:
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        rows = _rows(snapshot, [(lwp, thread) for lwp, thread in here.process.threads()
                                if chosen is None or thread.num == chosen])
    processors = icv_table.processors(here.process, [row.setting for row in rows])
    for row in rows:
        row.changed = icv_table.is_changed(*row.setting, processors)
        if row.changed is None and only_changed:
            row.doubt = icv_table.UNJUDGED
    return [row for row in rows if row.changed is not False or not only_changed]


def _table(rows: Sequence[Sequence[str]]) -> List[str]:
    """The table of rows of three cells. On a screen that is too narrow for it, values that are
    wider than their column have lines of their own, and the last cells are broken."""
    lines = text.table(rows, most=_WIDEST)
    if not text.too_wide(lines):
        return lines
    names, values = (max(len(row[column]) for row in rows) for column in (0, 1))
    room = screen.current().width() - names - 2
    broken = []
    for name, value, rest in rows:
        if len(value) > _WIDEST:
            parts = text.wrapped(value.replace("},{", "}, {"), room)
            broken += [[name if at == 0 else "", part, ""] for at, part in enumerate(parts)]
            name = value = ""
        for words in text.wrapped(rest, max(_LEAST, room - min(values, _WIDEST) - 2)):
            if name or words:
                broken.append([name, value, words])
            name = value = ""
    return text.table(broken, most=_WIDEST)


class _Row:
    def __init__(self, setting: Setting, threads: Optional[List[int]]) -> None:
        self.setting = setting
        self.threads = threads
        self.changed: Optional[bool] = False
        self.doubt = ""  # why it is listed among what has changed

    def cells(self, with_threads: bool) -> List[str]:
        name, value = self.setting
        cells = [name, str(value) or '""']
        if not with_threads:
            return cells + [icv_table.meaning(name) + self.doubt]
        return cells + ["" if self.threads is None else "thread%s %s" % (
            "" if len(self.threads) == 1 else "s", text.threads(self.threads))]

    def facts(self) -> Dict[str, Any]:
        name, value = self.setting
        return {"name": name, "value": value.raw,
                "meaning": icv_table.meaning(name) or None, "changed": self.changed,
                "threads": self.threads}


def _rows(snapshot: Snapshot, threads: Sequence[Tuple[int, HostThread]]) -> List[_Row]:
    rows = [_Row(setting, None) for setting in icv_table.without_aliases(snapshot.icvs())]
    found: Dict[Setting, List[int]] = {}
    for lwp, thread in threads:
        known = snapshot.by_lwp.get(lwp)
        if known is None:
            continue
        for setting in _of_thread(snapshot, known):
            found.setdefault(setting, []).append(thread.num)
    order = sorted(found, key=lambda setting: (setting.name, found[setting]))
    return rows + [_Row(setting, found[setting]) for setting in order]


def _of_thread(snapshot: Snapshot, known: Thread) -> Collection[Setting]:
    """What one thread has, each name once."""
    found: Dict[str, Setting] = {}
    asks: Tuple[Callable[[], Union[Thread, Region, Task, None]], ...] = (
        lambda: known.task, lambda: known.region, lambda: known)
    for ask in asks:
        item = cached.optional(ask, *_GONE)
        variables = None if item is None else cached.optional(partial(snapshot.icvs, item), *_GONE)
        for setting in icv_table.without_aliases(variables or ()):
            found.setdefault(setting.name, setting)
    return found.values()
