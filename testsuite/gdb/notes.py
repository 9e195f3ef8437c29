# SPDX-License-Identifier: MIT
"""Threads and registers from the notes of a core file: as gdb tells them, and from files that
are damaged or cut short."""

import harness

t = harness.begin(__file__, program="many.c")
import io  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import struct  # noqa: E402

import gdb  # noqa: E402

from gdb_openmp.host import core_notes, inferiors, process, registers  # noqa: E402
from openmp_inspect.host import interface, stopped_registers  # noqa: E402


def by_frames():
    found = {}
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        found[inferiors.lwp(thread)] = frame.pc(), int(frame.read_register("sp"))
    return found


def told():
    inferior = gdb.selected_inferior()
    source = registers.Registers(inferior, process.current().read)
    return {inferiors.lwp(thread): source.of(thread) for thread in inferior.threads()}


x86_64 = gdb.execute("show architecture", to_string=True).find("i386:x86-64") >= 0
t.run("set environment OMP_STACKSIZE=64K")
t.run("set args 8")
t.stop_at("here")
path = os.path.join(t.scratch, "core")
t.run("generate-core-file " + path)
if x86_64:
    t.equal(told(), by_frames(), "live: the kernel tells what gdb does")
    t.run("kill")
    t.run("core-file " + path)
    t.equal(told(), by_frames(), "core: the notes tell what gdb does")
    t.run("core-file")
else:
    t.skip("registers", "they are read on x86-64 only")
    t.run("kill")


def status(lwp, pc, sp, call=0, first=0, second=0):
    content = bytearray(336)
    for layout, at, value in (("<i", 32, lwp), ("<Q", 240, pc), ("<Q", 264, sp),
                              ("<Q", 232, call), ("<Q", 224, first), ("<Q", 216, second)):
        struct.pack_into(layout, content, at, value)
    return struct.pack("<III", 5, len(content), 1) + b"CORE\0\0\0\0" + content


notes = status(7, 1, 2, 202, 0x1234, 128) + status(8, 3, 4, 202, 0x1234, 129)
whole = b"\x7fELF\2\1\1" + bytes(9) + \
    struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0) + \
    struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, len(notes), 0, 4) + notes
t.equal({lwp: stopped_registers.of_values(one.machine, one.values, None)
         for lwp, one in core_notes._read(io.BytesIO(whole)).statuses.items()},
        {7: ((1, 2), interface.Sleep(0x1234, 0, True, False)), 8: ((3, 4), None)},
        "a small core, in which one thread sleeps on an address and one wakes others")
chance = random.Random(7)
broken = []
for number in range(20000):
    data = bytearray(whole[:chance.choice((len(whole), chance.randrange(len(whole))))])
    for _ in range(chance.randrange(4) if len(data) else 0):
        data[chance.randrange(min(len(data), 144))] = chance.choice((0, 255, 4, 1))
    try:
        core_notes._read(io.BytesIO(bytes(data)))
    except (OSError, ValueError, OverflowError, struct.error):
        pass  # which threads() takes for "cannot be read"
    except Exception as error:  # pylint: disable=broad-except
        broken.append((number, repr(error)))
t.equal(broken, [], "damaged files are read or refused")
t.done()
