# SPDX-License-Identifier: MIT
"""Constructs that a frame is in without a function of their own, as the source has them."""

from __future__ import annotations

import os
import re

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import extents, source_file
from openmp_inspect.code import call_site, entry_points, outlined, symbol_names
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Collection, Dict, Hashable, Iterable, List, Optional, Sequence, Union
    from openmp_inspect.host.interface import Frame, Function, SourceFile
    from openmp_inspect.source.extents import Extent
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.gap_matcher import RecordedSection
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker

_LAST_LINE = 1 << 31


class AroundLine(NamedTuple):
    path: Optional[str]  # of the source; None where it is not that of the program
    extents: Sequence[Extent]  # innermost first


class ConstructFinder:
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
            file = frame.line.file
            options = None if file is None else _options(file)
            built = None if file is None else self._built(file.image)
            if file is None or options is None or built is None:
                return ()
            first = body = None
            if outlined.is_body(called.name):
                body = _Lines(frame, file)
            else:
                first = _first_line(frame, file)
            if place.line is None or not first and body is None:
                return ()
            return tuple(extents.around(file.path, place.line, first, body,
                                        options, built))
        except HostError:
            debug.ignored()
            return ()

    def of_line(self, address: int, line: int) -> AroundLine:
        """The Extents around the LINE of the source that code at ADDRESS has, whatever function
        that is a part of."""
        file = self._walker.process.line_at(address).file
        if file is None:
            return AroundLine(None, ())
        options, built, path = _options(file), self._built(file.image), file.path
        if options is None or not self.is_as_built(file):
            return AroundLine(None, ())
        found = extents.around(path, line, 1, None, options, built)
        return AroundLine(path, found or extents.around(path, line, None, range(1, _LAST_LINE),
                                                        options, built))

    def is_as_built(self, file: SourceFile) -> bool:
        """Whether a source is there, and has not been written to since the program was made."""
        try:
            built = self._built(file.image)
            return built is not None and int(source_file.status(file.path).st_mtime) <= built
        except (OSError, ValueError):
            debug.ignored()
            return False

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
                with self._walker.process.opened(file) as stream:
                    self._objects[file] = int(os.fstat(stream.fileno()).st_mtime)
            except (OSError, ValueError):
                debug.ignored()
                self._objects[file] = None
        return self._objects[file]


class _Lines:
    """The lines of a file that the body which FRAME runs has code of, or is declared on by
    clang; mostly it begins with the one that is asked for."""

    def __init__(self, frame: Frame, file: SourceFile) -> None:
        self._process, self._file = frame.process, file
        self._start = symbol_names.start_of(frame)
        function = frame.function
        self._declared = function.line if function is not None and \
            function.file == file else None
        self._all: Optional[Collection[int]] = None

    def __contains__(self, line: object) -> bool:
        if line == self._declared:
            return True
        if not self._start:
            return False
        place = self._process.line_at(self._start)
        if place.line == line and place.file == self._file:
            return True
        if self._all is None:
            function = symbol_names.innermost(self._process, self._start)
            self._all = () if function is None else \
                self._file.lines_between(function.start, function.end)
        return line in self._all


def _first_line(frame: Frame, file: SourceFile) -> Optional[int]:
    """The line where the function of FRAME begins in the source, if it is in the same file; 1
    for an inlined one, of which the line of the call is known instead."""
    function = frame.function
    if function is not None and frame.kind == interface.INLINED:
        return 1
    if function is None or function.file != file:
        return None
    return function.line or _line_of_code(frame, function, file)


def _line_of_code(frame: Frame, function: Function, file: SourceFile) -> Optional[int]:
    """The line of a function's first code: GCC has no other for a lambda."""
    if frame.kind != interface.NORMAL:
        return None
    start = function.address
    own, place = symbol_names.innermost(frame.process, start), frame.process.line_at(start)
    return place.line if own is not None and own.name == function.name and \
        place.file == file else None


def _options(file: SourceFile) -> Optional[str]:
    """What the file was compiled with, as far as the compiler says, or None if that is
    without OpenMP."""
    producer = file.producer()
    if producer.startswith("GNU ") and " -" in producer and \
            not re.search(r" -fopenmp(?!\S)", producer):
        return None
    return producer


def merged(found: Sequence[Extent],
           recorded: Iterable[RecordedSection]) -> List[Union[Extent, RecordedSection]]:
    """What a frame is in, innermost first: extents, and of critical sections those
    that are RECORDED, as gap_matcher.RecordedSections, where there are such."""
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
