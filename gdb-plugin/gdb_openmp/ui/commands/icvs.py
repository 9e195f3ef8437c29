# SPDX-License-Identifier: MIT
"""ompd icvs"""

from __future__ import annotations

from functools import partial

import gdb

from openmp_inspect.core import cached, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import icv_table
from gdb_openmp.host import console, options, thread_ids
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, List, Optional, Sequence, Tuple, Union
    from types import SimpleNamespace
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread
    from openmp_inspect.model.icv_table import Setting
    from openmp_inspect.model.objects import Region, Task, Thread
    from openmp_inspect.model.snapshot import Snapshot


_WIDEST = 22  # a value that is wider pushes the rest of its row, or has a line of its own
_LEAST = 20  # columns for the rest
_GONE = ("unavailable", "stale_handle")  # errors of what a thread is not in, or no longer


class Command(options.Command):
    """Show internal control variables, with what they mean.

Usage: ompd icvs [THREAD | -all] [-changed] [-json]

Those of the process, and those of the current task, region and thread of the
selected thread, or of gdb's thread THREAD.

  -all      of all OpenMP threads: values that are equal share a line, which
            ends with gdb's numbers of the threads
  -changed  only settings that differ from the default of GCC's runtime, or
            may: a core does not tell how many processors there were
  -json     an array of objects with the keys name, value, meaning, changed,
            threads (gdb's numbers, null for what the process has one of);
            changed is null where the default is not known"""

    name = "ompd icvs"
    flags = ("all", "changed", "json")
    takes = 1

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return [row.facts() for row in _asked(given)]

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        rows = _asked(given)
        if not rows:
            gdb.write("No setting differs from its default.\n")
        else:
            gdb.write("\n".join(_lines([row.cells(given.all) for row in rows])) + "\n")


def _asked(given: SimpleNamespace) -> List[_Row]:
    """The rows that the options ask for."""
    inferior = session.need_program()
    chosen = None if given.all else _chosen(inferior, given.words)
    if given.all and given.words:
        raise gdb.GdbError('"ompd icvs" takes a thread or "-all", not both.')
    with session.sentences(), session.snapshot() as snapshot:
        threads = [t for t in thread_ids.threads(inferior)
                   if chosen is None or t.num == chosen]
        rows = _rows(snapshot, threads)
    processors = session.processors(inferior, [row.setting for row in rows])
    for row in rows:
        row.changed = icv_table.is_changed(*row.setting, processors)
        if row.changed is None and given.changed:
            row.doubt = icv_table.UNJUDGED
    return [row for row in rows if row.changed is not False or not given.changed]


def _lines(rows: Sequence[Sequence[str]]) -> List[str]:
    """The table of rows of three cells. On a screen that is too narrow for it, values that are
    wider than their column have lines of their own, and the last cells are broken."""
    lines = text.table(rows, most=_WIDEST)
    if not text.too_wide(lines):
        return lines
    names, values = (max(len(row[column]) for row in rows) for column in (0, 1))
    room = gdb.parameter("width") - names - 2
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
        cells = [escaped.shown(name), escaped.shown(value) or '""']
        if not with_threads:
            return cells + [icv_table.meaning(name) + self.doubt]
        return cells + ["" if self.threads is None else "thread%s %s" % (
            "" if len(self.threads) == 1 else "s", text.threads(self.threads))]

    def facts(self) -> Dict[str, Any]:
        name, value = self.setting
        return {"name": name, "value": value,
                "meaning": icv_table.meaning(name) or None, "changed": self.changed,
                "threads": self.threads}


def _chosen(inferior: GdbInferior, words: Sequence[str]) -> int:
    """gdb's number of the thread that is asked about."""
    if not words:
        selected = gdb.selected_thread()
        return int(selected.num) if selected is not None else 0
    numbers = [thread.num for thread in thread_ids.threads(inferior)]
    word = console.in_inferior(words[0])
    if not word.isdigit() or int(word) not in numbers:
        raise gdb.GdbError('There is no thread "%s": "info threads" lists them.' % words[0])
    return int(word)


def _rows(snapshot: Snapshot, threads: Sequence[GdbThread]) -> List[_Row]:
    rows = [_Row(setting, None) for setting in icv_table.without_aliases(snapshot.icvs())]
    found: Dict[Setting, List[int]] = {}
    for thread in threads:
        known = snapshot.by_lwp.get(thread_ids.lwp(thread))
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
