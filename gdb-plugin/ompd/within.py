# SPDX-License-Identifier: MIT
"""Constructs that a frame is in without a function of their own, as the source has them."""

import os
import re

import gdb

from ompd import calls, code_owner, constructs, extents, gdbtext, outlined, stack, userstack

# In a call of one of these a frame has the line that the call stands on. GCC gives calls that
# it adds itself the line of the statement before.
_OWN_LINE = re.compile(r"GOMP_(critical|taskwait|taskyield|doacross_(wait|post)|cancel)|__kmpc_|"
                       r"omp_(?!get_(num_threads|thread_num)\b)")


class Finder:
    """Looks at each place once. WALKER: a frames.Walker, which lives as long."""

    def __init__(self, walker):
        self._walker = walker
        self._known = {}
        self._objects = {}  # file -> when it was made

    def of(self, frame, place):
        """Extents that FRAME, which is at PLACE, is in, innermost first."""
        if not place.line:
            return ()
        newer = frame.newer() if place.called else None
        calls_runtime = newer is not None and self._walker.kind(newer) == code_owner.RUNTIME
        key = place.address, place.line, place.function, calls_runtime
        if key not in self._known:
            self._known[key] = self._look(frame, place, newer if calls_runtime else None)
        return self._known[key]

    def _look(self, frame, place, runtime):
        try:
            if runtime is not None and not self._has_line(frame, runtime):
                return ()
            symtab = frame.find_sal().symtab
            options = _options(symtab)
            built = self._built(gdbtext.file_name(symtab.objfile))
            if options is None or built is None:
                return ()
            first = body = None
            if stack.is_body(frame):
                body = _Lines(frame, symtab)
            else:
                first = _first_line(frame, symtab)
            if not first and body is None:
                return ()
            return tuple(extents.around(gdbtext.full_name(symtab), place.line, first, body,
                                        options, built))
        except (gdb.error, RuntimeError, AttributeError):
            return ()

    def _has_line(self, frame, runtime):
        """Whether a FRAME inside a call of the runtime has the line of the call."""
        if outlined.is_wrapper(runtime):
            return True  # clang calls the body of an undeferred task itself
        name = calls.called(frame) or gdbtext.frame_name(runtime) or ""
        if name in constructs.OPENINGS:
            return self._walker.opened(frame) is not None
        return bool(_OWN_LINE.match(name))

    def _built(self, file):
        if file not in self._objects:
            try:
                self._objects[file] = int(os.stat(file).st_mtime)
            except (OSError, ValueError):
                self._objects[file] = None
        return self._objects[file]


class _Lines:
    """The lines of a file that the body which FRAME runs has code of, or is declared on by
    clang; mostly it begins with the one that is asked for."""

    def __init__(self, frame, symtab):
        self._symtab = symtab
        self._start = userstack.function_start(frame)
        function = frame.function()
        self._declared = function.line if function is not None and \
            gdbtext.same_file(function.symtab, symtab) else None
        self._all = None

    def __contains__(self, line):
        if line == self._declared:
            return True
        if not self._start:
            return False
        sal = gdb.find_pc_line(self._start)
        if sal.line == line and gdbtext.same_file(sal.symtab, self._symtab):
            return True
        if self._all is None:
            block = gdb.block_for_pc(self._start)
            while block is not None and block.function is None:
                block = block.superblock
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
    if function is None or not gdbtext.same_file(function.symtab, symtab):
        return None
    return function.line or _line_of_code(frame, function, symtab)


def _line_of_code(frame, function, symtab):
    """The line of a function's first code: GCC has no other for a lambda."""
    if frame.type() != gdb.NORMAL_FRAME:
        return None
    start = int(function.value().address)
    block = gdb.block_for_pc(start)
    while block is not None and block.function is None:
        block = block.superblock
    sal = gdb.find_pc_line(start)
    own = block is not None and \
        gdbtext.symbol_name(block.function) == gdbtext.symbol_name(function)
    return sal.line if own and gdbtext.same_file(sal.symtab, symtab) else None


def _options(symtab):
    """What the file was compiled with, as far as the compiler tells, or None if that is
    without OpenMP."""
    producer = gdbtext.exact(getattr, symtab, "producer", None) or ""
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
