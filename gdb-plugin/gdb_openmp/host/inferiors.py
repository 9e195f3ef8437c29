# SPDX-License-Identifier: MIT
"""Facts about the selected inferior that gdb's Python has no direct call for."""

from __future__ import annotations

import contextlib
import functools
import re

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.core.static_typing import ByteOrder
    from gdb_openmp.host.gdb_types import GdbBlock, GdbInferior, GdbThread, GdbType, GdbValue



def speaks_c() -> bool:
    """Whether C's expressions are understood as it is. Changing the language is heard by
    front ends, and spoils what gdb is just printing for them."""
    found = re.search(r'"(?:auto; currently )?([^"]+)"', gdb_text.printed("show language"))
    return found is not None and found.group(1) in ("c", "c++", "asm", "minimal")


@contextlib.contextmanager
def c_language() -> Iterator[None]:
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


@functools.lru_cache(maxsize=1)
def _has_kernels() -> bool:
    """Whether this is cuda-gdb."""
    try:
        gdb.execute("help cuda", to_string=True)
    except gdb.error:
        debug.ignored()
        return False
    return True


def _kernel_focus() -> Optional[str]:
    """The command that sets cuda-gdb's focus to the thread of a kernel that has it, None: none has."""
    try:
        said = gdb.execute("cuda device sm warp lane", to_string=True) if _has_kernels() else ""
    except gdb.error:
        debug.ignored()  # a thread of the host has it
        return None
    places = re.findall(r"\b(device|sm|warp|lane) (\d+)", said)
    return " ".join(("cuda", *map(" ".join, places))) if len(places) == len(said.split(",")) > 1 else None


_kept: List[Optional[GdbThread]] = []  # the thread that was selected before each selection_kept()


@contextlib.contextmanager
def selection_kept() -> Iterator[None]:
    """Leaves the selected thread and frame as they were, whatever happens inside, and the focus on a
    kernel, which cuda-gdb takes away as a thread is selected."""
    kernel = _kernel_focus()
    thread = gdb.selected_thread()
    frame = None
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        debug.ignored()  # no frame: the thread runs, or its memory is gone
    _kept.append(thread)
    try:
        yield
    finally:
        _kept.pop()
        if thread is not None and thread.is_valid():
            thread.switch()
        try:
            if kernel:
                gdb.execute(kernel, to_string=True)
            if frame is not None and frame.is_valid():
                frame.select()
        except gdb.error:
            debug.ignored()  # the program has ended meanwhile


def chosen(inferior: GdbInferior) -> Optional[GdbThread]:
    """The gdb thread of an INFERIOR that was selected before questions about others were asked, or None."""
    known = [one for one in (*_kept, gdb.selected_thread()) if one is not None and one.is_valid()]
    return next((one for one in known if one.inferior == inferior), None)


@contextlib.contextmanager
def selected(thread: Optional[GdbThread]) -> Iterator[None]:
    """Selects a gdb thread, None: the selected one, until selection_kept() around it ends; without one
    the selection is as it was behind this."""
    with contextlib.nullcontext() if _kept else selection_kept():
        if thread is not None and gdb.selected_thread() != thread:
            thread.switch()
        yield


_visited_from: List[GdbInferior] = []  # the inferior that was selected before visited()


@contextlib.contextmanager
def visited(inferior: GdbInferior) -> Iterator[None]:
    """Selects a thread of an INFERIOR with a process for a while, a stopped one if there is any."""
    before = gdb.selected_inferior()
    with selection_kept():
        if inferior != before:
            min(inferior.threads(), key=lambda one: (one.is_running(), one.num)).switch()
        _visited_from.append(before)
        try:
            yield
        finally:
            _visited_from.pop()
    if gdb.selected_inferior() != before:  # it has no thread
        gdb.execute("inferior %d" % before.num, to_string=True)


def void() -> GdbValue:
    """A value of type void."""
    with c_language():
        return gdb.Value(0).cast(_type("void"))


def sizes() -> List[int]:
    """Sizes in bytes of char, short, int, long, long long and a pointer."""
    with c_language():
        names = ("char", "short", "int", "long", "long long")
        return [_type(name).sizeof for name in names] + [pointer().sizeof]


def _type(name: str) -> GdbType:
    """A type of C, in c_language(). gdb 10 looks types up in the language that was set when
    Python began."""
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        debug.ignored()
        return gdb.parse_and_eval("(%s) 0" % name).type


def pointer() -> GdbType:
    """The type of a pointer to something, in any language. gdb 10 gives types of numbers in Python
    the architecture that was set when Python began."""
    try:
        return gdb.lookup_type("char").pointer()
    except gdb.error:
        debug.ignored()
        with c_language():
            return gdb.parse_and_eval("(char *) 0").type


def byte_order() -> ByteOrder:
    """"little" or "big"."""
    with c_language():
        short = _type("short")
    return "little" if int(gdb.Value(b"\1\0", short)) == 1 else "big"


class Connection(NamedTuple):
    """As gdb.TargetConnection."""

    num: int
    type: str


# Of inferiors by their numbers: a thread, as long as it lives, and what gdb has both by.
_connections: Dict[int, Tuple[Optional[GdbThread], Optional[Connection]]] = {}


def connection(inferior: GdbInferior) -> Optional[Connection]:
    """What gdb has a process or core by, with its number and its type ("native", "core"), or
    None. gdb 10 and 11 show it to people only: there it is known of the selected inferior."""
    if hasattr(inferior, "connection"):
        own: Optional[Connection] = inferior.connection
        return own
    if inferior != gdb.selected_inferior():
        return None
    thread, known = _connections.get(inferior.num, (None, None))
    if thread is not None and thread.is_valid() and thread.inferior == inferior:
        return known
    try:
        text = gdb_text.printed("info connections")
    except gdb.error:
        debug.ignored()
        return None
    found = re.search(r"^\* *(\d+) +(\S+)", text, re.M)
    known = Connection(int(found.group(1)), found.group(2)) if found else None
    _connections[inferior.num] = gdb.selected_thread(), known
    return known


def lwp(thread: GdbThread) -> int:
    """The kernel's id of a gdb thread as gdb has it, which may be that of another pid
    namespace: see thread_ids.py. A few remote targets know only the last one."""
    pid, lwp_id, tid = thread.ptid
    return int(lwp_id or tid or pid)


def system_name(thread: GdbThread) -> str:
    """A thread's name in the system, as gdb writes it."""
    number = lwp(thread)
    try:
        handle = thread.handle()
        return "Thread %#x (LWP %d)" % (int.from_bytes(handle, byte_order()), number)
    except (NotImplementedError, RuntimeError):  # gdb.error is one, too
        debug.ignored()
        return "LWP %d" % number


def read(address: int, size: int) -> bytes:
    """Memory of the selected inferior; gdb.error where there is none, OverflowError of what is no
    address. Not kept: what is read often has page_cache.py."""
    return bytes(gdb.selected_inferior().read_memory(address, size))


def read_unsigned(address: int, size: int) -> int:
    """The number in SIZE bytes, likewise."""
    return int.from_bytes(read(address, size), byte_order())


def block_at(pc: int) -> Optional[GdbBlock]:
    """The innermost gdb.Block that has code at PC, or None, also where gdb has an error for it."""
    try:
        return gdb.block_for_pc(pc)
    except RuntimeError:
        debug.ignored()
        return None


def is_readable(address: int) -> bool:
    """Whether the selected inferior has memory at an ADDRESS, of which a sign is dropped."""
    try:
        read(address & (1 << 64) - 1, 1)
    except (gdb.error, OverflowError):
        debug.ignored()
        return False
    return True


def others(inferior: GdbInferior) -> List[GdbInferior]:
    """gdb's other inferiors."""
    return [other for other in gdb.inferiors() if other != inferior]


def selected_thread_number() -> Optional[int]:
    """gdb's number of the thread in its inferior that the user has selected, or None."""
    thread = gdb.selected_thread()
    is_other = any(one != gdb.selected_inferior() for one in _visited_from)
    return None if thread is None or is_other else thread.num


def program_space() -> int:
    """A key for what is kept of the selected inferior's program and libraries."""
    return id(gdb.current_progspace())


def program() -> Optional[str]:
    """The file name of the selected inferior's program, or None."""
    return gdb_text.image_file(gdb.current_progspace())


def libraries() -> List[str]:
    """File names of everything loaded into the selected program, the program first."""
    names = [gdb_text.image_file(o) for o in gdb.current_progspace().objfiles()
             if o.owner is None]
    return [name for name in names if name and not name.startswith("system-supplied")]


def is_core(inferior: GdbInferior) -> bool:
    """Whether this is a core."""
    known = connection(inferior)
    return known is not None and known.type == "core"


def is_live_here(inferior: GdbInferior) -> bool:
    """Whether it is a live process of this machine, with a directory under /proc."""
    known = connection(inferior)
    return known is not None and known.type == "native"


def connection_number(inferior: GdbInferior) -> int:
    """Distinguishes a core from the process before it."""
    known = connection(inferior)
    return known.num if known is not None else 0


def environment(name: str) -> Optional[str]:
    """A variable of the environment that the next "run" gets, or None."""
    text = gdb_text.printed("show environment " + name)
    prefix = name + " = "
    return text[len(prefix):].rstrip("\n") if text.startswith(prefix) else None
