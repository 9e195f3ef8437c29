# SPDX-License-Identifier: MIT
"""The interpreter CPython in a process: its data, and the file that has its code."""

from __future__ import annotations

import os

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process

_OWN = regex(r"(lib)?python(3[\d.]*[a-z]*)?(\.so|\Z)")
_PROGRAM = regex(r"python[\d.]*[a-z]*\Z")
# By which it calls functions of other languages.
_CALLS = regex(r"(_ctypes|_cffi_backend)\..*so\Z|libffi\.so")
_MODULES = "/lib-dynload/"
_DATA, _CODE = "_PyRuntime", "PyEval_RestoreThread"


def data(process: Process) -> Optional[int]:
    """The address of what it keeps of itself, or None: there is no such interpreter."""
    return process.symbol(_DATA)


def path(process: Process) -> Optional[str]:
    """The file, which may be the program, or None."""
    code = None if data(process) is None else process.symbol(_CODE)
    return None if code is None else process.image_at(code) or process.program


def own_file(process: Process) -> Optional[str]:
    """The file where it is one of Python's, which has nothing of a program that embeds it."""
    found = path(process)
    return found if found and _OWN.match(os.path.basename(found)) else None


def is_program(process: Process) -> bool:
    """Whether it is the program, whose first thread handles signals: one that embeds it may have begun it
    in another one."""
    return bool(_PROGRAM.match(os.path.basename(process.program or "")))


def is_own_code(process: Process, file: Optional[str], address: int) -> bool:
    """Whether the code at an ADDRESS is the interpreter's, of a FILE as own_file() returns it, or that
    by which it calls functions of other languages."""
    return file is not None and (is_in(process, file, address) or bool(_CALLS.match(
        os.path.basename(process.image_at(address) or ""))))


def is_part(process: Process, address: int) -> bool:
    """Whether the code at an ADDRESS is the interpreter's, or that of a module that comes with it."""
    return is_in(process, path(process), address) or \
        _MODULES in (process.image_at(address) or "")


def is_in(process: Process, file: Optional[str], address: int) -> bool:
    """Whether the code at an ADDRESS is that of a FILE, as path() returns it."""
    return file is not None and process.is_mapped(address) and \
        (process.image_at(address) or process.program) == file
