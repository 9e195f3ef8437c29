# SPDX-License-Identifier: MIT
"""The program and its libraries: whether the files that gdb reads are those of the process or
core, by build-ids, and where these are on this machine.

gdb finds files by their names. In another root directory (a container's, chroot) a name is another
file, and one that was upgraded is not the one that is mapped. A process or core holds the first
page of each file, and with it the note that identifies it. Of a file that is another one nothing
is known: no name, no line, and no caller of what runs in it, since gdb unwinds by it. Nothing
here is asked more than once while libraries stay.
"""

from __future__ import annotations

import os
import re

import gdb

from openmp_inspect.core import caches, debug, elf, escaped, process_root, regular_file, screen
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from gdb_openmp.host import gdb_text, inferiors, modules

if TYPE_CHECKING:
    import io
    from typing import BinaryIO, Collection, Dict, Iterator, List, Optional, Tuple
    from gdb_openmp.host.modules import MappedFile

_PAGE = 4096
_LARGEST_NOTES = 1 << 16


class _Mapped(NamedTuple):
    """What the process or core has of a file: its first page."""

    page: MappedFile
    build_id: str


# By program space; then by the file's name as gdb has it, None being the program.
_mapped: Dict[int, Dict[Optional[str], _Mapped]] = caches.of_code()
_others: Dict[int, Dict[Optional[str], _Mapped]] = caches.of_code()
_roots: Dict[int, Optional[str]] = caches.of_code()  # by process


# Identity


def others() -> Collection[Optional[str]]:
    """The files, as gdb has their names, None being the program, that are not the target's."""
    return _found_others()


def _found_others() -> Dict[Optional[str], _Mapped]:
    found = _others.get(inferiors.program_space())
    if found is None:
        found, own, mappings = {}, inferiors.program(), _all_mapped()
        for objfile in gdb.current_progspace().objfiles():
            path = gdb_text.image_file(objfile)
            if objfile.owner is None and path is not None and objfile.build_id:
                name = None if path == own else path
                mapped = mappings.get(name)
                if mapped is None and name is None:
                    # gdb has a program that was built anew where it was linked, not where it is.
                    mapped = next(iter(_by_name(path)), None)
                if mapped is not None and mapped.build_id != objfile.build_id:
                    found[name] = mapped
        _others[inferiors.program_space()] = found
    return found


def differing(files: Optional[Collection[Optional[str]]] = None) -> Optional[str]:
    """The sentence about the first of these FILES, or of all, that is not the target's; None where
    there is no such one."""
    found = _found_others()
    name = next((name for name in found if files is None or name in files), "")
    return None if name == "" else _sentence(
        "gdb reads another %s than this process has%s: no name in it is known.",
        name or inferiors.program() or "", found[name])


def unread(beginnings: Tuple[str, ...]) -> Optional[str]:
    """As interface.Process.unread_file()."""
    other = differing((None,))
    if other is not None:
        return other
    if not inferiors.libraries():
        return 'gdb does not know the program of this process or core: type "file %s" to name it.' % (
            _running_program() or "PROGRAM")
    not_found, not_loaded = ([path for path in paths if os.path.basename(path).startswith(beginnings)]
                             for paths in _unread_libraries())
    if not_found:
        return _sentence("gdb does not find %s of this process%s.", not_found[0],
                         next(iter(_by_name(not_found[0])), None))
    return None if not not_loaded else 'gdb has not loaded %s: type "sharedlibrary" to load it.' % \
        escaped.shown(os.path.basename(not_loaded[0]))


def _unread_libraries() -> Tuple[List[str], List[str]]:
    """(not found, not loaded): names of libraries that the program has and gdb has no
    symbols of, because there is no such file or because it was set not to load them.
    gdb's Python does not know them; this reads a table made for people, so it is for
    error messages only."""
    try:
        text = gdb_text.printed("info sharedlibrary")
    except gdb.error:
        debug.ignored()
        return [], []
    return (re.findall(r"^ *No +(/\S.*)$", text, re.M),
            re.findall(r"^0x\w+ +0x\w+ +No +(/\S.*)$", text, re.M))


def _sentence(words: str, name: str, mapped: Optional[_Mapped]) -> str:
    """WORDS of the file with a NAME, if what to type is known, else that it is not here."""
    build = "" if mapped is None else " (build-id %s%s)" % (
        mapped.build_id[:8], "\u2026" if screen.has("\u2026") else "...")
    short = escaped.shown(re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", os.path.basename(name)))
    remedy = None if mapped is None else _remedy(name, mapped)
    if remedy is not None:
        return words % (short, build) + " " + remedy
    kind = "core" if inferiors.is_core(gdb.selected_inferior()) else "process"
    return "%s of this %s is not on this machine%s. Set \"set sysroot DIR\" or \"set " \
        "solib-search-path DIR\" to where it is." % (short, kind, build)


def _remedy(name: str, mapped: _Mapped) -> Optional[str]:
    """What to type where the file of a live process is on this machine, or None."""
    inferior = gdb.selected_inferior()
    if not inferiors.is_live_here(inferior):
        return None
    if name == inferiors.program():
        return 'Type "file /proc/%d/exe".' % inferior.pid
    below = "/proc/%d/root" % inferior.pid
    if _has(below + name, mapped.build_id):
        return 'Type "set sysroot %s".' % below
    kept = _map_file(inferior.pid, mapped.page)
    if not _has(kept, mapped.build_id):
        return None
    # Where gdb finds a library by its whole name it looks nowhere else.
    directories = dict.fromkeys(os.path.dirname(path) for path in _all_mapped() if path)
    return 'It was replaced: copy %s to DIR/%s, then type "set sysroot DIR" and "set ' \
        'solib-search-path DIR:%s".' % (kept, escaped.shown(os.path.basename(name)),
                                        escaped.shown(":".join(directories)))


def _has(path: str, build_id: str) -> bool:
    try:
        with regular_file.opened(path) as stream:
            return _of_file(stream) == build_id
    except (OSError, ValueError):
        debug.ignored()
        return False


def _all_mapped() -> Dict[Optional[str], _Mapped]:
    """What the target has where gdb has each file, as far as it says that."""
    found = _mapped.get(inferiors.program_space())
    if found is None:
        found = {}
        for start, library in _texts():
            name, page = gdb_text.library_at(start), modules.first_page(start)
            build_id = None if page is None else _of_memory(page.start)
            if page is not None and build_id is not None and bool(library) == (name is not None):
                found[name] = _Mapped(page, build_id)
        _mapped[inferiors.program_space()] = found
    return found


def _texts() -> List[Tuple[int, str]]:
    """[(where gdb has the code of a file, "" for the program's)]. gdb's Python does not know that;
    this reads a table made for people, for which gdb asks nothing of the process."""
    try:
        table = gdb_text.printed("info files")
    except gdb.error:
        debug.ignored()
        return []
    return [(int(start, 16), library) for start, library in
            re.findall(r"^\t(0x[0-9a-f]+) - 0x[0-9a-f]+ is \.text( in .*)?$", table, re.M)]


def _by_name(path: str) -> List[_Mapped]:
    """The files mapped under the last part of this name, whatever the rest of their version."""
    name = os.path.basename(path)
    stem = name.split(".so")[0] + ".so" if ".so" in name else None
    return [_Mapped(page, found) for page in modules.mappings()
            for mapped in [os.path.basename(modules.name_of(page))]
            if page.offset == 0 and (mapped.startswith(stem) if stem else mapped == name)
            for found in [_of_memory(page.start)] if found is not None]


def _of_memory(base: int) -> Optional[str]:
    """The build-id of the file whose first page is at this address, or None."""
    try:
        page = inferiors.read(base, _PAGE)
        header, segments = elf.of_page(page)
    except (gdb.error, ValueError):
        debug.ignored()
        return None
    return next((found for segment in segments if segment.type == elf.NOTE
                 for found in [elf.build_id(page[segment.offset:segment.offset + segment.size],
                                            header)]
                 if found is not None), None)


def _of_file(stream: BinaryIO) -> Optional[str]:
    """The same of a file, or ValueError."""
    header, segments = elf.read(stream)
    for segment in segments:
        if segment.type == elf.NOTE and segment.offset < 1 << 63:
            stream.seek(segment.offset)
            found = elf.build_id(stream.read(min(segment.size, _LARGEST_NOTES)), header)
            if found is not None:
                return found
    return None


# Files


def opened(path: str) -> io.BufferedReader:
    """The file of the selected program, or of a library, that gdb has by this name, as the process
    or core has it; else OSError or ValueError."""
    inferior = gdb.selected_inferior()
    mapped = _all_mapped().get(None if path == inferiors.program() else path)
    for place in _places(path, None if mapped is None else mapped.page):
        try:
            stream = regular_file.opened(place)
        except (OSError, ValueError):
            debug.ignored()
            continue
        # What gdbserver has by this name may be on another machine.
        if mapped is not None and _of_file(stream) == mapped.build_id or mapped is None and (
                not inferior.pid or inferiors.is_core(inferior) or
                inferiors.is_live_here(inferior)):
            stream.seek(0)
            return stream
        stream.close()
    raise OSError("not on this machine")


def unwritten(address: int, size: int) -> bytes:
    """What files have mapped at ADDRESS of a core, where it is not in the core since nobody can
    write it; else OSError or ValueError. gdb takes it from a file only where that has the name
    that it had in the process."""
    mapped = modules.mapped_at(address)
    page = modules.first_page(address)
    if mapped is None or page is None or address + size > mapped.end:
        raise OSError("not a file's")
    for name, found in _all_mapped().items():
        if found.page == page:
            return _code(name or inferiors.program() or "", address - mapped.start + mapped.offset,
                         size)
    raise OSError("gdb has no such file")


def _code(path: str, offset: int, size: int) -> bytes:
    """SIZE bytes of a file that is mapped by whole pages; behind its end they are zero."""
    with opened(path) as stream:
        for segment in elf.read(stream).segments:
            end = segment.offset + segment.size
            if segment.type == elf.LOAD and not segment.writable and \
                    segment.offset <= offset < end:
                stream.seek(offset)
                found = stream.read(size)
                if offset + len(found) >= min(offset + size, end):
                    return found.ljust(size, b"\0")
    raise OSError("not in a segment that nobody writes")


def _places(path: str, page: Optional[MappedFile]) -> Iterator[str]:
    """Where it may be: as it is mapped, though it may have been replaced, below the root of the
    process, by its name."""
    inferior = gdb.selected_inferior()
    if inferior.pid and inferiors.is_live_here(inferior):
        if page is not None:
            yield _map_file(inferior.pid, page)
        yield "/proc/%d/root%s" % (inferior.pid, path)
    yield path


def _map_file(process: int, page: MappedFile) -> str:
    return "/proc/%d/map_files/%x-%x" % (process, page.start, page.end)


def _running_program() -> Optional[str]:
    """The file that a live process of this machine executes, though it may have been replaced."""
    inferior = gdb.selected_inferior()
    path = "/proc/%d/exe" % inferior.pid
    return path if inferiors.is_live_here(inferior) and os.access(path, os.R_OK) else None


def root() -> str:
    """What stands before the names of files of the selected process where these are other ones
    than gdb's, else ""."""
    inferior = gdb.selected_inferior()
    if not inferior.pid or not inferiors.is_live_here(inferior):
        return ""
    if inferior.pid not in _roots:
        _roots[inferior.pid] = process_root.of_process(inferior.pid)
    return _roots[inferior.pid] or ""
