# SPDX-License-Identifier: MIT
"""The devices that target regions can be executed on: "ompd devices"."""

from __future__ import annotations

import os

from openmp_inspect.core import debug, escaped, text
from openmp_inspect.core.errors import OmpdError, Unreadable, UserError, known
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import start_environment
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.report import explanations

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.bindings.query import DeviceFacts
    Facts = TypeVar("Facts")

_HEAD = ["Device", "Name", "State", "Mapped", "Plugin"]
_STATES = {"unused": "not used yet", "ready": "ready", "finalised": "ended"}
_LONGEST = 64  # bytes of a device's name
_MOST_THREADS = 64  # whose default device is looked at
_OFFLOAD = "OMP_TARGET_OFFLOAD"
_UNKNOWN = {
    "unavailable": "The program has not asked its OpenMP runtime for devices yet.",
    "unsupported": "Where the OpenMP runtime of this program has its devices is not known."}
_CUT = "Not all are known: a list was just being changed, is damaged, or is of another runtime."


class _Device(NamedTuple):
    facts: DeviceFacts
    name: Optional[Name]
    plugin: Optional[Name]  # the name of the file
    is_default: Optional[bool]  # of some task that a thread executes
    # What is mapped to it, None where not all of that is known.
    ranges: Optional[int]
    bytes: Optional[int]


def facts(here: Space) -> List[Dict[str, Any]]:
    """An object for each device; UserError where they are not known."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        return [{"device": one.facts.number, "runtime": one.facts.runtime,
                 "name": None if one.name is None else one.name.raw, "state": one.facts.state,
                 "default": one.is_default, "ranges": one.ranges, "bytes": one.bytes,
                 "plugin": None if one.plugin is None else one.plugin.raw}
                for one in _devices(snapshot)[0]]


def lines(here: Space) -> List[str]:
    """The table; UserError likewise."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        devices, is_all = _devices(snapshot)
        if not devices and is_all:
            return [text.hanging(" ".join(["There is no device: target regions are executed on the host.",
                                           *_reasons(snapshot)]), "")]
        table = text.fitted([_HEAD, *map(_cells, devices)])
        defaults = [one.facts.number for one in devices if one.is_default]
        if defaults:
            table.append("Default device: %s." % ", ".join(map(str, defaults)))
        table += ["Target regions are executed on the host. " + why for why in _disabled(here)]
        return table + cut(is_all)


def cut(is_all: bool) -> List[str]:
    """A remark if a list is not all that there is."""
    return [] if is_all else [text.remark(_CUT)]


def asked(question: Callable[[], Facts]) -> Facts:
    """What a QUESTION about devices answers; UserError where they are not known."""
    try:
        return question()
    except OmpdError as error:
        if error.kind not in _UNKNOWN:
            raise
        raise UserError(_UNKNOWN[error.kind]) from None


def _devices(snapshot: Snapshot) -> Tuple[List[_Device], bool]:
    """All, and whether these are all, and what is mapped to each is known."""
    devices, is_all = asked(lambda: snapshot.devices)
    mappings, is_whole = asked(lambda: snapshot.mappings) if devices else ((), True)
    defaults = _defaults(snapshot) if devices else []
    found = []
    for one in devices:
        own = [two.bytes for two in mappings if (two.device, two.runtime) == (one.number, one.runtime)]
        found.append(_Device(one, _name(snapshot.space, one.name), _plugin(snapshot.process, one.plugin),
                             one.number in defaults if defaults else None,
                             *((len(own), sum(own)) if is_whole else (None, None))))
    return found, is_all and is_whole


def _name(here: Space, address: Optional[int]) -> Optional[Name]:
    try:
        raw = here.memory.read_string(address, _LONGEST) if address else b""
    except Unreadable:
        debug.ignored()
        return None
    return escaped.name(raw.decode("utf-8", "surrogateescape")) or None


def _plugin(process: Process, code: Optional[int]) -> Optional[Name]:
    file = process.image_at(code) if code else None
    return None if file is None else escaped.name(os.path.basename(file))


def _defaults(snapshot: Snapshot) -> List[int]:
    """The default devices of tasks that threads execute, as far as these are known."""
    found = set()
    for thread in snapshot.threads[:_MOST_THREADS]:
        task = known(lambda thread=thread: thread.task)
        for icv in [] if task is None else known(lambda task=task: snapshot.icvs(task)) or []:
            if icv.name == "default-device-var" and icv.value.raw.isdecimal():
                found.add(int(icv.value.raw))
    return sorted(found)


def _cells(one: _Device) -> List[str]:
    return [str(one.facts.number), "-" if one.name is None else text.worded(one.name),
            _STATES.get(one.facts.state or "", "?"),
            "?" if one.ranges is None or one.bytes is None else
            "%s, %s" % (text.count(one.ranges, "range"), text.size(one.bytes)) if one.ranges else "-",
            "-" if one.plugin is None else text.style("filename", text.worded(one.plugin))]


def _disabled(here: Space) -> List[str]:
    setting = (start_environment.variables(here, lambda name: name == _OFFLOAD) or {}).get(_OFFLOAD, "")
    return ["%s is DISABLED." % _OFFLOAD] if setting.strip().upper() == "DISABLED" else []


def _reasons(snapshot: Snapshot) -> List[str]:
    """Sentences that say why there is no device, as far as that is known."""
    if _disabled(snapshot.space):
        return _disabled(snapshot.space)
    names = [os.path.basename(file) for file in snapshot.process.libraries()]
    if any(one.kind == "libgomp" for one in snapshot.runtimes):
        plugins = [name for name in names if name.startswith("libgomp-plugin-")]
        return ["libgomp has loaded %s, %s no device." % (
            text.worded(escaped.Name(", ".join(plugins))), "which has found" if len(plugins) == 1 else
            "which have found") if plugins else "libgomp has loaded no plugin for one."]
    if not any(name.startswith("libomptarget.so") for name in names):
        return ["libomptarget, which drives devices of clang's programs, is not loaded."]
    return []
