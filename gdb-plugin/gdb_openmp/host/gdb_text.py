# SPDX-License-Identifier: MIT
"""Text that gdb hands out: names of functions, files and types as the program has them.

gdb decodes it by its host character set, and raises an error where that has no such
character: a path in UTF-8 under LC_ALL=C, a path in Latin-1 in a UTF-8 terminal. Everything
here returns such bytes as os.fsdecode() does, so that a path still leads to its file. What a
person sees of it goes through escaped.shown().
"""

from __future__ import annotations

import functools
import locale
import re

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, List, Match, Optional
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbSymtab

# gdb 18 hands out what commands print in MI's notation when it talks to a front end: a quoted
# string with C's escapes for each line, and "&" before what is a warning.
_RECORD = re.compile(r'[~&]"((?:[^"\\\n]|\\.)*)"\n')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_MARK = "target:"
_NO_CODE = 0  # an address without lines
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"e": b"\033", b"a": b"\a", b"b": b"\b",
            b"f": b"\f", b"v": b"\v"}


def exact(ask: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What ASK returns, undecodable bytes as lone surrogates."""
    try:
        return ask(*arguments, **options)
    except UnicodeDecodeError as error:
        return error.object.decode(error.encoding, "surrogateescape")


def host_charset() -> str:
    """The name of the character set that gdb writes in."""
    if hasattr(gdb, "host_charset"):
        return str(gdb.host_charset())
    chosen = str(gdb.parameter("host-charset"))
    return locale.getpreferredencoding(False) if chosen == "auto" else chosen


def _attribute(name: str) -> Callable[[Any], Any]:
    """A function that returns this attribute of an object of gdb's."""
    return lambda owner: exact(getattr, owner, name)


def _method(name: str) -> Callable[[Any], Any]:
    """The same of a method."""
    return lambda owner: exact(getattr(owner, name))


symbol_name: Callable[[GdbSymbol], str] = _attribute("name")
linkage_name: Callable[[GdbSymbol], str] = _attribute("linkage_name")
file_name: Callable[[GdbSymtab], str] = _attribute("filename")
full_name: Callable[[GdbSymtab], str] = _method("fullname")  # where it is on this machine
_name: Callable[[GdbFrame], Optional[str]] = _method("name")

_others: List[Callable[[], Collection[Optional[str]]]] = []  # one function


def others_are(files: Callable[[], Collection[Optional[str]]]) -> None:
    """gdb has other files by these names than the target; None is the program. See images.py."""
    _others[:] = [files]


def is_other(pc: int) -> bool:
    """Whether gdb takes the code at PC for that of a file which is not the target's: then it is
    without names and lines."""
    found = _others[0]() if _others else ()
    return bool(found) and library_at(pc) in found


# Debug information may be damaged: gdb raises an error at each question about code that it
# describes, and what it would say of that is not known.

def frame_name(frame: GdbFrame) -> Optional[str]:
    """The function's name of a gdb.Frame, or None."""
    name: Optional[str] = None if is_other(frame.pc()) else _known(frame, lambda: _name(frame))
    return name


def function_of(frame: GdbFrame) -> Optional[GdbSymbol]:
    """The function of a gdb.Frame, or None."""
    return None if is_other(frame.pc()) else _known(frame, frame.function)


def line_of(frame: GdbFrame) -> Any:
    """The gdb.Symtab_and_line of a gdb.Frame; its symtab is None where that is not known."""
    found = None if is_other(frame.pc()) else _known(frame, frame.find_sal)
    return found or line_at(_NO_CODE)


def line_at(pc: int) -> Any:
    """The same of the code at an address."""
    try:
        return gdb.find_pc_line(_NO_CODE if is_other(pc) else pc)
    except gdb.error:
        debug.ignored()
        return gdb.find_pc_line(_NO_CODE)


def symbol(name: str) -> Optional[GdbSymbol]:
    """The global symbol of this NAME, or one of a file's own, or None."""
    try:
        return gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    except gdb.error:
        debug.ignored()
        return None


def _known(frame: GdbFrame, ask: Callable[[], Any]) -> Any:
    """What ASK returns of a FRAME, or None; gdb.error of one that is gone."""
    try:
        return ask()
    except gdb.error:
        debug.ignored()
        if not frame.is_valid():
            raise
        return None


def producer(symtab: GdbSymtab) -> str:
    """What compiled a file, with which options as far as it says that; "" where gdb has no such
    attribute or the file none."""
    return str(exact(getattr, symtab, "producer", None) or "")


def image_file(owner: Any) -> Optional[str]:
    """The file name of an Objfile or a Progspace, as the target has it, or None."""
    return _of_target(exact(getattr, owner, "filename"))


def library_at(address: int) -> Optional[str]:
    """The same of the library that has code at an address."""
    return _of_target(exact(gdb.solib_name, address))


@functools.lru_cache(maxsize=1 << 12)
def demangled(name: str) -> str:
    """What a linker's name of C++ stands for, or that itself."""
    try:
        return printed("demangle -l c++ -- " + name).rstrip("\n")
    except gdb.error:
        debug.ignored()
        return name


def _of_target(path: Optional[str]) -> Optional[str]:
    """A name without the mark of gdb's that the target has the file: in another mount namespace,
    or on another machine."""
    return path[len(_MARK):] if path is not None and path.startswith(_MARK) else path


def printed(command: str) -> str:
    """What a command of gdb prints; its errors are the caller's."""
    text = str(exact(gdb.execute, command, to_string=True))
    records = list(_RECORD.finditer(text))
    if not records or sum(len(record.group()) for record in records) != len(text):
        return text
    whole = "".join(record.group(1) for record in records).encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_letter, whole).decode("utf-8", "surrogateescape")


def _letter(escape: Match[bytes]) -> bytes:
    text = escape.group(1)
    return bytes([int(text, 8) & 0xff]) if len(text) == 3 else _LETTERS.get(text, text)
