# SPDX-License-Identifier: MIT
"""The first packages of openmp_inspect by themselves, core and host, over tables and made-up files."""

import fcntl
import json
import math
import os
import resource
import signal
import socket
import struct
import subprocess
import types
from unittest import mock

from openmp_inspect.core import caches, counters, dash_options, elf, escaped, garbage, install_paths, \
    json_output, number_list, proc_files, process_root, screen, text, tree, trusted_file, \
    unwind_table, whole_file
from openmp_inspect.core.errors import OmpdError, Unreadable, UserError, known, short
from openmp_inspect.host import fake, fatal_signal, images, interface, kernel_facts, machine, \
    mappings, page_cache, stopped_registers, system_calls
from openmp_inspect.bindings import spaces
from openmp_inspect.code import abort_message
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import file_locks, kernel_things, stitched_stack
from fakeprograms import scratch, written


_now = []  # one Space


class Wide(screen.Screen):
    """A screen of WIDTH columns that keeps what is written, in styles."""

    def __init__(self, width, charset="ascii", styles=False):
        super().__init__()
        self.columns, self._charset, self._styles, self.written = width, charset, styles, ""

    def put(self, text):
        self.written += text

    def charset(self):
        return self._charset

    def width(self):
        return self.columns

    def style(self, role):
        return "1" * self._styles


def use(table):
    """The Process of a TABLE, which is the one that is asked about now."""
    caches.forget_code()
    process = fake.Process(table)
    ask_about(spaces.Space(process, "fake"))
    return process


def ask_about(space):
    """A SPACE is the one that is asked about now."""
    _now[:] = [space]


def now():
    """The Space that is asked about now."""
    return _now[0]


class Asked(types.SimpleNamespace):
    """Something of the process that is asked about now."""

    space = property(lambda self: now())
    process = property(lambda self: now().process)
    stacks = property(lambda self: stitched_stack.of(now()))


def refused(error, ask, *arguments):
    """The words of an ERROR that is raised, or None."""
    try:
        ask(*arguments)
    except error as raised:
        return str(raised) or "without words"
    return None


def of_core(tap):
    before = screen.current()
    wide = Wide(40)
    screen.use(wide)
    table = [("1", "0/4", "waits for a lock that somebody else has"), ("2", "-", "works")]
    tap.equal(text.table(table), ["1  0/4  waits for a lock that somebody else has", "2  -    works"],
              "a table")
    tap.equal(text.fitted(table), ["1  0/4  waits for a lock that somebody", "        else has",
                                   "2  -    works"], "a table that fits")
    tap.equal(text.fitted([("a" * 30, "some words that are broken between them")], leads=["|"]),
              ["a" * 30, "|    some words that are broken between", "|    them"],
              "a cell below its row")
    wider = [("Id", "Waits for", "Where"), *[("1", "a lock that is another thread's own", "add () at heat.c:72")] * 2]
    tap.equal([line.find(row[-1]) for line, row in zip(text.narrowed(wider, 9), wider)], [41] * 3,
              "a head above its cells, which are too wide")
    tap.equal(text.wrapped("bank[1].lock for 20 s at heat.c", 20), ["bank[1].lock for", "20 s at heat.c"],
              "a number and its unit")
    tap.equal(text.hanging("  some words that are broken between these two", "    "),
              "  some words that are broken between\n    these two", "a hanging line")
    tap.equal(text.remark("some words that are broken between these two"),
              "some words that are broken between these\ntwo", "a remark")
    tap.equal(text.labelled("next", "some words that are broken"),
              "  next     some words that are broken", "a label")
    tap.equal((text.ranges([1, 2, 3, 7]), text.threads([4, 5]), text.count(1, "task"),
               text.thread_path([(2, 4), (None, 2)])), ("1-3 7", "4-5", "1 task", "2/4 . ?/2"),
              "numbers in words")
    screen.use(Wide(30, styles=True))
    styled = text.table([("a", text.function("step"), "b"), ("cc", "d", "e")])
    tap.equal([text.plain(one) for one in styled], ["a   step ()  b", "cc  d        e"], "styles")
    tap.equal(text.plain(text.place(Place(None, "step", "/src/heat.c", 7))), "step () at heat.c:7",
              "a place")
    screen.use(wide)
    tap.equal((escaped.shown("a\033b\u20ac\U0001F600\udc80"), escaped.brief(
        "f<" + "int, " * 20 + "int>(g<int>)"), screen.printable("a\tb\n\r"), escaped.encodable("\u20ac"),
        len(escaped.shown("x" * 999))), ("a\\x1bb\\u20ac\\U0001f600\\x80", "f<...>(g<...>)",
                                         "a\tb\n\\x0d", "\\u20ac", 240), "names as they are shown")
    json_output.write_json([{"a": "\udce9", "b": (1,)}, "c"])
    json_output.write_json({})
    tap.equal(wide.written, '[{"a": "\\\\xe9", "b": [1]},\n "c"]\n{}\n', "JSON")
    roots, children = tree.grow("abcd", str, {"b": "a", "c": "d", "d": "c"}.get)
    drawn = [(lead + item) for item, lead in tree.walk(roots, lambda one: children.get(one, []))]
    tap.equal(drawn, ["a", "`- b", "c", "`- d"], "a tree with a ring")
    tap.equal(tree.continued("|- `- "), "|     ", "further lines of an item")
    counters.add("target_accesses")
    tap.equal((counters.stats(True)["target_accesses"] > 0, counters.stats()["target_accesses"]),
              (True, 0), "counts")
    with garbage.kept():
        tap.ok(install_paths.libraries() and install_paths.hooks(8), "what is installed")
    install_paths.auto_load_scripts()
    tap.equal((known(lambda: refuse_ompd()), short(OmpdError("unavailable", "f")),
               short(OmpdError("bad_input", "f"))), (None, "not known", "bad input"), "errors")
    screen.use(before)


def refuse_ompd():
    raise OmpdError("error", "ompd_f")


def of_files(tap):
    library = written("library.so", b"no library")
    os.chmod(library, 0o600)
    os.chmod(scratch, 0o700)
    one, other = (trusted_file.TrustedFile(library) for _ in range(2))
    tap.equal(one.identity, other.identity, "a file is itself")
    tap.ok(refused(OSError, one.load), "it is no library")
    one.close()
    other.close()
    os.chmod(library, 0o666)
    tap.like(refused(trusted_file.Refused, trusted_file.TrustedFile, library), "written by others",
             "a file that others may write")
    tap.like(refused(trusted_file.Refused, trusted_file.TrustedFile, scratch), "no regular file",
             "a directory")
    tap.like(refused(trusted_file.Refused, trusted_file.TrustedFile, library + "x"), "cannot be opened",
             "no file")
    tap.equal(trusted_file.resolved(library), os.path.realpath(library), "its name")


def of_memory(tap):
    page = page_cache.PAGE
    process = use({"memory": {4 * page: bytes(range(256)) * 32 + b"word\0" + bytes(100)}})
    cache = page_cache.PageCache(process)
    tap.equal((cache.read(4 * page + 2, 3), cache.read(5 * page - 2, 4), cache.read(0, 0),
               cache.unsigned(4 * page + 1, 2), cache.read_string(6 * page, 16)),
              (b"\2\3\4", b"\xfe\xff\0\1", b"", 0x201, b"word"), "pages")
    tap.equal(cache.read(6 * page + 100, 5), bytes(5), "a page that is there in part")
    cache.drop()
    for address, size in ((-1, 4), (0, -1), (0, 1 << 40), (page, 8), ((1 << 64) - 1, 8)):
        tap.ok(refused(Unreadable, cache.read, address, size), "%d bytes at %#x" % (size, address))
    most, pages = page_cache._MOST, []
    large = page_cache.PageCache(use({"memory": {page: bytes((most + 4) * page)}}))
    for number in range(1, most + 4, 2):
        large.read(number * page, 1)
        pages.append(len(large._pages))
    tap.ok(max(pages) <= most + 2 and min(pages[-2:]) < 9, "no more pages are kept", max(pages), pages[-2:])
    tap.equal((process.is_readable(4 * page), process.is_readable(0)), (True, False), "readable")


def of_images(tap):
    """What a core leaves out is in files, but for what the program may have written to."""
    path = install_paths.libraries()[0]
    with open(path, "rb") as stream:
        data = stream.read()
    loads = [one for one in elf.of_page(data[:1 << 16]).segments if one.type == elf.LOAD]
    start, end = 1 << 32, (1 << 32) + (loads[-1].address + loads[-1].memory + 4095 & -4096)
    found = images.Images(mappings.Mappings([mappings.Mapping(start, end, 0, path, True)]),
                          lambda address, size: data[address - start:][:size],
                          lambda name, mapping: [name], None)
    mapping = found.all[0].mapping
    tap.equal([bool(found.content(mapping, start + one.address, 8)) for one in loads],
              [not one.writable for one in loads], "what files have of segments")
    written_to = next(one for one in loads if one.writable)
    tap.equal(found.content(mapping, start + written_to.address - 4, 8),
              data[written_to.address - 4:written_to.address], "up to such a one")


def of_kernel(tap):
    """System calls, signals, and a table of functions."""
    def sleep(call, *arguments, machine=interface.X86_64):
        return system_calls.sleep(machine, call, arguments or (0,) * 4)

    tap.equal(sleep(202, 0x100, 128, 7, 0), interface.Sleep(0x100, 7, True, False), "a futex")
    tap.equal(sleep(202, 0x100, 6, 7, 1), interface.Sleep(0x100, 7, False, True, True),
              "a lock that inherits priority, for a time")
    tap.equal((sleep(202, 0x100, 129, 7, 0), sleep(24), sleep(-1), sleep(7, machine="s390x")),
              (None,) * 4, "what waits for nothing, or is not known")
    tap.equal((sleep(7), sleep(98, 8, 0, 1, 0, machine=interface.AARCH64)),
              (interface.Sleep(0, 0, False, True), interface.Sleep(8, 1, False, False)),
              "another call; another machine")
    arm, call, other = machine.of_number(elf.AARCH64), b"\x01\0\0\xd4", bytes(4)
    values = dict(dict.fromkeys(arm.fields, 0), pc=0x1004, x1=128, x2=7, x8=98)

    def of_values(first, code):
        return stopped_registers.of_values(
            arm, dict(values, x0=first), lambda at, size: code if (at, size) == (0x1000, 8) else b"")

    tap.equal([of_values(first, code).sleep for first, code in (
        (0x100, call + other), (0x100, other + call), (0, call + other),
        ((1 << 64) - 110, call + other), (0x100, other + other))],
              [interface.Sleep(0x100, 7, True, False)] * 2 + [None] * 3,
              "aarch64: in a call, about to make it again, two that have returned, in none")
    flock, posix = (b"FLOCK",), (b"POSIX", b"OFDLCK")
    tap.equal([sleep(*asked, 0, 0).lock for asked in ((73, 5, 2), (72, 6, 7), (72, 6, 38), (72, 6, 6))],
              [(5, flock), (6, posix), (6, posix), None], "locks of files")
    tap.equal([sleep(*asked, 0, 0, machine=interface.AARCH64).lock
               for asked in ((32, 5, 2), (25, 6, 7))], [(5, flock), (6, posix)], "likewise")
    table = b"\x01\x1b\x03\x3b" + struct.pack("<iI", 0, 2) + \
        struct.pack("<iiii", 0x100, 0x40, 0x200, 0x60)
    data = {0x1000 + at: byte for at, byte in enumerate(
        table.ljust(0x40, b"\0") + struct.pack("<IIiI", 16, 0, 0x1100 - 0x1048, 0x20).ljust(
            0x20, b"\0") + struct.pack("<IIiI", 16, 0, 0x1200 - 0x1068, 0x20))}

    def read(address, size):
        return bytes(data.get(address + at, 0) for at in range(size))

    tap.equal([unwind_table.function_start(read, 0x1000, pc)
               for pc in (0x10FF, 0x1100, 0x111F, 0x1120, 0x1210)],
              [None, 0x1100, 0x1100, None, 0x1200], "functions by .eh_frame_hdr")
    tap.equal(unwind_table.function_start(read, 0x1004, 0x1100), None, "no table")
    tap.equal([process_root.of_process(one) for one in (os.getpid(), 0)], ["", ""], "our files")


def of_processes(tap):
    """What /proc says, of this process and of what is none."""
    own, none, stack = os.getpid(), 1 << 30, b"Max stack size"
    tap.equal((proc_files.status(own).get(b"Tgid"), proc_files.status(none)),
              (b"%d" % own, {}), "status")
    tap.equal([[ask(one) for ask in (proc_files.has_ended, proc_files.is_stopped, proc_files.parent,
                                     proc_files.process_of)] for one in (own, none)],
              [[False, False, os.getppid(), own], [True, False, 0, 0]], "a process, and none")
    tap.equal([proc_files.is_forked(none), proc_files.caught_signals(none), proc_files.threads(none),
               proc_files.children(none), proc_files.own_ids(none), proc_files.run_time(none, none),
               proc_files.limit(none, stack)],
              [None, (1 << 64) - 1, [], [], [], None, None], "what is not known")
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    tap.equal(proc_files.limit(own, stack), None if limit == resource.RLIM_INFINITY else limit,
              "the limit of a stack")
    tap.equal((proc_files.threads(own)[0], proc_files.own_ids(own, own)[:1],
               proc_files.process_known_as(own, own)), (own, [own], own), "ids")
    tap.ok((proc_files.run_time(own, own) or 0) > 0, "it has run")
    tap.equal([proc_files.has_forked(flags) for flags in (0, 0x400000, 0x400040)],
              [False, False, True], "a child of fork by the kernel's flags")


def of_file_locks(tap):
    """A file that this process has locked, in two ways, and lists of the kernel's that are made up."""
    own, none = os.getpid(), 1 << 30
    with open(written("locked\x1b.txt", "text"), "r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        fcntl.lockf(stream, fcntl.LOCK_EX)
        file = stream.fileno()
        tap.equal([proc_files.opened_file(*asked) for asked in ((own, file), (none, file))],
                  [os.path.realpath(stream.name), None], "a file by its number")
        flock, posix = (interface.WantedLock(file, kinds) for kinds in (
            (b"FLOCK",), (b"POSIX", b"OFDLCK")))
        if proc_files.lockers(own, file, flock.kinds):  # Linux 5.14 tells an inode
            process = use({"origin": interface.LIVE, "pid": own})
            tap.equal([file_locks.of(process, one).processes for one in (flock, posix)], [(own,), ()],
                      "who has locked it, but for what is in nobody's way")
        kept = proc_files._lines
        proc_files._lines = lambda path: [] if path.endswith("/mountinfo") else kept(path)
        inode, device = os.fstat(file).st_ino, os.fstat(file).st_dev
        tap.equal(proc_files._file_id(own, file), b"%02x:%02x:%d" % (
            os.major(device), os.minor(device), inode), "a mount that the process cannot reach")
        proc_files._lines = kept
        process = use({"origin": interface.CORE, "pid": own})
        tap.equal(file_locks.of(process, flock), ("file descriptor %d" % file, ()), "nothing of a core")
    tap.equal(proc_files.lockers(none, 0, flock.kinds), set(), "no process")
    kept, files = proc_files._lines, {
        "/proc/7/fdinfo/3": "pos: 0\nmnt_id: 27\nino: 11\n", "/proc/7/fdinfo/4": "ino: 11\n",
        "/proc/7/fdinfo/5": "mnt_id: 28\nino: x\n",
        "/proc/7/mountinfo": "27 1 254:1 / / rw - ext4\n28 1 0:45 / /x rw\n"}
    locks = ("1: FLOCK  ADVISORY  WRITE 8 fe:01:11 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 7 fe:01:11 0 EOF\n"
             "2: POSIX  ADVISORY  READ 9 fe:01:11 0 99\n3: POSIX  ADVISORY  WRITE 10 fe:01:12 0 EOF\n")
    proc_files._lines = lambda path: [line.split() for line in (
        locks if path == "/proc/locks" else files.get(path, "")).encode().splitlines()]
    try:
        tap.equal([proc_files.lockers(7, file, kinds) for file, kinds in (
            (3, flock.kinds), (3, posix.kinds), (4, flock.kinds), (5, flock.kinds), (6, flock.kinds))],
                  [{8}, {9}, set(), set(), set()], "who has locked a file")
        for other in ("4: OFDLCK ADVISORY  READ -1 fe:01:11 0 EOF\n",
                      "4: POSIX ADVISORY  READ x fe:01:11 0 EOF\n"):
            locks += other
            tap.equal(proc_files.lockers(7, 3, posix.kinds), set(), "one that is not known")
    finally:
        proc_files._lines = kept
    process = use({"pid": own})
    tap.equal([file_locks.holder(process, some) for some in ((own,), (none,), (1, 2))],
              ["this process", "process %d, which has ended" % none, "2 processes"], "in words")
    tap.like(file_locks.holder(process, (os.getppid(),)), r"process \d+ \(.+\)$", "by name")


def of_peers(tap):
    """Connections of this process's own, by the kernel, and by lines that are made up."""
    with socket.create_server(("127.0.0.1", 0)) as server, \
            socket.create_connection(server.getsockname()) as one:
        tap.equal([proc_files.peer(os.getpid(), each.fileno()) for each in (one, server)],
                  ["127.0.0.1:%d" % server.getsockname()[1], None], "whom a socket is connected to")
    tap.equal([proc_files._address(word) for word in (
        b"0100007F:1538", b"0000000000000000FFFF00000100007F:0050",
        b"B80D0120000000000000000001000000:01BB", b"01:x", b"0100007F")],
              ["127.0.0.1:5432", "127.0.0.1:80", "[2001:0db8:0000:0000:0000:0000:0000:0001]:443", None,
               None], "addresses")


def of_awaited(tap):
    """What threads wait for that the kernel knows, by their system calls."""
    def words(awaited):
        return kernel_things.words(now(), awaited)

    own = os.getpid()
    use({"origin": interface.LIVE, "pid": own, "memory": {
        0x100: b"waits.fifo\0".ljust(512, b"\0"), 0x400: (0x800).to_bytes(8, "little"),
        0x500: (0xfff).to_bytes(8, "little")}})
    ends = os.pipe()
    with open(written("awaited", "text"), "rb") as stream:
        for call, arguments, wanted in (
                (0, (stream.fileno(),), os.path.realpath(stream.name)), (1, (ends[1],), "a pipe, whose other end is open in this process"),
                (257, (0xffffff9c, 0x100), "waits.fifo"), (70, (3 << 32 | 5,), "message queue 5"),
                (70, (0,), "message queue 0"),
                (128, (0x400,), "SIGUSR2"), (128, (0x500,), "a signal"), (257, (0, 0x900), None),
                (128, (0,), None), (61, (7,), "child process 7"), (61, (0xffffffff,), "a child process"), (7, (0x100,), None)):
            sleep = system_calls.sleep(interface.X86_64, call, (*arguments, 0, 0, 0))
            said = sleep.awaited and words(sleep.awaited)
            tap.equal(said and said.raw, wanted, "what is awaited in call %d: %s" % (call, wanted))
    for end in ends:
        os.close(end)
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    child.send_signal(signal.SIGSTOP)
    os.waitpid(child.pid, os.WUNTRACED)
    wait_for = "child process %d (cat), which is stopped" % child.pid
    for children, value, wanted in (
            ([child.pid], child.pid, wait_for), ([child.pid], -1, wait_for), ([child.pid], 0, wait_for), ([], child.pid, wait_for.partition(" (")[0]),
            ([child.pid, own], child.pid, wait_for), ([child.pid, own], -1, "a child process")):
        use({"origin": interface.LIVE, "pid": own, "children": children})
        tap.equal(words(interface.Awaited("child", value & 0xffffffff)).raw, wanted, "a child: %s" % wanted)
    child.kill()
    child.communicate()
    use({"origin": interface.CORE, "pid": own})
    for number in 0, 3:
        tap.equal(words(interface.Awaited("file", number)).raw, "file descriptor %d" % number,
                  "nothing of a core")


def of_signals(tap):
    process = use({
        "images": [{"path": "/program", "start": 0x1000, "end": 0x9000,
                    "symbols": {"abort_here": 0x1000, "__cxa_throw": 0x2000,
                                "_ZSt9terminatev": 0x3000}}],
        "threads": [{"num": 1, "lwp": 7, "frames": [{"pc": 0x1008, "sp": 0x20A000},
                                                    {"pc": 0x2008, "sp": 0x20A040}]},
                    {"num": 2, "lwp": 8, "frames": [{"pc": 0x3008, "sp": 0x20A000}]}],
        "memory": {0x20A000: bytes(64)}})

    def crash(number, status, sender=0, address=0, own=7, at=0):
        return fatal_signal.crash(process, process.threads()[at][1], fatal_signal.SignalInfo(
            number, status, sender, address), own)

    segv, abrt = signal.SIGSEGV, signal.SIGABRT
    tap.equal((crash(segv, 0), crash(abrt, -6, sender=8), crash(signal.SIGUSR1, 1)), (None,) * 3,
              "signals that somebody has sent, or that end nothing")
    tap.equal(crash(segv, 1, address=0x209FF0), interface.Crash(7, "SIGSEGV", {
        "initial", "overflow"}, 0x209FF0), "an access below the stack")
    tap.equal(crash(segv, 1, own=1), interface.Crash(7, "SIGSEGV", set(), 0), "another access")
    tap.equal((crash(segv, 0x80), crash(segv, -6, sender=7, address=7)), (
        interface.Crash(7, "SIGSEGV", {"initial"}, None),
        interface.Crash(7, "SIGSEGV", {"initial"}, None, True)), "where the kernel has no address")
    tap.equal(crash(abrt, -6, sender=7), interface.Crash(7, "SIGABRT", {"initial", "uncaught"},
                                                          None, True), "an exception")
    tap.equal(crash(abrt, -6, sender=7, at=1), interface.Crash(8, "SIGABRT", set(), None, True),
              "an end without one")


def of_words(tap):
    """What a person types: options, numbers, names of files."""
    shape = dash_options.Shape("ompd why", ("all", "json"), ("watch",), 1)
    given = dash_options.parsed(shape, ["-a", "7", "--watch", "2"])
    tap.equal((given.all, given.json, given.watch, given.words), (True, False, "2", ["7"]),
              "options, shortened")
    tap.equal([refused(UserError, lambda words=words: dash_options.parsed(shape, words)) for words in (
        ["-x"], ["-watch"], ["1", "2"])] +
        [refused(UserError, lambda: dash_options.parsed(dash_options.Shape("ompd env"), ["1"]))],
              ['"ompd why" has no option "-x": see "help ompd why".', '"ompd why -watch" needs a value.',
               '"ompd why" does not take "2": see "help ompd why".', '"ompd env" takes no argument.'],
              "options that are none")
    tap.equal(number_list.parsed(["1-3", "7"], {1, 3, 7, 9}, "thread"), [1, 3, 7], "numbers")
    tap.equal([refused(UserError, lambda word=word: number_list.parsed([word], {1}, "thread"))
               for word in ("x", "2")],
              ['"x" is no thread number: give numbers or ranges, as "1 3-5".',
               "There is no thread 2."], "numbers that are none")
    path = os.path.join(scratch, "whole")
    for content in ("first", "second"):
        whole_file.write(path, content)
        with open(path, encoding="utf-8") as stream:
            tap.equal(stream.read(), content, "a file is written whole")
    whole_file.write(os.devnull, "to a device")
    of_others_files(tap, path)
    tap.like(refused(UserError, lambda: whole_file.write(os.path.join(scratch, "none", "x"), "")),
             "cannot be written: No such file or directory", "a directory that does not exist")


def of_others_files(tap, path):
    """What lies where a file is to be written, and is not this user's, is neither written through
    nor waited for. PATH is of a file."""
    def named(name):
        return os.path.join(scratch, name)

    def content(name):
        with open(named(name), encoding="utf-8") as stream:
            return stream.read()

    os.symlink(path, named("own link"))
    whole_file.write(named("own link"), "third")
    tap.ok(content("whole") == "third" and os.path.islink(named("own link")), "a link of one's own")
    os.symlink(path, named("link"))
    if os.geteuid() == 0:
        os.lchown(named("link"), 65534, 65534)
        denied = refused(UserError, lambda: whole_file.write(named("link"), "fourth"))
    else:
        with mock.patch("os.geteuid", lambda: 65534):
            denied = refused(UserError, lambda: whole_file.write(named("link"), "fourth"))
    tap.ok("it belongs to another user" in denied and content("whole") == "third",
           "a link of another's", denied)
    os.mkfifo(named("fifo"))
    os.symlink(named("fifo"), named("leads to it"))
    tap.equal([refused(UserError, lambda name=name: whole_file.write(named(name), "")).rpartition(": ")[2]
               for name in ("fifo", "leads to it")], ["No such device or address."] * 2,
              "a pipe that nobody reads")
    with os.fdopen(os.open(named("fifo"), os.O_RDONLY | os.O_NONBLOCK)) as reader:
        whole_file.write(named("fifo"), "piped")
        tap.equal(reader.read(), "piped", "one that is read")
    place = whole_file.directory(named("reports"))
    os.symlink(path, named("reports/one.txt"))
    os.mkfifo(named("reports/one-2.json"))
    tap.equal((whole_file.make(place, "one", {".txt": "new", ".json": "{}"}),
               sorted(os.listdir(named("reports"))), content("whole"), content("reports/one-3.txt")),
              ("one-3", ["one-2.json", "one-3.json", "one-3.txt", "one.txt"], "third", "new"),
              "names that are taken")
    os.close(place)
    for mode, wanted in ((0o777, "others may write to it"), (0o775, "others may write to it"),
                         (0o1777, ""), (0o700, "")):
        os.chmod(named("reports"), mode)
        said = refused(OSError, lambda: os.close(whole_file.directory(named("reports"))))
        tap.equal((said or "").rpartition("] ")[2], wanted, "a directory of mode %o" % mode)


def of_abort(tap):
    """glibc's copy of what it printed, and what LLVM's runtime has left on its stack."""
    table = {"images": [{"path": "/lib/libc.so.6", "start": 0x1000, "end": 0x9000,
                         "symbols": {"__abort_msg": 0x2000}}],
             "memory": {0x2000: struct.pack("<Q", 0x3000).ljust(4096, b"\0"), 0x3000: (
                 struct.pack("<I", 99) + b"heat.c:7: main:\n failed\x1b.\n").ljust(4096, b"\0")}}
    for memory, wanted in ((table["memory"], "heat.c:7: main: failed\x1b."),
                           ({0x2000: bytes(4096)}, None), ({}, None)):
        use(dict(table, memory=memory))
        tap.equal(abort_message.text(now()), wanted, "what libc has said: %s" % wanted)
    use({"images": [], "memory": {}})
    tap.equal(abort_message.text(now()), None, "another libc")
    said = "OMP: Error #%d: No memory.\nOMP: System error #12: None\nOMP: Hint Buy.\n"
    for stack, wanted in ((said % 34, "Error #34: No memory. System error #12: None"),
                          (said % 34 + said % 34, "Error #34: No memory. System error #12: None"),
                          (said % 34 + said % 35, None), ("OMP: Error #3: cut", None),
                          ("OMP: Warning #9: so.\n", None), ("OMP: Error #7: \x1b\n", None)):
        use({"images": [], "memory": {0x7000: stack.encode().ljust(4096, b"\0")}})
        tap.equal(abort_message.of_llvm(now(), 0x7800), wanted, "left on a stack: %r" % stack)


def of_notes(tap):
    """What the kernel says, as a snapshot has it, which may have been crafted."""
    whole = {"threads": {"0": [[0, 1], 1.5, None, 9], "7": [[1], 0.5, 0.25, 8, 3]}, "quota": "none",
             "monotonic": 3.5, "caught_signals": 6, "is_forked": False, "machine_processors": 8}

    def of_note(content):
        return kernel_facts.OfNotes([elf.Note(kernel_facts.OWNER, kernel_facts.NOTE, content)])

    def asked(facts):
        found = of_note(json.dumps(facts).encode())
        return (found.allowed_processors(), found.allowed_processors(7), found.last_processor(7), found.times(7),
                found.processor_quota(), found.monotonic(), found.caught_signals(),
                found.is_forked(), found.machine_processors())

    nothing = None, None, None, None, None, None, None, None, None
    tap.equal(asked(whole), (frozenset((0, 1)), frozenset((1,)), 3, (0.5, 0.25, 8.0, None, None), math.inf, 3.5,
                             6, False, 8), "a note of a snapshot")
    for facts in ({}, [], "x", 7, None, {"threads": []}, {"threads": {"0": {}, "7": [1, 2]}}, {
            "threads": {"7": ["x", "y", [], {}, -1], "0": [["a"], 0, 0, 0]}, "quota": -1,
            "monotonic": "1", "caught_signals": 1 << 70, "is_forked": 1,
            "machine_processors": -3}):
        tap.equal(asked(facts), nothing, "one that is none: %.30s" % (facts,))
    for content in (b"", b"{", b"\xff", b"[" * 100000):
        tap.equal(of_note(content).is_forked(), None, "no JSON: %.8r" % content)
    process = fake.Process({"threads": [{"num": 1, "lwp": 7, "processors": [1]}], "processors": [0, 1],
                            "quota": math.inf, "caught_signals": 6, "forked": False})
    found = of_note(kernel_facts.note(process))
    tap.equal((found.allowed_processors(), found.allowed_processors(7), found.times(),
               found.processor_quota(), found.caught_signals(), found.is_forked()),
              (frozenset((0, 1)), frozenset((1,)), (0.0, None, 0.0, None, None), math.inf, 6, False), "as written")
    tap.equal(of_note(b'{"threads": {"7": [[1], 0.5, 0.25, 8]}}').last_processor(7), None, "an earlier note")
    own, unknown = kernel_facts.OfProcess(os.getpid()), kernel_facts.KernelFacts()
    tap.equal((own.parent()[1], unknown.parent()), (os.sched_getaffinity(os.getppid()), None), "a parent")
    tap.equal((own.allowed_processors(), own.machine_processors(), own.is_forked() is None,
               own.caught_signals() is None, own.processor_quota() is None,
               unknown.is_forked(), unknown.allowed_processors(), unknown.processor_quota(),
               unknown.caught_signals(), unknown.machine_processors()),
              (os.sched_getaffinity(0), os.cpu_count(), False, False, False, None, None, None, None,
               None), "a live one, and one of which nothing is known")
    area = proc_files.argument_area(os.getpid())
    tap.ok(area and proc_files.content(os.getpid(), "cmdline").count(b"\0") > 1 and
           proc_files.content(os.getpid(), "no such file") == b"", "arguments", area)


def run(tap):
    for part in (of_core, of_files, of_memory, of_images, of_kernel, of_processes, of_file_locks, of_peers,
                 of_awaited, of_notes,
                 of_signals, of_words, of_abort):
        part(tap)
