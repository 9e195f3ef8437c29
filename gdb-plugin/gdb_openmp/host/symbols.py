# SPDX-License-Identifier: MIT
"""Symbols of the program and its libraries, with or without debug information, and definitions
of functions file by file.

gdb has no question for a symbol of one file. It resolves a function's name to all of its
definitions, and an address to the file that holds it.
"""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import caches, counters, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.interface import Definition, Symbol
from gdb_openmp.host import gdb_text, inferiors

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbBlock

PLAIN = re.compile(r"[A-Za-z0-9_.$]+\Z")


# By program space and name.
_addresses: Dict[Tuple[int, str], Optional[int]] = caches.of_code()
_known: Dict[Tuple[int, str], List[Definition]] = caches.of_code()


def address(name: str) -> Optional[int]:
    """The address of a symbol of the program or its libraries, with or without debug information,
    or None, also of one in a file that is not the target's. Costs milliseconds the first time, as
    gdb looks for a source file of this name, too: not for loops."""
    key = inferiors.program_space(), name
    if key not in _addresses:
        found = own_address(name)
        _addresses[key] = None if found is None or gdb_text.is_other(found) else found
    return _addresses[key]


def own_address(name: str) -> Optional[int]:
    """The same for the selected thread: each has its own thread-local variables."""
    if not PLAIN.match(name):
        return None
    try:
        with inferiors.c_language():
            return int(gdb.parse_and_eval("(unsigned long long) &'%s'" % name))
    except gdb.error:
        debug.ignored()
        return None


def variable_in(file: str, name: str) -> Optional[int]:
    """The address of a variable in the loaded FILE, where other files have one of this name,
    too; None if it has none. gdb's Python knows those with debug information only; this reads
    a table made for people."""
    for objfile in gdb.current_progspace().objfiles():
        symbol = None if gdb_text.image_file(objfile) != file else \
            objfile.lookup_global_symbol(name)
        if symbol is not None and symbol.is_variable:
            return int(symbol.value().address)
    try:
        table = gdb_text.printed("info variables ^%s$" % name)
    except gdb.error:
        debug.ignored()
        return None
    found = re.findall(r"^(0x[0-9a-f]+) +%s(?:@.*)?$" % name, table, re.M)
    return next((address for address in (int(one, 16) for one in found)
                 if gdb_text.library_at(address) == file), None)


def variables_from(prefix: str) -> Dict[int, str]:
    """{address: name} of the variables without debug information whose names begin so. This
    reads a table made for people, in which gdb takes such a name for one of Ada; it costs what
    gdb needs to search all names."""
    try:
        table = gdb_text.printed("info variables " + prefix.lstrip("."))
    except gdb.error:
        debug.ignored()
        return {}
    found = {address: at(address) for address in
             (int(one, 16) for one in re.findall(r"^(0x[0-9a-f]+) ", table, re.M))}
    return {address: name for address, (name, offset) in found.items()
            if name and offset == 0 and name.startswith(prefix)}


def function_addresses(name: str) -> List[int]:
    """The addresses of all functions of this name in the program and its libraries, a
    linkage table's entries among them, in the order in which gdb has the files."""
    try:
        with inferiors.c_language():
            return list(dict.fromkeys(sal.pc for sal in gdb.decode_line(name)[1] or ()))
    except gdb.error:
        debug.ignored()
        return []


def at(address: int) -> Symbol:
    """The Symbol at or before an address."""
    return Symbol(None, 0) if gdb_text.is_other(address) else _at(address)


def _at(address: int) -> Symbol:
    """The same in whatever file gdb has."""
    try:
        with inferiors.c_language():
            text = gdb_text.exact(gdb.Value(address).cast(inferiors.pointer()).format_string,
                                  format="a")
        found = re.search(r"<(.*?)(?:\+(\d+))?>\Z", text, re.S)
        if found is None:
            return Symbol(None, 0)
        name = found.group(1)
        if name.startswith("operator()"):  # debug information says of no lambda where it stands
            linkers = re.match(r"(.*?)( \+ \d+)? in section ",
                               gdb_text.printed("info symbol %#x" % address))
            name = linkers.group(1) if linkers else name
    except gdb.error:
        debug.ignored()
        return Symbol(None, 0)
    return Symbol(name, int(found.group(2) or 0))


def definitions(name: str) -> List[Definition]:
    """Those of the functions of this NAME, in the order in which gdb has the files, which need not
    be the target's: of such a one it says that it is there."""
    key = inferiors.program_space(), name
    if not PLAIN.match(name):
        return []
    if key not in _known:
        counters.add("symbol_lookups")
        _known[key] = [Definition(gdb_text.library_at(found), found)
                       for found in function_addresses(name) if _is_one(found)]
    return _known[key]


def _is_one(found: int) -> bool:
    """Whether gdb's answer is a function, not the stub through which code calls one: gdb takes
    stubs for definitions where it knows none. In C++ it also finds those in namespaces."""
    symbol = _at(found)[0]
    return symbol is not None and not symbol.endswith(("@plt", "@got.plt")) and "::" not in symbol


def function_block(pc: int) -> Optional[GdbBlock]:
    """The gdb.Block of the innermost function that has code at PC, or None. At the first
    instruction of a function that function goes before what is inlined there."""
    block = None if gdb_text.is_other(pc) else inferiors.block_at(pc)
    innermost = beginning = None
    while block is not None:
        if block.function is not None:
            innermost = innermost or block
            beginning = block if block.start == pc else beginning
        block = block.superblock
    return beginning or innermost
