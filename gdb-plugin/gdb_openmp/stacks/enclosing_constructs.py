# SPDX-License-Identifier: MIT
"""Constructs that a frame is in without a function of their own, as the source has them."""

from __future__ import annotations

import os
import re

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import extents, source_file
from gdb_openmp.host import gdb_text, images, symbols
from gdb_openmp.program import call_site, entry_points, outlined, symbol_names

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterable, List, Optional, Sequence, Set, Union
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbSymtab
    from openmp_inspect.source.extents import Extent
    from gdb_openmp.program.places import Place
    from gdb_openmp.stacks.labeller import RecordedSection
    from gdb_openmp.stacks.thread_stack import StackFrame
    from gdb_openmp.stacks.user_frames import Walker

_LAST_LINE = 1 << 31


class AroundLine(NamedTuple):
    path: Optional[str]  # of the source; None where it is not that of the program
    extents: Sequence[Extent]  # innermost first


class Finder:
    """Looks at each place once. WALKER: a user_frames.Walker, which lives as long."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._known: Dict[Hashable, Sequence[Extent]] = {}
        self._objects: Dict[str, Optional[int]] = {}  # file -> when it was made

    def of(self, frame: StackFrame, place: Place) -> Sequence[Extent]:
        """Extents that a StackFrame, which is at PLACE, is in, innermost first."""
        if not place.line:
            return ()
        calls_runtime = place.called and frame.newer is not None and frame.newer.is_runtime
        key = place.address, place.line, place.function, calls_runtime
        if key not in self._known:
            self._known[key] = self._look(frame, place, calls_runtime)
        return self._known[key]

    def _look(self, called: StackFrame, place: Place, calls_runtime: bool) -> Sequence[Extent]:
        try:
            if calls_runtime and not self._has_line(called):
                return ()
            frame = called.frame
            symtab = gdb_text.line_of(frame).symtab
            options = _options(symtab)
            built = self._built(gdb_text.image_file(symtab.objfile))
            if options is None or built is None:
                return ()
            first = body = None
            if outlined.is_body(called.name):
                body = _Lines(frame, symtab)
            else:
                first = _first_line(frame, symtab)
            if place.line is None or not first and body is None:
                return ()
            return tuple(extents.around(gdb_text.full_name(symtab), place.line, first, body,
                                        options, built))
        except (gdb.error, RuntimeError, AttributeError):
            debug.ignored()
            return ()

    def of_line(self, address: int, line: int) -> AroundLine:
        """The Extents around the LINE of the source that code at ADDRESS has, whatever function
        that is a part of."""
        symtab = gdb_text.line_at(address).symtab
        if symtab is None:
            return AroundLine(None, ())
        options, built = _options(symtab), self._built(gdb_text.image_file(symtab.objfile))
        path = gdb_text.full_name(symtab)
        if options is None or built is None or \
                int(source_file.status(path).st_mtime) > built:
            return AroundLine(None, ())
        found = extents.around(path, line, 1, None, options, built)
        return AroundLine(path, found or extents.around(path, line, None, range(1, _LAST_LINE),
                                                        options, built))

    def _has_line(self, frame: StackFrame) -> bool:
        """Whether a StackFrame inside a call of the runtime has the line of the call."""
        newer = frame.newer
        if newer is None:
            return False
        if outlined.is_wrapper(newer.frame):
            return True  # clang calls the body of an undeferred task itself
        name = call_site.called(frame.frame) or newer.name
        entry = entry_points.find(name)
        return entry_points.has_own_line(name) or entry is not None and \
            entry.body is not None and self._walker.opened(frame) is not None

    def _built(self, file: Optional[str]) -> Optional[int]:
        if file is None:
            return None
        if file not in self._objects:
            try:
                with images.opened(file) as stream:
                    self._objects[file] = int(os.fstat(stream.fileno()).st_mtime)
            except (OSError, ValueError):
                debug.ignored()
                self._objects[file] = None
        return self._objects[file]


class _Lines:
    """The lines of a file that the body which FRAME runs has code of, or is declared on by
    clang; mostly it begins with the one that is asked for."""

    def __init__(self, frame: GdbFrame, symtab: GdbSymtab) -> None:
        self._symtab = symtab
        self._start = symbol_names.start_of(frame)
        function = gdb_text.function_of(frame)
        self._declared = function.line if function is not None and \
            gdb_text.same_file(function.symtab, symtab) else None
        self._all: Optional[Set[int]] = None

    def __contains__(self, line: object) -> bool:
        if line == self._declared:
            return True
        if not self._start:
            return False
        sal = gdb_text.line_at(self._start)
        if sal.line == line and gdb_text.same_file(sal.symtab, self._symtab):
            return True
        if self._all is None:
            block = symbols.function_block(self._start)
            self._all = set() if block is None else symbols.lines(block, self._symtab)
        return line in self._all


def _first_line(frame: GdbFrame, symtab: GdbSymtab) -> Optional[int]:
    """The line where the function of FRAME begins in the source, if it is in the same file; 1
    for an inlined one, of which gdb knows the line of the call instead."""
    function = gdb_text.function_of(frame)
    if function is not None and frame.type() == gdb.INLINE_FRAME:
        return 1
    if function is None or not gdb_text.same_file(function.symtab, symtab):
        return None
    return function.line or _line_of_code(frame, function, symtab)


def _line_of_code(frame: GdbFrame, function: GdbSymbol, symtab: GdbSymtab) -> Optional[int]:
    """The line of a function's first code: GCC has no other for a lambda."""
    if frame.type() != gdb.NORMAL_FRAME:
        return None
    start = int(function.value().address)
    block = symbols.function_block(start)
    sal = gdb_text.line_at(start)
    own = block is not None and \
        gdb_text.symbol_name(block.function) == gdb_text.symbol_name(function)
    return sal.line if own and gdb_text.same_file(sal.symtab, symtab) else None


def _options(symtab: GdbSymtab) -> Optional[str]:
    """What the file was compiled with, as far as the compiler says, or None if that is
    without OpenMP."""
    producer = gdb_text.producer(symtab)
    if producer.startswith("GNU ") and " -" in producer and \
            not re.search(r" -fopenmp(?!\S)", producer):
        return None
    return producer


def merged(found: Sequence[Extent],
           recorded: Iterable[RecordedSection]) -> List[Union[Extent, RecordedSection]]:
    """What a frame is in, innermost first: extents, and of critical sections those
    that are RECORDED, as labeller.RecordedSections, where there are such."""
    result: List[Union[Extent, RecordedSection]] = list(found)
    missing: List[Union[Extent, RecordedSection]] = []
    for one in recorded:
        where = one.place
        known = [extent for extent in found if extent in result and
                 extent.directive.names == ("critical",)]
        same = [extent for extent in known if where.line is not None and
                extent.line <= where.line <= extent.last] or \
            [extent for extent in known if one.name in (None, extent.directive.section)]
        if same:
            result[result.index(same[0])] = one
        else:
            missing.append(one)
    return missing + result
