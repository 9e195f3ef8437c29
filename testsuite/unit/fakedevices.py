# SPDX-License-Identifier: MIT
"""What openmp_inspect/report shows of devices and of what is mapped to them, by made-up facts."""

import contextlib
import itertools
import re
import types
import unittest.mock

from openmp_inspect.core import errors
from openmp_inspect.bindings import query
from openmp_inspect.host import kept_registers
from openmp_inspect.report import device_list, mapping_list
from openmp_inspect.stacks import target_device
from fakebasics import now
from fakecauses import FakeStack


def run(tap):
    """Devices, and what is mapped to them, of which the memory cannot be read."""
    def stub(devices, mappings, is_all=True):
        return types.SimpleNamespace(
            devices=(devices, is_all), mappings=(mappings, is_all), threads=(), space=now(),
            process=now().process,
            runtimes=[types.SimpleNamespace(kind="libgomp")])

    def said(ask, snapshot):
        current = types.SimpleNamespace(of=lambda here: contextlib.nullcontext(snapshot))
        with unittest.mock.patch.object(device_list, "Snapshot", current), \
                unittest.mock.patch.object(mapping_list, "Snapshot", current):
            try:
                return ask(now())
            except errors.UserError as error:
                return str(error)

    some = stub([query.DeviceFacts(0, 0, "ready", 8, None, 4), query.DeviceFacts(1, 0, None, None, None, None)],
                [query.MappingFacts(0, 0, 4096, 80, 8192, 2, 1, 0, 8, None),
                 query.MappingFacts(0, 0, 64, 8, None, None, None, 1, None, None)], False)
    tap.equal([one.split() for one in said(device_list.lines, some)[:3]], [
        ["Device", "Name", "State", "Mapped", "Plugin"], ["0", "-", "ready", "?", "-"],
        ["1", "-", "?", "?", "-"]], "devices")
    tap.equal([one["ranges"] for one in said(device_list.facts, stub(*(part[0] for part in (
        some.devices, some.mappings))))], [2, 0], "and all that is mapped to them")
    tap.equal(said(device_list.lines, stub([], []))[0], "There is no device: target regions are executed on "
              "the host. libgomp has loaded no plugin for one.", "no device")
    found = said(mapping_list.lines, some)
    tap.equal([re.split(" {2,}", one) for one in found[1:3]], [
        ["0", "0x40", "8", "?", "for ever", "-"], ["0", "0x1000", "80", "0x2000", "2 times, 1 held", "-"]],
        "mappings")
    tap.equal([len(said(lambda here, words=words: mapping_list.facts(here, *words), some)) for words in (
        (), ("0",), ("1",), (None, "0x1040"), (None, "none"))], [2, 2, 0, 1, 0], "those that are asked for")
    tap.equal([said(lambda here, words=words: mapping_list.facts(here, *words), one) for words, one in (
        (("7",), stub(*(part[0] for part in (some.devices, some.mappings)))), (("x",), some))], [
            'There is no device 7: "ompd devices" lists them.', '"-device" takes the number of a device.'],
        "numbers of devices")

    # Registers of the caller, of the entry point and of what that has called; the words in memory.
    def number(*registers, **memory):
        frames = FakeStack(types.SimpleNamespace(
            level=level, is_user=not at, is_runtime=bool(at), is_called=True, sp=4096, process=None,
            frame=types.SimpleNamespace(register=lambda _, one=one: one))
            for level, (at, one) in enumerate(reversed(list(enumerate(registers)))))
        frames.process = types.SimpleNamespace(unsigned=lambda at, _: memory.get("at_%d" % at, 0))
        with unittest.mock.patch.object(kept_registers, "of", lambda *_: ("rbx",)):
            return target_device.number(frames, 0, {800: 0, 900: 1})

    tap.equal([number(*registers) for registers in itertools.product((7, 800), (8, 800, 900), (9, 900))],
              [None, 1, 0, 0, 1, 1, None, 1, None, 1, 1, 1], "the device by registers, the outermost first")
    tap.equal([number(7, 80, at_136=900), number(7, 80, at_144=800), number(7, 4104, at_4160=900)],
              [1, 0, None], "by what is mapped, but not by what the stack has")
