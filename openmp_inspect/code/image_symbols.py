# SPDX-License-Identifier: MIT
"""What the program and its libraries need of others, by their files, and what they got."""

from __future__ import annotations

import os

from openmp_inspect.core import caches, debug, elf, elf_symbols
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner, outlined, symbol_names
from openmp_inspect.code.entry_point_table import ENTRIES

if TYPE_CHECKING:
    from typing import BinaryIO, Dict, Hashable, Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.elf_symbols import NeededSymbols

_MOST = 512  # files that are looked at

_LOCKS = frozenset(name for name, entry in ENTRIES.items() if entry.catch in ("lock", "critical"))

_read: Dict[str, Optional[NeededSymbols]] = caches.of_code()  # by file
_past_hooks: Dict[Hashable, Optional[str]] = caches.of_code()  # by what is loaded


def of_user(process: Process) -> Dict[str, Optional[NeededSymbols]]:
    """By their files, the NeededSymbols, or None where one cannot be read, of the program and of
    the libraries that are neither a runtime's nor the system's. `has_lines` includes debug
    information in a file of its own."""
    found = {}
    whole = code_owner.runtimes(process).whole

    def is_users(path: str) -> bool:
        return os.sep in path and path not in whole and not code_owner.is_system_file(path) and \
            not code_owner.drives_device(path)

    for path, has_debug_file in process.image_files(is_users)[:_MOST]:
        image = _image(process, path)
        if image is not None and has_debug_file:
            image = image._replace(has_lines=True, has_symbols=True)
        found[path] = image
    return found


def may_cancel(process: Process) -> bool:
    """Whether the program or its libraries may cancel threads: also what cannot be read, and a program
    that is linked statically, which has the function in any case."""
    images = of_user(process).values()
    return not images or code_owner.runtimes(process).libc_is_linked_in or any(
        image is None or "pthread_cancel" in image.undefined for image in images)


def past_hooks(process: Process) -> Optional[str]:
    """The file of a library that calls libgomp's locks itself, where the program has hooks; None if
    there is none. dlopen() binds so with RTLD_DEEPBIND."""
    key = process.code_key
    if key not in _past_hooks:
        _past_hooks[key] = next((path for path, image in of_user(process).items()
                                 if image is not None and not image.undefined.isdisjoint(_LOCKS) and
                                 _calls_itself(process, path)), None)
    return _past_hooks[key]


def _calls_itself(process: Process, path: str) -> bool:
    try:
        with process.opened(path) as stream:
            slots = elf_symbols.slots(stream, _LOCKS)
        start = None if slots is None else process.function_in(path, slots.function)
        if slots is None or start is None:
            return False
        runtimes = code_owner.runtimes(process).gomp
        return any(process.image_at(process.unsigned(start - slots.value + at, slots.size)) in runtimes
                   for at in slots.offsets)
    except (OSError, ValueError, HostError):
        debug.ignored()
        return False


def is_static(process: Process) -> bool:
    """Whether the program has no dynamic linker that could preload anything, and is not one itself.
    False where that cannot be read, or there is none."""
    return elf.is_static(process.program, process.opened)


def _image(process: Process, path: str) -> Optional[NeededSymbols]:
    if path not in _read:
        try:
            with process.opened(path) as stream:
                _read[path] = elf_symbols.read(stream)._replace(body=_largest(process, stream))
        except (OSError, ValueError):
            debug.ignored()
            _read[path] = None
    return _read[path]


def _largest(process: Process, stream: BinaryIO) -> Optional[elf_symbols.Body]:
    """By the name that programmers know."""
    try:
        stream.seek(0)
        found = elf_symbols.largest(stream, outlined.is_body)
        return found and found._replace(name=symbol_names.programmers(process, found.name))
    except ValueError:
        debug.ignored()
        return None
