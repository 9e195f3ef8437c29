# SPDX-License-Identifier: MIT
"""Finds the OMPD library for a program and loads it once.

The program lists candidates in `ompd_dll_locations` as paths on its own machine. When none
of them can be loaded here (a core from elsewhere), the libraries installed with this plugin
are tried.
"""

import ctypes
import os
import re
import stat

import gdb

from ompd import builds, dialect2, dialect5, installed, target
from ompd.errors import NoLibrary, OmpdError

DIALECTS = (dialect5, dialect2)
MOST_LOCATIONS = 32
LONGEST_PATH = 4096

_loaded = {}  # (device, inode) -> Library: dlopen, too, knows a file by these


class Library:
    def __init__(self, path, dialect):
        self.path = path
        self.dialect = dialect


def open_session(space):
    """A session of the library that can tell most of those that fit, or NoLibrary."""
    paths = _locations(space)
    foreign = target.foreign_runtime()
    if foreign:
        return _open_foreign(space, paths, foreign)
    hooked = target.symbol_address("ompd_hooks_root") is not None
    other = builds.differing(space, *(("libompd-hooks",) if hooked else RUNTIMES))
    if other is not None:
        raise NoLibrary(other)
    if not space.recorded or hooked:
        paths += installed.libraries()  # ours read the hooks, and libgomp without them
    return _open_best(space, paths)


def _open_best(space, paths):
    refused, found, failed = [], [], None
    for path in paths:
        candidate = _load(path, refused)
        if candidate is not None and candidate not in found:
            found.append(candidate)
    for candidate in sorted(found, key=lambda library: -library.dialect.rank):
        try:
            return candidate.dialect.open(space, candidate)
        except OmpdError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    raise NoLibrary("None of the OMPD libraries that the program names can be used: %s." %
                    ("; ".join(refused) or "it names none"))


def _open_foreign(space, paths, runtime):
    """A session with another vendor's library: one that the runtime names, or the one
    beside the runtime. A runtime that names none was built without what such a library
    reads."""
    name = os.path.basename(runtime)
    if paths or space.recorded:
        directory = os.path.dirname(os.path.realpath(runtime))
        try:
            return _open_best(space, paths + [os.path.join(directory, "libompd.so")])
        except OmpdError as error:
            raise NoLibrary("The OMPD library of %s cannot read this program (%s): is it of "
                            "the same version?" % (
                                name, error.kind.replace("_", " "))) from None
    raise NoLibrary("%s of this program was built without support for debuggers (OMPD), so "
                    "only what gdb knows can be shown." % name)


def _locations(space):
    """The strings of ompd_dll_locations, read from the target."""
    variable = target.symbol_address("ompd_dll_locations")
    if variable is None:
        if not in_place():
            raise _no_runtime(space)
        space.recorded = False
        return []
    # The hooks name their libraries beside any runtime, but record with libgomp only.
    space.recorded = target.foreign_runtime() is None or \
        target.symbol_address("ompd_hooks_root") is None
    if not space.recorded:
        return []
    pointer = space.sizes[-1]

    def word(address):
        return int.from_bytes(space.memory.read(address, pointer), space.byte_order)

    paths = []
    try:
        vector = word(variable)
        while vector and len(paths) < MOST_LOCATIONS:
            string = word(vector + len(paths) * pointer)
            if string == 0:
                break
            paths.append(os.fsdecode(space.memory.read_string(string, LONGEST_PATH)))
    except gdb.MemoryError:
        pass  # what was read until then, then our own
    return paths


def _load(path, refused):
    """The Library at PATH, or None with a reason added to REFUSED."""
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError as error:
        refused.append("%s: %s" % (path, error.strerror))
        return None
    key = status.st_dev, status.st_ino
    if key not in _loaded:
        found, reason = _open(real, status)
        if found is None:
            refused.append("%s: %s" % (path, reason))
            return None
        _loaded[key] = found
    return _loaded[key]


def _open(path, status):
    """(Library, None) or (None, reason). The paths come from the program or core being
    debugged, and loading a library runs it: a file is refused that somebody else could
    have put there."""
    if not stat.S_ISREG(status.st_mode):
        return None, "not a file"
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & stat.S_IWOTH:
        return None, "others may write to it"
    try:
        handle = ctypes.CDLL(path)
    except OSError as error:
        return None, re.sub(r"\s+", " ", str(error))
    for module in DIALECTS:
        dialect = module.attach(handle)
        if dialect is not None:
            return Library(path, dialect), None
    return None, "it speaks another interface than this plugin"


def _no_runtime(space):
    """The error for a program in which no OMPD runtime was found."""
    if not target.libraries():
        return NoLibrary('gdb does not know the program of this process or core: type '
                         '"file PROGRAM" to name it.')
    not_found, not_loaded = target.unread_libraries()
    name = _runtime_among(not_found)
    if name:
        return NoLibrary(builds.missing(space, name))
    name = _runtime_among(not_loaded)
    if name:
        return NoLibrary('gdb has not loaded %s: type "sharedlibrary" to load it.' % name)
    if not in_place() and target.symbol_address("GOMP_parallel") is not None:
        return NoLibrary("gdb sees no OpenMP runtime in this program yet: it has not got "
                         "there, or it is a core that was cut short.")
    if in_place():
        return NoLibrary('This program runs without the OMPD hooks: type "ompd on" before '
                         '"run", or start it with ompd-run.')
    return NoLibrary("This program does not use OpenMP: no libgomp, libomp or libiomp5 is "
                     "loaded.", fatal=True)


RUNTIMES = ("libgomp",) + target.FOREIGN


def _runtime_among(paths):
    for path in paths:
        name = os.path.basename(path)
        if name.startswith(RUNTIMES + ("libompd-hooks",)):
            return name
    return None


def in_place():
    """Whether an OpenMP runtime is in the program, as a library or linked into it."""
    return target.loaded_library(*RUNTIMES) is not None or \
        target.symbol_address("gomp_team_start") is not None
