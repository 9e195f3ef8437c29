# SPDX-License-Identifier: MIT
"""Whose code is at an address: the user's, the system's, or an OpenMP runtime's.

A library is a runtime by what it exports, whatever its file is called. Where a runtime is
linked into a program or library that has other code, too, functions are told by their names.
"""

import collections
import os
import re

import gdb

from ompd import definitions, gdbtext, outlined, target

# The system: libc and what is beneath, which no programmer wrote for this program.
USER, SYSTEM, RUNTIME = range(3)
_SYSTEM_LIBRARIES = re.compile(
    r"(libc|libpthread|libm|ld|ld-linux[-\w]*|ld64|"
    r"libgcc_s|linux-(vdso|gate)|libtsan|libasan)[-.\d]*\.so")
_LOADER = re.compile(r"ld(64|-linux[-\w]*|-musl[-\w]*)?[-.\d]*\.so")
_OPENMP_FUNCTIONS = re.compile(r"_*(GOMP|gomp|omp|ompd|kmpc?)_")
_SYSTEM_FUNCTIONS = re.compile(r"_*(pthread_|lll_|start_thread$|clone\d*$)")
# Where glibc has its sources: some archives of it have debug information.
_SYSTEM_SOURCES = re.compile(r"(^|/)(nptl|sysdeps)/")

# What compiled code calls: libomp offers GCC's names, too, and the hooks have no others.
_GOMP, _KMP, _HOOKS = "GOMP_parallel", "__kmpc_fork_call", "ompd_hooks_root"
# No C or C++ code calls this: the linker leaves it out of what it takes from an archive, so
# only a runtime as a whole has it.
_WHOLE = "omp_get_wtime_"

# Files with a runtime in them, None being the program itself: those of GCC, those of LLVM and
# its kin, the hooks; and those of all that are nothing else.
Runtimes = collections.namedtuple("Runtimes", "gomp kmp hooks whole")

_found = {}  # program space -> Runtimes; emptied when libraries come or go


def forget(_event=None):
    """Libraries may be others."""
    _found.clear()


def runtimes():
    """The Runtimes of the selected program, looked up once while its libraries stay."""
    key = id(gdb.current_progspace())
    if key not in _found:
        hooks = target.symbol_address(_HOOKS)
        hooks = set() if hooks is None else {gdbtext.library_at(hooks)}
        kmp = _with_function(_KMP)
        gomp = _with_function(_GOMP) - kmp - hooks
        _found[key] = Runtimes(gomp, kmp, hooks,
                               (gomp | kmp) & _with_function(_WHOLE) - {None} | hooks)
    return _found[key]


def _with_function(name):
    """The files that have a function of this name."""
    return {file for file, _ in definitions.of(name)}


def foreign_runtime():
    """The path of another runtime than libgomp, where there is no libgomp."""
    found = runtimes()
    return None if found.gomp else next(iter(sorted(found.kmp - {None})), None)


class Cache:
    """Remembers what is true of whole pages. Lives while libraries stay where they are."""

    def __init__(self):
        self._pages = {}

    def of(self, frame, pc):
        """USER, SYSTEM or RUNTIME, of a FRAME at PC."""
        owner = self.of_library(pc)
        return _of_function(frame) if owner is None else owner

    def of_library(self, pc):
        """The same of the library at PC; None where its functions have to be looked at."""
        page = pc >> 12
        if page not in self._pages:
            self._pages[page] = _of_library(pc)
        return self._pages[page]


def of(frame):
    """USER, SYSTEM or RUNTIME."""
    owner = _of_library(frame.pc())
    return _of_function(frame) if owner is None else owner


def is_runtime(address):
    """Whether code or data at an address is that of a library that is a runtime."""
    return gdbtext.library_at(address) in runtimes().whole


def is_hooks(frame):
    """Whether a frame is in the hooks library."""
    return gdbtext.library_at(frame.pc()) in runtimes().hooks


def is_loader(frame):
    """Whether a frame is the dynamic linker's."""
    name = gdbtext.library_at(frame.pc())
    return name is not None and bool(_LOADER.match(os.path.basename(name)))


def is_libc(symtab):
    """Whether code of the program has its lines in the sources of the C library."""
    return bool(_SYSTEM_SOURCES.search(gdbtext.full_name(symtab)))


def _of_library(pc):
    """Whose code the library at PC is; None where its functions have to be looked at: in the
    program itself, the vdso, and libraries with a runtime linked in."""
    path = gdbtext.library_at(pc)
    if path is None:
        return None
    found = runtimes()
    if path in found.whole:
        return RUNTIME
    if path in found.gomp or path in found.kmp:
        return None
    return SYSTEM if _SYSTEM_LIBRARIES.match(os.path.basename(path)) else USER


def _of_function(frame):
    name = gdbtext.frame_name(frame)
    if not name:
        return USER
    owner = RUNTIME if _OPENMP_FUNCTIONS.match(name) and not outlined.is_body(name) else \
        SYSTEM if _SYSTEM_FUNCTIONS.match(name) else USER
    symtab = None if owner == USER else frame.find_sal().symtab
    return owner if symtab is None or owner == SYSTEM and is_libc(symtab) else USER
