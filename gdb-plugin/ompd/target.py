# SPDX-License-Identifier: MIT
"""Facts about the selected inferior that gdb's Python has no direct call for."""

import collections
import contextlib
import re

import gdb

from ompd import corefile, gdbtext

PLAIN_SYMBOL = re.compile(r"[A-Za-z0-9_.$]+\Z")


def speaks_c():
    """Whether C's expressions are understood as it is. Changing the language is heard by
    front ends, and spoils what gdb is just printing for them."""
    found = re.search(r'"(?:auto; currently )?([^"]+)"', gdbtext.printed("show language"))
    return found is not None and found.group(1) in ("c", "c++", "asm", "minimal")


@contextlib.contextmanager
def c_language():
    """Expressions below mean what they mean in C, whatever the program is written in."""
    if speaks_c():
        yield
        return
    before = gdb.parameter("language")
    gdb.execute("set language c", to_string=True)
    try:
        yield
    finally:
        gdb.execute("set language " + before, to_string=True)


@contextlib.contextmanager
def selection_kept():
    """Leaves the selected thread and frame as they were, whatever happens inside."""
    thread = gdb.selected_thread()
    frame = None
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        pass  # no frame: the thread runs, or its memory is gone
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
        try:
            if frame is not None and frame.is_valid():
                frame.select()
        except gdb.error:
            pass  # the program has ended meanwhile


def symbol_address(name):
    """The address of a symbol of the program or its libraries, with or without debug
    information, or None. Costs milliseconds: not for loops."""
    if not PLAIN_SYMBOL.match(name):
        return None
    try:
        with c_language():
            return int(gdb.parse_and_eval("(unsigned long long) &'%s'" % name))
    except gdb.error:
        return None


def variable_in(file, name):
    """The address of a variable in the loaded FILE, where other files have one of this name,
    too; None if it has none. gdb's Python knows those with debug information only; this reads
    a table made for people."""
    for objfile in gdb.current_progspace().objfiles():
        symbol = objfile.lookup_global_symbol(name) if gdbtext.file_name(objfile) == file else None
        if symbol is not None and symbol.is_variable:
            return int(symbol.value().address)
    try:
        table = gdbtext.printed("info variables ^%s$" % name)
    except gdb.error:
        return None
    found = re.findall(r"^(0x[0-9a-f]+) +%s(?:@.*)?$" % name, table, re.M)
    return next((address for address in (int(one, 16) for one in found)
                 if gdbtext.library_at(address) == file), None)


def function_addresses(name):
    """The addresses of all functions of this name in the program and its libraries, a
    linkage table's entries among them, in the order in which gdb has the files."""
    try:
        with c_language():
            return list(dict.fromkeys(sal.pc for sal in gdb.decode_line(name)[1] or ()))
    except gdb.error:
        return []


def void():
    """A value of type void."""
    with c_language():
        return gdb.Value(0).cast(_type("void"))


def sizes():
    """Sizes in bytes of char, short, int, long, long long and a pointer."""
    with c_language():
        names = ("char", "short", "int", "long", "long long")
        return [_type(name).sizeof for name in names] + [_type("char").pointer().sizeof]


def _type(name):
    """A type of C, in c_language(). gdb 10 looks types up in the language that was set when
    Python began."""
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        return gdb.parse_and_eval("(%s) 0" % name).type


def pointer():
    """The type of a pointer to something, in any language: gdb 10 looks the names of types up
    in the language that was set when Python began."""
    return gdb.Value(0).type.pointer()


def byte_order():
    """"little" or "big"."""
    with c_language():
        short = _type("short")
    return "little" if int(gdb.Value(b"\1\0", short)) == 1 else "big"


Connection = collections.namedtuple("Connection", "num type")
_connections = {}  # inferior -> (a thread, as long as it lives, what gdb has both by)


def connection(inferior):
    """What gdb has a process or core by, with its number and its type ("native", "core"), or
    None. gdb 10 and 11 show it to people only: there it is known of the selected inferior."""
    if hasattr(inferior, "connection"):
        return inferior.connection
    if inferior != gdb.selected_inferior():
        return None
    thread, known = _connections.get(inferior.num, (None, None))
    if thread is not None and thread.is_valid() and thread.inferior == inferior:
        return known
    try:
        text = gdbtext.printed("info connections")
    except gdb.error:
        return None
    found = re.search(r"^\* *(\d+) +(\S+)", text, re.M)
    known = Connection(int(found.group(1)), found.group(2)) if found else None
    _connections[inferior.num] = gdb.selected_thread(), known
    return known


_listed = {}  # inferior -> (what gdb gave, the same by number)
_of_core = {}  # (inferior, connection) -> threads; of one core at a time


def threads(inferior):
    """Threads by their number; gdb hands them out in no order that is promised. Those of a
    core stay the same, and gdb takes milliseconds to list hundreds of them."""
    known = connection(inferior)
    if known is None or known.type != "core":
        found = inferior.threads()
        last = _listed.get(inferior.num)
        if last is None or last[0] != found:
            last = _listed[inferior.num] = found, _by_number(found)
        return last[1]
    if inferior != gdb.selected_inferior():
        return _by_number(inferior.threads())
    key = inferior.num, known.num
    if key not in _of_core or not all(t.is_valid() for t in _of_core[key]):
        _of_core.clear()
        _of_core[key] = _in_file(inferior, known, _by_number(inferior.threads()))
    return _of_core[key]


def _by_number(found):
    return sorted((t for t in found if t.is_valid()), key=lambda t: t.num)


def _in_file(inferior, core, found):
    """The threads that a core is about, as its file tells, or all."""
    known = corefile.threads(inferior, core)
    return [t for t in found if lwp(t) in known] or found if known else found


def lwp(thread):
    """The kernel's id of a gdb thread as gdb has it, which may be that of another pid
    namespace: see thread_ids.py. A few remote targets know only the last one."""
    pid, lwp_id, tid = thread.ptid
    return lwp_id or tid or pid


def libraries():
    """File names of everything loaded into the selected program, the program first."""
    names = [gdbtext.file_name(o) for o in gdb.current_progspace().objfiles()
             if o.owner is None]
    return [name for name in names if name and not name.startswith("system-supplied")]


def unread_libraries():
    """(not found, not loaded): names of libraries that the program has and gdb has no
    symbols of, because there is no such file or because it was told not to load them.
    gdb's Python does not know them; this reads a table made for people, so it is for
    error messages only."""
    try:
        text = gdbtext.printed("info sharedlibrary")
    except gdb.error:
        return [], []
    return (re.findall(r"^ *No +(/\S.*)$", text, re.M),
            re.findall(r"^0x\w+ +0x\w+ +No +(/\S.*)$", text, re.M))


def is_core(inferior):
    """Whether this is a core."""
    known = connection(inferior)
    return known is not None and known.type == "core"


def connection_number(inferior):
    """Tells a core from the process before it."""
    known = connection(inferior)
    return known.num if known is not None else 0


def environment(name):
    """A variable of the environment that the next "run" gets, or None."""
    text = gdbtext.printed("show environment " + name)
    prefix = name + " = "
    return text[len(prefix):].rstrip("\n") if text.startswith(prefix) else None
