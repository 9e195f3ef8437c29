# SPDX-License-Identifier: MIT
"""Causes that stand on stacks, by themselves: crashes, handlers of signals, Fortran's I/O, and what
is slept on in libc; teams that stay in the runtime. Stacks are tables of frames."""

import os
import signal
import struct
import types

from openmp_inspect.core import escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.host import interface
from openmp_inspect.code import closed_library
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import crash_site, fortran_io, interrupted, program_exit, shared_stack, \
    stitched_stack
from openmp_inspect.stacks.libc_waits import LibcWait
from openmp_inspect.analysis import libc_things, runtime_hold
from openmp_inspect.analysis.evidence_items import Evidence
from openmp_inspect.report import cause_words, node_words
from fakebasics import Asked, now, use


def stack(*rows):
    """Frames, newest first, of (function, line, stack pointer) and more by name."""
    found = []
    for level, (name, line, sp, *more) in enumerate(rows):
        frame = Asked(**dict({
            "level": level, "name": name, "line": line, "sp": sp, "kind": interface.NORMAL,
            "pc": 0x1000 + level, "instruction": 0x1000 + level, "is_user": bool(line),
            "variables": list}, **(more[0] if more else {})))
        frame.frame = frame
        found.append(frame)
    return found


class Walker(Asked):
    """A user_frames.Walker of one stack, whose source is a FILE."""

    def __init__(self, file, frames):
        super().__init__(frames=frames, file=file)

    def stack(self, _):
        return FakeStack(self.frames)

    def user_frames(self, _):
        return (frame for frame in self.frames if frame.is_user)

    def user_frame(self, thread):
        return next(self.user_frames(thread), None)

    def place_of(self, frame):
        return Place(self.process, frame.name, self.file, frame.line, frame.pc)


class FakeStack(list):
    def __init__(self, frames):
        super().__init__(frames)
        self.process = now().process

    @property
    def newest(self):
        return self[0] if self else None


def of_crashes(tap):
    """A crash by its frames: rows of (function, stack pointer), newest first; variables."""
    deep = [("f", 0x10000 + 0x100 * at) for at in range(100)]
    for rows, wanted, words in (
            (deep + [("main", 0x16500)], ("f", 100, 256.0, True), "a recursion"),
            (deep[:8], None, "that is not deep"), (deep + [("main", 0x30000)], None, "nor most of it"),
            ([(name, sp) for f, sp in deep for name, sp in ((f, sp), ("g", sp + 0x80))],
             ("f", 100, 256.0, True), "of two functions"), ([], None, "no frames"),
            ([("", sp) for _, sp in deep], None, "no names"),
            ([("f", 0x100 * at) for at in range(1, 9000)], ("f", 8192, 256.0, False), "a deep one")):
        tap.equal(crash_site.recursion(stack(*((name, 1, sp) for name, sp in rows))), wanted, words)
    for rows, wanted, words in (
            ((("fill", 0x100), ("use", 0x110), ("main", 0x9110)), ("use", 0x9000), "a computed array"),
            ((("main", 0x100),), None, "a frame of unknown size")):
        found = crash_site.largest(stack(*((name, 1, sp) for name, sp in rows)))
        tap.equal(found and (found[0].name, found[1]), wanted, words)
    process = use({"memory": {0x8000: bytes(8) + (0x8000).to_bytes(8, "little") + bytes(64)},
                   "types": {"double": {"kind": "other", "size": 8},
                             "double *": {"kind": "pointer", "size": 8, "target": "double"},
                             "grid": {"kind": "struct", "size": 16, "fields": [
                                 ("cells", 0, "double *"), ("next", 8, "double *")]},
                             "grid *": {"kind": "pointer", "size": 8, "target": "grid"}},
                   "threads": [{"num": 1, "lwp": 1, "frames": [{"pc": 1, "sp": 2, "variables": [
                       ("g", 0x7000, "grid *", 0x8000), ("here", 0x7008, "double *", 0x8010),
                       ("n", 0x7010, "double")]}]}]})
    frame = Asked(frame=process.newest_frame(process.threads()[0][1]))
    tap.equal([crash_site.pointer(frame, address) for address in (0x18, 0x8018, 0x20000)],
              [("g->cells", 0), None, None], "the pointer that was null")
    process = use({"threads": [{"num": 1, "lwp": 1, "frames": [{"pc": 1, "sp": 2, "variables": [
        ("p", 0x7000, "double *", 0), ("q", 0x7008, "double *", 0),
        ("r", 0x7010, "double *", 0x90000), ("s", 0x7018, "double *", 0xA5 << 56)]}]}], "types": {
            "double": {"kind": "other", "size": 8},
            "double *": {"kind": "pointer", "size": 8, "target": "double"}}})
    frame = Asked(frame=process.newest_frame(process.threads()[0][1]))
    tap.equal([crash_site.pointer(frame, address) for address in (0x18, 0x90010, 0xB0000, None)],
              [None, ("r", 0x90000), None, ("s", 0xA5 << 56)],
              "one of two, one that leads nowhere, and one that is non-canonical")


    code = bytes.fromhex("55 4889e5 4881eca8ffff01").ljust(128, b"\x90")
    use({"memory": {0x1000: code}, "images": [
        {"path": "/p", "start": 0x1000, "end": 0x1080, "symbols": {"fill": 0x1000}}]})
    for size, wanted in ((32 << 20, (0x1FFFFA8, "work")), (8, (0x1FFFFA8, None))):
        frame, = stack(("fill", 32, 0x100, {"instruction": 0x100B, "variables": lambda size=size: [
            interface.Variable("work", 0x108, types.SimpleNamespace(size=size))]}))
        tap.equal(crash_site.need(frame), wanted, "what a frame needs, %d bytes" % size)
    use({"machine": "other"})
    tap.equal(crash_site.need(frame), None, "of another machine")


def of_lost_code(tap):
    """A thread that executes what is not mapped, and where it began."""
    field, pthread = bytes(4) + (1).to_bytes(4, "little") + (16).to_bytes(4, "little"), 0x6000

    def lost(began, pc=0x9000, address=0x9000, lwp=1, **more):
        process = use(dict({
            "memory": {0x5000: field, 0x5010: bytes(12), pthread: (1).to_bytes(4, "little").ljust(
                16, b"\0") + began.to_bytes(8, "little")},
            "threads": [{"num": 1, "lwp": lwp, "pthread": pthread}],
            "images": [{"path": "/lib/libc.so.6", "start": 0x5000, "end": 0x5fff,
                        "objects": {"_thread_db_pthread_start_routine": 0x5000,
                                    "_thread_db_pthread_tid": 0x5010}}]}, **more))
        found = FakeStack(stack(("", 0, 0x8000, {"pc": pc})))
        found.thread = process.threads()[0][1]
        return crash_site.lost_code(found, address)

    tap.equal([lost(0xA000), lost(0x5100), lost(0xA000, address=0x18), lost(0x5100, 0x5200, 0x5200),
               lost(0xA000, unread="It is not here."), lost(0xA000, memory={}), lost(0xA000, lwp=2),
               lost(0xA000, 8, 8)],
              [True, False, None, None] + [False] * 4, "code that is gone")


def of_closed_libraries(tap):
    """Entries of objects that there were, as (start, end, name)."""
    def closed(*entries, address=0x9000, cookie=b"OMPDOBJ\0", size=64, **more):
        table = cookie + size.to_bytes(4, "little") + len(entries).to_bytes(4, "little") + b"".join(
            start.to_bytes(8, "little") + end.to_bytes(8, "little") + name.ljust(48, b"\0")
            for start, end, name in entries)
        hooks = {"path": "/lib/libompd-hooks.so", "start": 0x5000, "end": 0x6000,
                 "objects": {"ompd_hooks_objects": 0x5000}}
        use(dict({"memory": {0x5000: table}, "images": [hooks]}, **more))
        found = closed_library.name_at(now(), address)
        return found and found.raw

    mine, other = (0x8000, 0xA000, b"/opt/libplug.so"), (0x9000, 0xB000, b"/opt/libother.so")
    tap.equal([closed(mine), closed(mine, mine), closed(mine, (*other[:1], 0xB000, b"./libplug.so")),
               closed(mine, other), closed(mine, address=0xA000), closed((0, 0xA000, b"libplug.so")),
               closed(mine, address=0x5800), closed(mine, cookie=b"OMPDOBK\0"), closed(mine, size=1 << 20),
               closed(mine, images=[]), closed(mine, size=16)],
              ["libplug.so"] * 3 + [None] * 8, "code of libraries that were closed")


def of_shared_stacks(tap):
    """Rows of (pthread, stack pointer, function and stack pointer of where it began) of threads, of which
    1 is the initial one; on whose stack each is that is on another one's."""
    kept = crash_site.start_of
    crash_site.start_of = lambda process, thread: thread.num - 1
    initial, worker = (0x1000, 0x9000, "main", 0x9f00), (0x5000, 0x4000, "start_thread", 0x4f00)

    def owners(*rows):
        use({"memory": {}, "threads": [
            {"num": number, "lwp": 10 + number, "pthread": pthread, "registers": (0x100, sp)}
            for number, (pthread, sp, _, _) in enumerate(rows, 1)]})
        walker = Walker("a.c", ())
        walker.stack = lambda thread: stack(("f", 7, rows[thread.num - 1][1]), (
            rows[thread.num - 1][2], 0, rows[thread.num - 1][3]))
        return {lwp: owner.num for lwp, owner in shared_stack.owners(walker).items()}

    third = (0x7000, 0x4800, "start_thread", 0x4f80)
    tap.equal([owners(initial, worker), owners(initial, (0x5000, 0x8000, "main()", 0x9f00)),
               owners(initial, worker, third), owners(initial, (0x5000, 0x8000, "body", 0x8f00)),
               owners(initial, (0x5000, 0x8000, "start_thread", 0x4f00)),
               owners(initial[:1] + (0x4000,) + initial[2:], (0x5000, 0x8000, "main", 0x9f00))],
              [{}, {12: 1}, {13: 2}, {}, {}, {}],
              "who is on another one's stack, but for fibers, handlers and who has left their own")
    crash_site.start_of = kept


def of_teams_inside(tap):
    """Rows of (places of two members, one letter a stop: r none of user code on the stack, a and b calls
    of the runtime, u user code; seconds that they have a processor between two looks, None: asleep; what
    else there is): whether the team is marked."""
    kept = runtime_hold._place, runtime_hold._seconds, runtime_hold.Samples
    places = {"r": (0, 0), "a": (0x100, 0x9000), "b": (0x200, 0x9000), "u": None}

    def is_marked(stops, used, repeats=True, others=(), size=2, barrier=True, released=False,
                  words=(1, 1)):
        at = [0]
        region = types.SimpleNamespace(key=5, size=size)
        use({"memory": {}, "threads": [{"num": n, "lwp": n} for n in (1, 2)]})
        stacks = stitched_stack.of(now())
        runtime_hold._place = lambda stacks, thread: places[stops[at[0]][thread.num - 1]]
        runtime_hold._seconds = lambda process, thread: at[0] and (used[thread.num - 1] or 0.0)
        runtime_hold.Samples = lambda *_: types.SimpleNamespace(
            take=lambda stacks, thread: None, stays=lambda: repeats)
        found = Evidence(stacks)
        for number, what in [(1, "waits"), (2, "works"), *others]:
            node, _ = found.node(("thread", number), "thread", what, "kernel")
            node.row = Asked(
                lwp=number, stopped=True, wait=types.SimpleNamespace(is_barrier=barrier), region=region if number < 3 else None,
                thread=stacks.threads.get(number),
                is_confirmed=not released and number < 3 and used[number - 1] is None)
        for node in found.nodes.values():
            node.row.sleep = words[0]
        teams = runtime_hold.Teams(found)
        for node in found.nodes.values():
            node.row.sleep = words[1]
        for at[0] in range(1, len(stops)):
            teams.take(stacks)
        teams.mark(found)
        return "inside" in found.team(region).flags

    busy = (0.5, 0.5)
    tap.equal([is_marked(("ar", "ar", "ar"), busy), is_marked(("ar", "ar"), (0.5, None)),
               is_marked(("aa", "aa"), (None, None), repeats=False),
               is_marked(("ar", "ar"), busy, others=((3, "idle"),))], [True] * 4,
              "teams that stay inside the runtime")
    tap.equal([is_marked(("ar", "au", "ar"), busy), is_marked(("ar", "br", "ar"), busy),
               is_marked(("ab", "ab"), busy), is_marked(("rr", "rr"), busy),
               is_marked(("ar", "ar"), busy, repeats=False), is_marked(("ar", "ar"), (0.5, 0.001)),
               is_marked(("ar", "ar"), busy, size=3), is_marked(("aa", "aa"), busy, barrier=False),
               is_marked(("ar", "ar"), (0.5, None), released=True),
               is_marked(("aa", "aa"), (None, None), repeats=False, words=(1, 2)),
               is_marked(("ar", "ar"), busy, others=((3, "asleep"),))], [False] * 11,
              "and others")
    runtime_hold._place, runtime_hold._seconds, runtime_hold.Samples = kept


def of_exits(tap):
    """Who has called exit (), and what that runs: rows of (function, whose)."""
    def found(*rows):
        frames = stack(*((name, whose == "user", 0x100, {"is_runtime": whose == "runtime"})
                         for name, whose in rows))
        one = program_exit.of_thread(Walker("a.c", frames), None)
        return one and (one.caller and one.caller.function, one.by_runtime, one.returned,
                        one.runs and one.runs.function)

    ends = ("~Cache", "user"), ("__run_exit_handlers", ""), ("exit", "")
    tap.equal([found(*ends, ("f", "user"), ("main", "user")),
               found(*ends, ("gomp_fatal", "runtime"), ("GOMP_parallel", "runtime"), ("g", "user")),
               found(*ends[1:], ("__libc_start_call_main", ""), ("_start", "user")),
               found(("exit", "")), found(("exit", "user")), found(("exit", "runtime"))],
              [("f", False, False, "~Cache"), ("g", True, False, "~Cache"), (None, False, True, None),
               (None, False, False, None), None, None], "who ends a program")


def of_handlers(tap):
    """A handler that was entered at 0x7000, and the kernel's frame at 0x8000."""
    saved = bytearray(512)
    saved[168:176] = (0x1003).to_bytes(8, "little")
    home = bytearray(64)
    home[16:20] = signal.SIGALRM.to_bytes(4, "little")
    prologue = bytes.fromhex("554889e5 4883ec10 897dfc")
    table = {"memory": {0x8000: saved, 0x7000: home, 0x1001 - 32: prologue.ljust(64, b"\x90")},
             "threads": [{"num": 1, "lwp": 1, "shown": os.getpid()}],
             "images": [{"path": "/p", "start": 0, "end": 0x2000, "symbols": {"on_alarm": 0x1001 - 32}}]}
    frames = stack(("say", 20, 0x6000), ("on_alarm", 30, 0x6800, {"register": lambda name: 0x7014}),
                   ("<signal>", 0, 0x8000, {"kind": interface.SIGNAL}), ("say", 22, 0x9000))
    place = ("say", 22)

    def asked(**more):
        process = use(dict(table, **more))
        found = interrupted.of_thread(Walker("log.c", frames), process.threads()[0][1])
        return found and (found.handler, (found.place.function, found.place.line), found.signal,
                          found.derived)

    tap.equal(asked(origin=interface.CORE), ("on_alarm", place, "SIGALRM", True),
              "the argument of a handler")
    home[16:20] = b"\xff" * 4
    tap.equal(asked(origin=interface.CORE), ("on_alarm", place, None, True), "no signal's number")
    own = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        saved[296:304] = sum(1 << number - 1 for number in own).to_bytes(8, "little")
        tap.equal(asked(origin=interface.LIVE), ("on_alarm", place, "SIGUSR2", False),
                  "the one signal that is blocked")
        saved[296:304] = bytes(8) if own else b"\xff" * 8
        saved[168:176] = bytes(8)
        tap.equal(asked(origin=interface.LIVE), ("on_alarm", place, None, True),
                  "no frame of the kernel's")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, own)
    del frames[2]
    tap.equal(asked(), None, "no handler")


def of_fortran(tap):
    """A WRITE within a WRITE, both of unit 6."""
    name = b"/src/io.f90\0"
    memory = {0x5000: name.ljust(4096, b"\0"), 0x4000: b"other.f90\0".ljust(4096, b"\0"),
              0x6000: bytes(32) + struct.pack("=iiQi", 0, 7, 0x5000, 8) +
              struct.pack("=4x") + struct.pack("=iiQi", 0, 6, 0x5000, 9) + bytes(0x2000)}
    memory[0x8000] = struct.pack("=iiQi", 0, 5, 0x4000, 3) + bytes(4) + \
        struct.pack("=iiQi", 0, 6, 0x5000, 3) + bytes(0x800)
    # What malloc() has returned for the unit: its size, and the number; further on a mutex.
    memory[0xA000] = bytes(8) + struct.pack("=QI", 0x2E1, 6) + bytes(0x300)
    process = use({"memory": memory, "threads": [{"num": 1, "lwp": 1}]})
    frames = stack(("lock", 0, 0x5F00), ("f", 9, 0x6000), ("io", 3, 0x8000), ("main", 0, 0x8080))
    walker, thread = Walker("io.f90", frames), process.threads()[0][1]
    found = fortran_io.statements(walker, thread)
    tap.equal([(one.unit, one.place.line) for one in found], [(6, 9), (6, 3)], "statements")
    tap.equal([one.unit for one in fortran_io.statements(Walker("io.f90", frames[:3]), thread)],
              [6, 6], "one of the outermost frame")
    tap.equal(fortran_io.statements(Walker("io.c", frames), thread), [], "none of another language")
    use({"sizes": (1, 2, 4, 4, 8, 4)})
    tap.equal(fortran_io.statements(walker, thread), [], "nor of 32 bits")
    use({"memory": memory})
    _names(tap, thread, types.SimpleNamespace(
        process=now().process, walker=walker, object_at=lambda address: escaped.name({
            0x100: "jobs.filled.__data.__g_signals[1]", 0x200: "flag", 0x300: "rows+8",
            0x500: "std::__detail::__waiter_pool_base::_S_for(void const*)::__w+64"}.get(address))))


def _names(tap, thread, stacks):
    tap.equal([libc_things.object_name(stacks, at) for at in (0x100, 0x200, 0x300, 0x400, 0x500)],
              ["jobs.filled", "flag", "rows", None, None], "objects of the program")
    found = Evidence(stacks)
    row = types.SimpleNamespace(
        stacks=stacks, process=stacks.process, thread=thread, stopped=True,
        place=Place(None, "f", "io.f90", 9, 0x1001), wait=types.SimpleNamespace(name="in_call"))
    one, _ = found.node(("thread", 1), "thread", "waits", "kernel")
    other, _ = found.node(("thread", 2), "thread", "works", "kernel")
    one.row, other.row = row, types.SimpleNamespace(**vars(row))
    lock, _ = found.node(("mutex", 1), "thing", "mutex", "libc")
    lock.noun, lock.name, lock.address = "unit", "~6", 0xA100
    tap.equal([libc_things._is_in_unit(stacks.process, *asked) for asked in ((0xA100, 6), (0xA100, 7), (0x10, 6))],
              [True, False, False], "a mutex in what the library has of a unit")
    edge = found.needs(lock, one, "libc")
    libc_things.add_holders(found)
    tap.equal((lock.acquired.line, node_words.since(edge).partition(" ")[0]), (3, "~since"),
              "where the unit's owner has begun its statement")
    loader, _ = found.node(("mutex", 2), "thing", "mutex", "libc")
    loader.name = Name("_rtld_global+2568")
    libc_things.add_names(loader, row, None)
    tap.equal(node_words.name(loader), "lock of the dynamic loader", "the loader's lock")
    rows, _ = found.node(("other", 3), "thing", "other", "libc")
    rows.address = 0x300
    libc_things.add_names(rows, row, LibcWait("other", 0x300, 0, readers=2))
    tap.equal(node_words._known_of(rows), " on rows, which 2 threads read", "a read-write lock")


def of_words(tap):
    """What a crash is called."""
    process = use({"memory": {}, "threads": [{"num": 1, "lwp": 1}]})
    frames = stack(*(("f", 7, 0x10000 + 0x100 * at) for at in range(64)))
    stacks = types.SimpleNamespace(walker=Walker("a.c", frames), process=process)
    node = types.SimpleNamespace(
        row=types.SimpleNamespace(thread=process.threads()[0][1], stopped=True, stacks=stacks, process=process),
        stacks=stacks, flags={"overflow"}, stack=1 << 20, stack_owner=None, crash=types.SimpleNamespace(
            address=0x18, signal="SIGSEGV", sent=False))
    tap.equal(cause_words.crash(node), [("stack", "1 MiB, recursion of f (), 64 deep", "")],
              "a recursion in words")
    frames[1:] = []
    tap.equal(cause_words.crash(node), [("stack", "1 MiB", "")], "a stack alone")
    node.flags = set()
    frames[0].variables = lambda: [interface.Variable("p", None, types.SimpleNamespace(
        kind="pointer", target=lambda: types.SimpleNamespace(kind="other", size=8)), 0)]
    tap.equal(cause_words.crash(node), [("address", "0x18, near null", ""),
                                        ("pointer", "~p is null", "")], "a null pointer")
    node.crash.address = None
    tap.equal(cause_words.crash(node), [(
        "address", "not known, as where a pointer is non-canonical or misaligned", "")],
              "an address that is not known")
    node.crash.sent = True
    tap.equal(cause_words.crash(node), [("sent", "by the process itself", "")], "a sent signal")
    tap.equal(cause_words.handler(node), [], "no handler")
    tap.equal([cause_words._depth(crash_site.Recursion("f", 100, 256.0, whole), size)
               for whole, size in ((True, 0), (False, 0), (False, 1 << 20))],
              ["100", "more than 100", "~4 096"], "how deep")


def run(tap):
    for part in (of_crashes, of_lost_code, of_closed_libraries, of_shared_stacks, of_teams_inside, of_exits,
                 of_handlers, of_fortran, of_words):
        part(tap)
