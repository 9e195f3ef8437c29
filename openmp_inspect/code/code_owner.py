# SPDX-License-Identifier: MIT
"""Whose code is at an address: the user's, the system's, or an OpenMP runtime's.

A library is a runtime by what it exports, whatever its file is called. Where a runtime is
linked into a program or library that has other code, too, functions are classified by their names.
"""

from __future__ import annotations

import os

from openmp_inspect.core import caches
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import libc_names, outlined
from openmp_inspect.code.entry_point_table import SIGNS

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterable, Optional, Set
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.host.interface import Frame, Process, SourceFile

# The system: libc and what is beneath, which no programmer wrote for this program.
USER, SYSTEM, RUNTIME = range(3)
_SYSTEM_LIBRARIES = regex(
    r"(libc|libpthread|libm|ld|ld-linux[-\w]*|ld64|"
    r"libgcc_s|linux-(vdso|gate)|libtsan|libasan)[-.\d]*\.so")
# What libgomp and libomptarget drive devices with, and what that calls in turn.
_DEVICE_LIBRARIES = regex(r"(libgomp-plugin-\w+|libomptarget[-.\w]*)\.so")
_DRIVERS = regex(r"(libffi|libcuda|libhsa-runtime64|libze_\w+)[-.\d]*\.so")
_CXX_LIBRARIES = regex(r"lib(stdc\+\+|c\+\+(abi)?)[-.\d]*\.so")
_LOADER = regex(r"ld(64|-linux[-\w]*|-musl[-\w]*)?[-.\d]*\.so")
_OPENMP_FUNCTIONS = regex(r"_*(GOMP|gomp|omp|ompd|kmpc?|tgt)_")
# What clang adds to programs, to call std::terminate().
_TERMINATES = "__clang_call_terminate"
# Where glibc has its sources: some archives of it have debug information.
_SYSTEM_SOURCES = regex(r"(^|/)(nptl|sysdeps)/")


class Runtimes(NamedTuple):
    """Files with a runtime in them, None being the program itself."""

    gomp: Set[Optional[str]]  # those of GCC
    kmp: Set[Optional[str]]  # those of LLVM and its kin
    hooks: Set[str]
    whole: Set[str]  # those of all that are nothing else
    libc_is_linked_in: bool  # there is no libc but what may be in the program itself


_found: Dict[Hashable, Runtimes] = caches.of_code()  # by what is loaded


def runtimes(process: Process) -> Runtimes:
    """The Runtimes of a program, looked up once while its libraries stay."""
    key = process.code_key
    if key not in _found:
        hooks = _files(process.files_of_symbol(SIGNS["hooks"]))
        # LLVM's runtime offers GCC's names, too, and the hooks have no others.
        kmp = _with_function(process, SIGNS["kmp"])
        gomp = _with_function(process, SIGNS["gomp"]) - kmp - hooks
        whole = _files((gomp | kmp) & _with_function(process, SIGNS["whole"])) | hooks
        linked_in = not any(map(is_system_file, process.libraries()))
        _found[key] = Runtimes(gomp, kmp, hooks, whole, linked_in)
    return _found[key]


def _files(found: Iterable[Optional[str]]) -> Set[str]:
    """Those that are not the program itself, which has code of its own."""
    return {file for file in found if file is not None}


def _with_function(process: Process, name: str) -> Set[Optional[str]]:
    """The files that have a function of this name."""
    return {file for file, _ in process.definitions(name)}


def foreign_runtime(process: Process) -> Optional[str]:
    """The path of another runtime than libgomp, where there is no libgomp."""
    found = runtimes(process)
    return None if found.gomp else next(iter(sorted(_files(found.kmp))), None)


def is_llvm(process: Process, pc: int) -> Optional[bool]:
    """Whether the runtime in the file that has the code at PC is LLVM's; None where that file has
    none, or that of the hooks."""
    path, found = process.image_at(pc), runtimes(process)
    return path in found.kmp if path in found.kmp or path in found.gomp else None


class Cache:
    """Remembers what is true of whole pages. Lives while libraries stay where they are."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._pages: Dict[int, Optional[int]] = {}

    def of(self, frame: Frame) -> int:
        """As of()."""
        owner = self.of_library(frame.instruction)
        return _of_function(frame) if owner is None else owner

    def of_library(self, pc: int) -> Optional[int]:
        """The same of the library at PC; None where its functions have to be looked at."""
        page = pc >> 12
        if page not in self._pages:
            self._pages[page] = _of_library(self._process, pc)
        return self._pages[page]


def of(frame: Frame) -> int:
    """USER, SYSTEM or RUNTIME."""
    owner = _of_library(frame.process, frame.instruction)
    return _of_function(frame) if owner is None else owner


def is_runtime(process: Process, address: int) -> bool:
    """Whether code or data at an address is that of a library that is a runtime."""
    return process.image_at(address) in runtimes(process).whole


def is_system(process: Process, address: int) -> bool:
    """Whether code at an address is that of one of the system's libraries."""
    return _of_library(process, address) == SYSTEM


def is_system_file(path: str) -> bool:
    """Whether a file's name is one of the system's libraries."""
    return bool(_SYSTEM_LIBRARIES.match(os.path.basename(path)))


def drives_device(path: Optional[str]) -> bool:
    """Whether a runtime drives devices with the library of this name."""
    return path is not None and bool(_DEVICE_LIBRARIES.match(os.path.basename(path)))


def has_devices(process: Process) -> bool:
    """Whether the program may have some: it has such a library."""
    return any(map(drives_device, process.libraries()))


def is_hooks(frame: Frame) -> bool:
    """Whether a frame is in the hooks library."""
    return frame.process.image_at(frame.pc) in runtimes(frame.process).hooks


def is_loader(frame: Frame) -> bool:
    """Whether a frame is the dynamic linker's."""
    name = frame.process.image_at(frame.pc)
    return name is not None and bool(_LOADER.match(os.path.basename(name)))


def is_cxx_library(function: Optional[Name]) -> bool:
    """Whether a function of the program, by its name, is an instance of one of the C++ library's
    headers."""
    return function is not None and \
        function.raw.startswith(("std::", "__gnu_cxx::", "__gnu_parallel::", "__gthread_"))


def is_cxx_file(process: Process, pc: int) -> bool:
    """Whether code at PC is that of the C++ library's file, which no programmer looks for."""
    path = process.image_at(pc)
    return path is not None and bool(_CXX_LIBRARIES.match(os.path.basename(path)))


def is_libc(file: SourceFile) -> bool:
    """Whether code of the program has its lines in the sources of the C library."""
    return bool(_SYSTEM_SOURCES.search(file.path))


def _of_library(process: Process, pc: int) -> Optional[int]:
    """Whose code the library at PC is; None where its functions have to be looked at: in the
    program itself, the vdso, and libraries with a runtime linked in."""
    path = process.image_at(pc)
    if path is None:
        return None
    found = runtimes(process)
    if path in found.whole:
        return RUNTIME
    if path in found.gomp or path in found.kmp:
        return None
    name = os.path.basename(path)
    if _DEVICE_LIBRARIES.match(name):
        return RUNTIME
    return SYSTEM if _SYSTEM_LIBRARIES.match(name) or _DRIVERS.match(name) and has_devices(process) else USER


def is_openmp(function: str) -> bool:
    """Whether a function's name is one of an OpenMP runtime or the hooks."""
    return bool(_OPENMP_FUNCTIONS.match(function))


def _of_function(frame: Frame) -> int:
    name = frame.name
    if not name:
        return USER
    owner = RUNTIME if is_openmp(name) and not outlined.is_body(name) else \
        SYSTEM if name == _TERMINATES or \
        runtimes(frame.process).libc_is_linked_in and libc_names.is_own(name) else USER
    file = None if owner == USER else frame.line.file
    return owner if file is None or owner == SYSTEM and is_libc(file) else USER


def has_runtime(process: Process) -> bool:
    """Whether an OpenMP runtime is in the program, as a library or linked into it."""
    found = runtimes(process)
    return bool(found.gomp or found.kmp)
