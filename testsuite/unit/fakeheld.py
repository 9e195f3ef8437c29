# SPDX-License-Identifier: MIT
"""What a debugger has of a live process that it keeps stopped: a snapshot by the command `ompd` with the
registers of a table, and times of a process of this machine."""

import os
import subprocess
import tempfile
import types

from openmp_inspect.core import elf
from openmp_inspect.core.errors import UserError
from openmp_inspect.host import core_file, fake, fatal_signal, held_snapshot, interface, machine, mappings, \
    proc_times
from ompd_command.host import core_writer

SIGNAL = bytes([11, 0, 0, 0, 0, 0, 0, 0, 1]).ljust(16, b"\0") + bytes([16]).ljust(112, b"\0")  # a siginfo_t


def refused(given, process):
    try:
        return held_snapshot.lines(given, process)
    except UserError as error:
        return str(error)


def of_snapshots(tap):
    with tempfile.TemporaryDirectory() as directory, subprocess.Popen(["sleep", "100"]) as child:
        path = os.path.join(directory, "core")
        given = types.SimpleNamespace(words=[path], anonymous=True)
        registers = {"rip": 0x1234, "rsp": 0x5678, "rflags": 0x246}
        table = {"origin": interface.LIVE, "pid": child.pid, "threads": [
            {"num": 1, "lwp": child.pid, "pthread": 0x7000,
             "frames": [{"pc": 0x1234, "sp": 0x5678, "registers": registers}]}]}
        tap.like("".join(refused(given, fake.Process(table))), "^The snapshot is in %s " % path,
                 "a snapshot by the command")
        found = core_file.CoreFile(path, open(path, "rb")).registers[child.pid]
        tap.equal([found[name] for name in ("rip", "rsp", "eflags", "fs_base", "rax")],
                  [0x1234, 0x5678, 0x246, 0x7000, 0], "has the registers that there are")
        given.words = [os.path.join(directory, "none", "core")]
        tap.like(refused(given, fake.Process(table)), "cannot be written: ", "else it says why not")
        tap.like(refused(given, fake.Process(dict(table, machine="m68k"))), "of such a machine", "others")
        child.kill()
    given.words = []
    tap.like(refused(given, fake.Process(table)), "^The memory of the process may not be read: ",
             "of one that has ended")
    tap.like(refused(given, fake.Process({})), "is for a live process", "of none")


def of_pages(tap):
    """A page of a file that a snapshot has is still one of that file, and so are those behind it."""
    code = mappings.Mapping(0x10000, 0x20000, 0, "/lib/code.so", False, False)
    of_x86 = machine.of_number(elf.X86_64)
    thread = core_writer.ThreadState(1, dict.fromkeys(of_x86.fields, 0), None)
    stopped = core_writer.Stopped(of_x86, elf.X86_64, 1, "p", b"", [thread], SIGNAL, b"",
                                  mappings.Mappings([code]), [(0x12000, b"x" * 4096)], b"{}")
    with tempfile.NamedTemporaryFile() as stream:
        stream.write(core_writer.written(stopped))
        stream.flush()
        found = core_file.CoreFile(stream.name, open(stream.name, "rb"))
    tap.equal([getattr(found.mappings.at(address), "path", None) for address in (
        0x11000, 0x12000, 0x13000)], [code.path] * 3, "pages of a file in a snapshot")
    tap.equal(found.signal, fatal_signal.of_bytes(SIGNAL), "the signal that ends what it is of")


def of_times(tap):
    moment = proc_times.Moment(os.getpid())
    tap.ok(moment.of(os.getpid()).recent is None, "no share of a moment that has no length")
    sum(range(1 << 16))
    moment.end()
    whole, own = moment.of(None), moment.of(os.getpid())
    tap.ok(whole.processor > 0 and whole.recent is None and 0 <= own.recent <= 1 and own.slices > 0,
           "times of this process and its thread", whole, own)
    tap.equal(proc_times.of(1 << 30), None, "of none")


def run(tap):
    of_snapshots(tap)
    of_pages(tap)
    of_times(tap)
