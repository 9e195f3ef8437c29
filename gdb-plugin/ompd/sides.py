# SPDX-License-Identifier: MIT
"""Whose code a frame runs: the user's, the system's, or that of OpenMP's runtime.

By library; where a runtime is linked into the program, by its functions' names.
"""

import os
import re

import gdb

from ompd import gdbtext, outlined

# The system: libc and what is beneath, which no programmer wrote for this program.
USER, SYSTEM, RUNTIME = range(3)
_OPENMP_LIBRARIES = re.compile(r"(libgomp|libompd-hooks|libomp|libiomp5)[-.\d]*\.so")
_SYSTEM_LIBRARIES = re.compile(
    r"(libc|libpthread|libm|ld|ld-linux[-\w]*|ld64|"
    r"libgcc_s|linux-(vdso|gate)|libtsan|libasan)[-.\d]*\.so")
_LOADER = re.compile(r"ld(64|-linux[-\w]*|-musl[-\w]*)?[-.\d]*\.so")
_OPENMP_FUNCTIONS = re.compile(r"_*(GOMP|gomp|omp|ompd|kmpc?)_")
_SYSTEM_FUNCTIONS = re.compile(r"_*(pthread_|lll_|start_thread$|clone\d*$)")
# Where glibc has its sources: some archives of it have debug information.
_SYSTEM_SOURCES = re.compile(r"(^|/)(nptl|sysdeps)/")


class Sides:
    """Remembers what is true of whole pages. Lives while libraries stay where they are."""

    def __init__(self):
        self._pages = {}

    def of(self, frame, pc):
        """USER, SYSTEM or RUNTIME, of a FRAME at PC."""
        side = self.of_library(pc)
        return _of_function(frame) if side is None else side

    def of_library(self, pc):
        """The same of the library at PC; None in the program itself or the vdso."""
        page = pc >> 12
        if page not in self._pages:
            self._pages[page] = _of_library(pc)
        return self._pages[page]


def of(frame):
    """USER, SYSTEM or RUNTIME."""
    side = _of_library(frame.pc())
    return _of_function(frame) if side is None else side


def of_hooks(frame):
    """Whether a frame is in the hooks library."""
    name = gdbtext.library_at(frame.pc())
    return name is not None and os.path.basename(name).startswith("libompd-hooks")


def of_loader(frame):
    """Whether a frame is the dynamic linker's."""
    name = gdbtext.library_at(frame.pc())
    return name is not None and bool(_LOADER.match(os.path.basename(name)))


def _of_library(pc):
    """Whose code the library at PC is; None in the program itself or the vdso."""
    path = gdbtext.library_at(pc)
    if path is None:
        return None
    name = os.path.basename(path)
    if _OPENMP_LIBRARIES.match(name):
        return RUNTIME
    return SYSTEM if _SYSTEM_LIBRARIES.match(name) else USER


def _of_function(frame):
    name = gdbtext.frame_name(frame)
    if not name:
        return USER
    side = RUNTIME if _OPENMP_FUNCTIONS.match(name) and not outlined.is_body(name) else \
        SYSTEM if _SYSTEM_FUNCTIONS.match(name) else USER
    symtab = None if side == USER else frame.find_sal().symtab
    return side if symtab is None or side == SYSTEM and of_libc(symtab) else USER


def of_libc(symtab):
    """Whether code of the program has its lines in the sources of the C library."""
    return bool(_SYSTEM_SOURCES.search(gdbtext.full_name(symtab)))
