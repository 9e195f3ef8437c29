# SPDX-License-Identifier: MIT
"""Gathers the checkup.Facts of a process or core."""

from __future__ import annotations

import os
import re

from openmp_inspect.core import debug, errors, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.model import checkup, icv_table
from openmp_inspect.code import code_owner, image_symbols, start_environment, symbol_names
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import ignored_settings, lock_orders, wait_state

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Iterable, Iterator, List, Optional, Tuple
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.query import OrderFacts, RuntimeFacts
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.bindings.spaces import Space

_ICVS = ("bind-var", "cancel-var", "default-device-var", "nthreads-var", "num-procs-var", "wait-policy-var")
_MOST_TEAMS = 1024
# An int, of Open MPI, and the first of a structure, of MPICH.
_MPI_LEVELS = ("ompi_mpi_thread_provided", "MPIR_ThreadInfo")
# Where MPICH's is hidden: PMPI_Query_thread() loads it and stores it where its argument points to.
_LOADS = re.compile(rb"(?:\x48\x8d\x05(....)\x8b\x00|\x8b\x05(....))\x89[\x00-\x3f]", re.DOTALL)
_QUERY = 64  # bytes of that function


def of_process(here: Space, snapshot: Optional[Snapshot], unread: Optional[str] = None,
               clause: Optional[checkup.Clause] = None) -> checkup.Facts:
    """Facts of a stopped process or a core. Without a SNAPSHOT only what the debugger knows, and
    UNREAD says why. CLAUSE: as for team()."""
    process = here.process
    facts = checkup.Facts(
        of=checkup.CORE if process.origin == interface.CORE else checkup.PROCESS, unread=unread,
        without_lines=next(iter(process.unread_debug_information()), None),
        runtimes=_loaded_runtimes(process), families=_families(process),
        settings=start_environment.variables(here, checkup.is_setting),
        masks=_masks(process), quota=process.processor_quota(), images=image_symbols.of_user(process),
        forked=process.is_forked(), threads=len(process.threads()),
        mpi_level=_mpi_level(here), limits=process.facts.thread_limits(),
        stack_limit=process.stack_limit())
    if facts.masks is not None:
        facts = facts._replace(machine=process.machine_processors(), parent=process.facts.parent())
    return facts if snapshot is None else _of_snapshot(process, snapshot, facts, clause)


def _masks(process: Process) -> Optional[Dict[int, FrozenSet[int]]]:
    """By the kernel ids of threads; None if none is known: some may have ended meanwhile."""
    found = ((lwp, process.allowed_processors(thread)) for lwp, thread in process.threads())
    return {lwp: allowed for lwp, allowed in found if allowed is not None} or None


def _of_snapshot(process: Process, snapshot: Snapshot, facts: checkup.Facts,
                 clause: Optional[checkup.Clause]) -> checkup.Facts:
    forks = errors.known(snapshot.forks)
    return facts._replace(
        runtimes=_runtimes(process, snapshot.runtimes) or facts.runtimes,
        teams=_teams(snapshot, clause), icvs=_icvs(snapshot),
        stacks=tuple(_stacks(process, snapshot)), waiting=_waiting(process, snapshot),
        others=_others(process, snapshot), pools=_pools(snapshot), orders=_orders(snapshot),
        devices=_devices(snapshot) if facts.importing(checkup.TARGETS) else None,
        forked=facts.forked if forks is None else forks > 0, hooks=_hooks(snapshot))


def _users(process: Process, name: str) -> Tuple[str, ...]:
    """Names of the user's files that need the library of this NAME."""
    return tuple(os.path.basename(path) for path, image in image_symbols.of_user(process).items()
                 if image is not None and name in image.needed)


def _loaded_runtimes(process: Process) -> Tuple[checkup.Runtime, ...]:
    found = code_owner.runtimes(process)
    return tuple(_runtime(process, file, None) for file in sorted(
        found.gomp | found.kmp, key=lambda file: file or ""))


def _families(process: Process) -> Tuple[str, ...]:
    found = code_owner.runtimes(process)
    return (ignored_settings.GOMP,) * bool(found.gomp) + (ignored_settings.KMP,) * bool(found.kmp)


def _runtime(process: Process, file: Optional[str], threads: Optional[int]) -> checkup.Runtime:
    name = os.path.basename(file or process.program or "")
    return checkup.Runtime(name, threads, _users(process, name))


def _runtimes(process: Process, found: Iterable[RuntimeFacts]) -> Tuple[checkup.Runtime, ...]:
    return tuple(_runtime(process, one.file, one.threads) for one in found)


def _hooks(snapshot: Snapshot) -> str:
    """"yes" if some runtime is recorded, else why the first one is not."""
    if not code_owner.runtimes(snapshot.process).hooks:
        return "no_hooks"
    found = [one.recorded for one in snapshot.runtimes if one.recorded is not None]
    if snapshot.recorded and snapshot.tracking or "yes" in found:
        return "yes"
    return "unread" if snapshot.unread is not None else found[0] if found else "off"


def _teams(snapshot: Snapshot, clause: Optional[checkup.Clause]) -> Tuple[checkup.Team, ...]:
    teams: List[checkup.Team] = []
    for region in errors.known(snapshot.regions) or ():
        if len(teams) < _MOST_TEAMS:
            try:
                teams.append(checkup.team(region, clause))
            except errors.OmpdError:
                debug.ignored()  # it is just ending
    return tuple(teams)


def _icvs(snapshot: Snapshot) -> Dict[str, str]:
    """Of the process, and of the data environment of some thread's task."""
    found: Dict[str, str] = {}
    tasks = (errors.known(lambda thread=thread: thread.task)
             for thread in errors.known(lambda: snapshot.threads) or ())
    task = next((task for task in tasks if task is not None), None)
    for item in [None] if task is None else [None, task]:
        some = errors.known(lambda item=item: snapshot.icvs(item)) or ()
        found.update((one.name, one.value.raw) for one in icv_table.without_aliases(some)
                     if one.name in _ICVS)
    return found


def _stacks(process: Process, snapshot: Snapshot) -> Iterator[checkup.StackUse]:
    registers, threads = process.registers(), dict(process.threads())
    for known in errors.known(lambda: snapshot.threads) or ():
        thread = threads.get(errors.known(lambda known=known: known.lwp))
        place = None if thread is None else registers.of(thread)
        if thread is None or place is None:
            continue
        size = errors.known(lambda known=known: known.stack_size)
        if size is not None:
            used = known.stack["high"] - place[1]
            if 0 < size and 0 < used <= size + known.stack["guard"]:
                yield checkup.StackUse(thread.num, used, size)


def _waiting(process: Process, snapshot: Snapshot) -> Optional[checkup.Waiting]:
    """None if it is not known of some thread where it is."""
    registers = process.registers()
    asleep: Dict[int, bool] = {}
    for lwp, thread in process.threads():
        if registers.of(thread) is None:
            return None
        asleep[lwp] = registers.sleep(thread) is not None
    waiting = set()
    for known in errors.known(lambda: snapshot.threads) or ():
        state = errors.known(lambda known=known: known.state) or ""
        if state == "idle" or state.startswith("wait_"):
            waiting.add(errors.known(lambda known=known: known.lwp))
    waiting &= set(asleep)
    sleepers = sum(asleep[lwp] for lwp in waiting if lwp is not None)
    return checkup.Waiting(sleepers, len(waiting) - sleepers,
                           all(asleep[lwp] for lwp in set(asleep) - waiting))


def _pools(snapshot: Snapshot) -> Optional[checkup.Pools]:
    owners, idle, threads = 0, 0, set()
    for known in errors.known(lambda: snapshot.threads) or ():
        try:
            threads.add(known.lwp)
            idle += known.state == "idle"
            owners += known.state != "idle" and known.path[0][0] == 0
        except (errors.OmpdError, IndexError):
            debug.ignored()
    return checkup.Pools(owners, idle, frozenset(threads))


def _others(process: Process, snapshot: Snapshot) -> FrozenSet[int]:
    """Kernel ids of the threads that no runtime has, and which are not in the kernel."""
    registers = process.registers()
    known = errors.known(lambda: snapshot.threads)
    own = {errors.known(lambda thread=thread: thread.lwp) for thread in known or ()}
    return frozenset(lwp for lwp, thread in process.threads() if known is not None and
                     lwp not in own and registers.of(thread) is not None and
                     registers.sleep(thread) is None)


def _orders(snapshot: Snapshot) -> Optional[checkup.Orders]:
    recorded = errors.known(snapshot.orders)
    if recorded is None:
        return None
    found, stacks = lock_orders.cycles(recorded[0]), stitched_stack.of(snapshot.space)
    words = (", ".join(_acquisition(stacks, one) for one in cycle) for cycle in found.found)
    return checkup.Orders(tuple(words), recorded[1] and found.is_all)


def _devices(snapshot: Snapshot) -> Optional[checkup.Devices]:
    """Of one runtime."""
    devices, is_all = errors.known(lambda: snapshot.devices) or ((), False)
    if not is_all or len(snapshot.runtimes) != 1:
        return None
    mappings, is_whole = errors.known(lambda: snapshot.mappings) or ((), False)
    most = max(mappings, key=lambda one: one.references or 0, default=None)
    return checkup.Devices(len(devices), None if most is None else checkup.Mapped(
        symbol_names.static_object_at(snapshot.process, most.host) or "%#x" % most.host, most.device,
        most.references or 0),
        is_whole)


def _acquisition(stacks: StitchedStacks, one: lock_orders.Acquisition) -> str:
    place = stacks.walker.place_before(one.wanted.codeptr)
    at = "" if place is None or not place.file or not place.line else \
        " at %s:%d" % (text.file_name(place.file), place.line)
    return "%s%s with %s held" % (_lock(stacks.process, one.wanted), at, _lock(stacks.process, one.held))


def _lock(process: Process, one: OrderFacts) -> str:
    """A lock in words. One on the heap or on a stack may be another's by now."""
    kind = {"simple": "lock", "nest": "nest_lock"}.get(one.kind, one.kind)
    name = wait_state.thing(process, "wait_" + kind, one.address, lambda at: escaped.name(
        symbol_names.static_object_at(process, at)))
    return kind.replace("_", " ") + (" " + name.raw if name else "")


def _mpi_level(here: Space) -> Optional[int]:
    address = next(filter(None, map(here.process.symbol, _MPI_LEVELS)), None)
    try:
        address = address or _hidden_level(here)
        if address is None:
            return None
        level = here.memory.unsigned(address, 4)
    except errors.Unreadable:
        debug.ignored()
        return None
    return level if 0 <= level <= 3 else None


def _hidden_level(here: Space) -> Optional[int]:
    start = here.process.symbol("PMPI_Query_thread")
    if start is None or here.process.machine != interface.X86_64:
        return None
    found = _LOADS.search(here.memory.read(start, _QUERY))
    if found is None:
        return None
    which = 1 if found.group(1) else 2
    return start + found.end(which) + int.from_bytes(found.group(which), "little", signed=True)
