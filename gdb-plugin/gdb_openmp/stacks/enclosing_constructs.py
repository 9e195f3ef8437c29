# SPDX-License-Identifier: MIT
"""Constructs that a frame is in without a function of their own, as the source has them."""

import os
import re

import gdb

from gdb_openmp.core import debug
from gdb_openmp.host import gdb_text, symbols
from gdb_openmp.source import extents, source_file
from gdb_openmp.program import call_site, entry_points, outlined, symbol_names

_LAST_LINE = 1 << 31


class Finder:
    """Looks at each place once. WALKER: a user_frames.Walker, which lives as long."""

    def __init__(self, walker):
        self._walker = walker
        self._known = {}
        self._objects = {}  # file -> when it was made

    def of(self, frame, place):
        """Extents that a StackFrame, which is at PLACE, is in, innermost first."""
        if not place.line:
            return ()
        calls_runtime = place.called and frame.newer.is_runtime
        key = place.address, place.line, place.function, calls_runtime
        if key not in self._known:
            self._known[key] = self._look(frame, place, calls_runtime)
        return self._known[key]

    def _look(self, called, place, calls_runtime):
        try:
            if calls_runtime and not self._has_line(called):
                return ()
            frame = called.frame
            symtab = frame.find_sal().symtab
            options = _options(symtab)
            built = self._built(gdb_text.file_name(symtab.objfile))
            if options is None or built is None:
                return ()
            first = body = None
            if outlined.is_body(called.name):
                body = _Lines(frame, symtab)
            else:
                first = _first_line(frame, symtab)
            if not first and body is None:
                return ()
            return tuple(extents.around(gdb_text.full_name(symtab), place.line, first, body,
                                        options, built))
        except (gdb.error, RuntimeError, AttributeError):
            debug.ignored()
            return ()

    def of_line(self, address, line):
        """(path of the source, Extents around the LINE of it that code at ADDRESS has, innermost
        first), whatever function that is a part of; (None, ()) where the source is not that of
        the program."""
        symtab = gdb.find_pc_line(address).symtab
        options = None if symtab is None else _options(symtab)
        built = None if symtab is None else self._built(gdb_text.file_name(symtab.objfile))
        path = None if symtab is None else gdb_text.full_name(symtab)
        if options is None or built is None or \
                int(source_file.status(path).st_mtime) > built:
            return None, ()
        return path, extents.around(path, line, 1, None, options, built) or \
            extents.around(path, line, None, range(1, _LAST_LINE), options, built)

    def _has_line(self, frame):
        """Whether a StackFrame inside a call of the runtime has the line of the call."""
        if outlined.is_wrapper(frame.newer.frame):
            return True  # clang calls the body of an undeferred task itself
        name = call_site.called(frame.frame) or frame.newer.name
        entry = entry_points.find(name)
        return entry_points.has_own_line(name) or entry is not None and \
            entry.body is not None and self._walker.opened(frame) is not None

    def _built(self, file):
        if file not in self._objects:
            try:
                self._objects[file] = int(os.stat(file).st_mtime)
            except (OSError, ValueError):
                debug.ignored()
                self._objects[file] = None
        return self._objects[file]


class _Lines:
    """The lines of a file that the body which FRAME runs has code of, or is declared on by
    clang; mostly it begins with the one that is asked for."""

    def __init__(self, frame, symtab):
        self._symtab = symtab
        self._start = symbol_names.start_of(frame)
        function = frame.function()
        self._declared = function.line if function is not None and \
            gdb_text.same_file(function.symtab, symtab) else None
        self._all = None

    def __contains__(self, line):
        if line == self._declared:
            return True
        if not self._start:
            return False
        sal = gdb.find_pc_line(self._start)
        if sal.line == line and gdb_text.same_file(sal.symtab, self._symtab):
            return True
        if self._all is None:
            block = symbols.function_block(self._start)
            self._all = set() if block is None else {
                entry.line for entry in self._symtab.linetable()
                if block.start <= entry.pc < block.end}
        return line in self._all


def _first_line(frame, symtab):
    """The line where the function of FRAME begins in the source, if it is in the same file; 1
    for an inlined one, of which gdb knows the line of the call instead."""
    function = frame.function()
    if function is not None and frame.type() == gdb.INLINE_FRAME:
        return 1
    if function is None or not gdb_text.same_file(function.symtab, symtab):
        return None
    return function.line or _line_of_code(frame, function, symtab)


def _line_of_code(frame, function, symtab):
    """The line of a function's first code: GCC has no other for a lambda."""
    if frame.type() != gdb.NORMAL_FRAME:
        return None
    start = int(function.value().address)
    block = symbols.function_block(start)
    sal = gdb.find_pc_line(start)
    own = block is not None and \
        gdb_text.symbol_name(block.function) == gdb_text.symbol_name(function)
    return sal.line if own and gdb_text.same_file(sal.symtab, symtab) else None


def _options(symtab):
    """What the file was compiled with, as far as the compiler says, or None if that is
    without OpenMP."""
    producer = gdb_text.exact(getattr, symtab, "producer", None) or ""
    if producer.startswith("GNU ") and " -" in producer and \
            not re.search(r" -fopenmp(?!\S)", producer):
        return None
    return producer


def merged(found, recorded):
    """What a frame is in, innermost first: extents, and of critical sections those
    that are RECORDED, as (anything, its Place, its name or None), where there are such."""
    result = list(found)
    missing = []
    for one in recorded:
        _, where, name = one
        known = [extent for extent in found if extent in result and
                 extent.directive.names == ("critical",)]
        same = [extent for extent in known if where.line is not None and
                extent.line <= where.line <= extent.last] or \
            [extent for extent in known if name is None or extent.directive.section == name]
        if same:
            result[result.index(same[0])] = one
        else:
            missing.append(one)
    return missing + result
