# SPDX-License-Identifier: MIT
"""Which loaded files are OpenMP runtimes: those that export the entry points, whatever they
are called. LLVM's runtime exports libgomp's as well; the hooks export some, and not ENTRY.

gdb has no question for a symbol of one file. It resolves a function's name to all of its
definitions, and an address to the file that holds it."""

import os

import gdb

from ompd import counters, gdbtext, target

ENTRY = "omp_get_thread_num"
_OF_GOMP = "GOMP_parallel"
_OF_KMP = "__kmpc_fork_call"

_known = {}  # progspace -> {name: [(file, address)]}


def _file(address):
    """The name that gdb has for the file that holds ADDRESS, "" for the program."""
    return gdbtext.exact(gdb.solib_name, address) or ""


def _is_stub(address):
    """Whether code calls a function by way of this: gdb takes stubs for definitions where it
    knows none."""
    text = gdbtext.exact(gdb.Value(address).cast(target.pointer()).format_string, format="a")
    return text.endswith(("@plt>", "@got.plt>"))


def definitions(name):
    """[(file, address)] of a function of this NAME, in the order in which gdb has the files."""
    space = gdb.current_progspace()
    known = _known.setdefault(id(space), {})
    if name not in known:
        counters.add("symbol_lookups")
        try:
            with target.c_language():
                found = gdb.decode_line(name)[1] or ()
        except gdb.error:
            found = ()
        known[name] = [(_file(line.pc), line.pc) for line in found if not _is_stub(line.pc)]
    return known[name]


def forget(_event=None):
    """Programs or libraries came or went."""
    _known.clear()


def address_in(file, name):
    """The address of a function in the file that the dynamic linker calls FILE, or None. gdb may
    have the same file elsewhere: below a sysroot, or in a directory of its own for cores."""
    if not target.PLAIN_SYMBOL.match(name):
        return None
    found = definitions(name)
    base = os.path.basename(file)
    for is_it in (lambda other: other == file,
                  lambda other: file and other.endswith(file),
                  lambda other: base and os.path.basename(other) == base):
        addresses = [address for other, address in found if is_it(other)]
        if addresses:
            return addresses[0] if len(addresses) == 1 else None
    return None


def gomp():
    """Files that are a libgomp; "" is the program."""
    kmp = _files(_OF_KMP)
    return [file for file in _files(ENTRY) if file in _files(_OF_GOMP) and file not in kmp]


def kmp():
    """Files that are LLVM's runtime or a kin of it."""
    return [file for file in _files(_OF_KMP) if file in _files(ENTRY)]


def foreign():
    """The path of another runtime than libgomp, where there is no libgomp."""
    if gomp() or target.loaded_library("libgomp") is not None:
        return None
    return next(iter(kmp()), None) or target.loaded_library(*target.FOREIGN)


def _files(name):
    return [file for file, _ in definitions(name)]


def watch():
    """Follows gdb's events. Called once."""
    for name in ("new_objfile", "clear_objfiles", "free_objfile", "exited",
                 "inferior_deleted"):
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.connect(forget)
