# SPDX-License-Identifier: MIT
"""Chooses the OMPD library for a program.

A library runs in the debugger, and what a process or core says of itself may be an attacker's: the
paths in its `ompd_dll_locations` are a wish. libgomp, LLVM's runtime and the hooks are read by
the libraries that were installed with this package. Another vendor's is loaded when the user
names it, or from where the user trusts, where ours cannot read the runtime.
"""

from __future__ import annotations

import os

from openmp_inspect.core import debug, escaped, install_paths, screen, trusted_file
from openmp_inspect.core.errors import NoLibrary, OmpdError, Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import extension5, library
from openmp_inspect.code import code_owner, image_symbols
from openmp_inspect.code.entry_point_table import SIGNS

if TYPE_CHECKING:
    from typing import Iterable, List, Sequence
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.held_handles import ProcessSession
    from openmp_inspect.bindings.library import Library
    from openmp_inspect.bindings.query import Verdicts
    from openmp_inspect.bindings.spaces import Space

MOST_LOCATIONS = 32
LONGEST_PATH = 4096


def open_session(space: Space) -> ProcessSession:
    """A session of the library that knows most of those that fit, or NoLibrary."""
    named = _locations(space)
    foreign = code_owner.foreign_runtime(space.process)
    loaded = code_owner.runtimes(space.process)
    hooked = bool(loaded.hooks)
    process = space.process
    other = process.differing_file(loaded.hooks or loaded.gomp or loaded.kmp)
    if other is not None:
        raise NoLibrary(other)
    if process.chosen_library:
        return _open_chosen(space, process.chosen_library)
    # Ours read the hooks, and runtimes without them.
    trusted_names = [] if hooked or foreign else filter(process.is_trusted, named)
    found, _ = library.load_all(trusted_names, library.load_checked)
    ours, reasons = library.load_all(install_paths.libraries(), library.load_own)
    if foreign:
        del ours[1:]  # 2.000 has no names of files to distinguish the runtime from the hooks
    try:
        if found + ours:
            return _open_best(space, found + ours)
    except OmpdError as error:
        if not foreign or error.kind != "incompatible" or process.differing_file():
            raise
        debug.ignored()
    if foreign:
        return _open_foreign(space, named, foreign)
    raise _unusable(reasons)


def verdicts(evidence: bytes, count: int, size: int) -> Verdicts:
    """As Query.verdicts(), where no library reads the process; or NoLibrary."""
    ours, reasons = library.load_all(install_paths.libraries(), library.load_own)
    best = max(ours, key=lambda one: one.dialect.rank, default=None)
    if best is None:
        raise _unusable(reasons)
    return extension5.ExtensionQuery.judged(best.dialect.call, evidence, count, size)


def _unusable(reasons: Sequence[str]) -> NoLibrary:
    return NoLibrary("The OMPD libraries of this %s cannot be used: %s." %
                     (screen.current().product, "; ".join(reasons) or "there are none"))


def _open_best(space: Space, libraries: Iterable[Library]) -> ProcessSession:
    failed: List[OmpdError] = []
    for one in sorted(libraries, key=lambda one: -one.dialect.rank):
        try:
            return one.dialect.open(space, one)
        except OmpdError as error:
            failed.append(error)
    raise failed[0]


def _open_chosen(space: Space, path: str) -> ProcessSession:
    try:
        chosen = library.load_checked(path)
    except library.Rejected as reason:
        raise NoLibrary('The library of "%s", %s, is not loaded: it %s.' % (
            screen.current().to_choose_library, escaped.shown(path), reason)) from None
    return chosen.dialect.open(space, chosen)


def _open_foreign(space: Space, named: List[str], runtime: str) -> ProcessSession:
    """A session with another vendor's library: one that the runtime names, or the one
    beside the runtime. A runtime that names none has not been built with what such a library
    reads, or was stripped of it."""
    name = escaped.shown(os.path.basename(runtime))
    if not named and not space.recorded:
        raise NoLibrary("%s of this program is of a version that this %s does not know, so only what "
                        "%s knows can be shown." % (
                            name, screen.current().product, screen.current().debugger))
    beside = os.path.join(os.path.dirname(trusted_file.resolved(runtime)), "libompd.so")
    if os.path.isfile(beside):
        named.append(beside)
    safe = [path for path in named if space.process.is_trusted(path)]
    if not safe:
        raise NoLibrary(_not_safe(name, named))
    found, reasons = library.load_all(safe, library.load_checked)
    if not found:
        raise NoLibrary('No OMPD library of %s can be used (%s): type "%s FILE" to name one.' % (
            name, "; ".join(reasons), screen.current().to_choose_library))
    try:
        return _open_best(space, found)
    except OmpdError as error:
        raise NoLibrary("The OMPD library of %s cannot read this program (%s): is it of "
                        "the same version?" % (name, error.kind.replace("_", " "))) from None


def _not_safe(runtime: str, named: Sequence[str]) -> str:
    """The sentence about libraries that nobody but the program vouches for: the last one,
    which may be the one beside the runtime."""
    path = next((path for path in reversed(named) if os.path.isabs(path)), None)
    to_choose = screen.current().to_choose_library
    if path is None:
        return '%s names no OMPD library by its full path: type "%s FILE" to name it.' % (
            runtime, to_choose)
    # What had to be escaped or cut cannot be typed.
    return 'The OMPD library of %s, %s, lies outside of %s, and its code would run in the ' \
        'debugger: type "%s %s" to load it all the same.' % (
            runtime, escaped.shown(path), screen.current().trusted_place, to_choose,
            path if escaped.shown(path) == path else "FILE")


def _locations(space: Space) -> List[str]:
    """The strings of ompd_dll_locations, read from the target: nothing is done with them but
    to look for them in what the user trusts."""
    variable = space.process.symbol("ompd_dll_locations")
    process = space.process
    if not code_owner.has_runtime(process) and (
            variable is None or code_owner.runtimes(process).hooks):
        raise _no_runtime(space)
    if variable is None:
        space.recorded = False
        return []
    foreign, hooks = code_owner.foreign_runtime(space.process), code_owner.runtimes(space.process).hooks
    if not (foreign and hooks):
        space.recorded = True
        return _strings(space, variable)
    # The hooks name their libraries beside any runtime, but record with libgomp only. The
    # runtime has a variable of its own, or stores into theirs.
    own = space.process.variable_in(foreign, "ompd_dll_locations")
    beside = {os.path.dirname(trusted_file.resolved(path)) for path in hooks}
    named = (_strings(space, own) if own is not None else []) or \
        [path for path in _strings(space, variable)
         if os.path.dirname(trusted_file.resolved(path)) not in beside]
    space.recorded = own is not None or bool(named)
    return named


def _strings(space: Space, variable: int) -> List[str]:
    """Those of a vector that ends with NULL, to which the VARIABLE points."""
    pointer = space.process.sizes[-1]
    paths: List[str] = []
    try:
        vector = space.memory.unsigned(variable, pointer)
        while vector and len(paths) < MOST_LOCATIONS:
            string = space.memory.unsigned(vector + len(paths) * pointer, pointer)
            if string == 0:
                break
            paths.append(os.fsdecode(space.memory.read_string(string, LONGEST_PATH)))
    except Unreadable:
        debug.ignored()  # what was read until then
    return [path for path in paths if 0 < len(os.fsencode(path)) < LONGEST_PATH]


def _no_runtime(space: Space) -> NoLibrary:
    """The error for a program in which no runtime was found."""
    process = space.process
    unread = process.unread_file(_RUNTIMES)
    if unread is not None:
        return NoLibrary(unread)
    is_static = image_symbols.is_static(process)
    if not is_static and len(process.libraries()) == 1 or _is_runtime_needed(process) and \
            any(process.symbol(SIGNS[kind]) is not None for kind in ("gomp", "kmp")):
        return NoLibrary("%s sees no OpenMP runtime in this program yet: it has not got there, or "
                         "it is a core that was cut short." % screen.current().debugger)
    if is_static and process.symbol("main") is None:
        return NoLibrary("This program is linked statically and stripped of its symbols: "
                         "whether it uses OpenMP cannot be determined.", fatal=True)
    if process.crash() is not None:
        return NoLibrary("No libgomp, libomp or libiomp5 is loaded: if there was one, nothing is known "
                         "of it.", fatal=True)
    return NoLibrary("This program does not use OpenMP: no libgomp, libomp or libiomp5 is "
                     "loaded.", fatal=True)


def _is_runtime_needed(process: Process) -> bool:
    """Whether the program calls libgomp's functions, not only the hooks, which offer them; or that
    is not known."""
    return not code_owner.runtimes(process).hooks or any(
        image is None or any(map(code_owner.is_openmp, image.undefined))
        for image in image_symbols.of_user(process).values())


# What a library's name has to say as long as there is no file.
_RUNTIMES = "libgomp", "libomp.so", "libiomp5", "libompd-hooks"
