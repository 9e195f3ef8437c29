# SPDX-License-Identifier: MIT
"""Definitions of functions, file by file.

gdb has no question for a symbol of one file. It resolves a function's name to all of its
definitions, and an address to the file that holds it.
"""

import os

from gdb_openmp.core import caches, counters
from gdb_openmp.host import gdb_text, inferiors, symbols

_known = caches.of_code()  # (program space, name) -> [(file, address)]


def of(name):
    """[(file, address)] of the functions of this NAME, in the order in which gdb has the files;
    the file of the program itself is None."""
    key = inferiors.program_space(), name
    if key not in _known:
        counters.add("symbol_lookups")
        _known[key] = [(gdb_text.library_at(address), address)
                       for address in symbols.function_addresses(name) if _is_one(address)]
    return _known[key]


def _is_one(address):
    """Whether gdb's answer is a function, not the stub through which code calls one: gdb takes
    stubs for definitions where it knows none. In C++ it also finds those in namespaces."""
    symbol = symbols.at(address)[0]
    return symbol is not None and not symbol.endswith(("@plt", "@got.plt")) and "::" not in symbol


def address_in(file, name):
    """The address of a function in the file that the dynamic linker calls FILE, "" being the
    program, or None. gdb may have the same file elsewhere: below a sysroot, or in a directory
    of its own for cores."""
    if not symbols.PLAIN.match(name):
        return None
    found = [(other or "", address) for other, address in of(name)]
    base = os.path.basename(file)
    for is_it in (lambda other: other == file,
                  lambda other: file and other.endswith(file),
                  lambda other: base and os.path.basename(other) == base):
        addresses = [address for other, address in found if is_it(other)]
        if addresses:
            return addresses[0] if len(addresses) == 1 else None
    return None
