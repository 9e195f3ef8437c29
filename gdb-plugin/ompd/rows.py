# SPDX-License-Identifier: MIT
"""What "ompd threads" has to say of each thread.

It is asked of hundreds of threads that mostly do the same, so whatever does not depend on
the one thread is put into words once: a wait by what is waited for, a place by its address,
a path by the region. Nothing is unwound where the library tells the place.
"""

import os

import gdb

from ompd import (alike, code_owner, derived, errors, escaped, facts, frames, gdbtext, holders, model, paths,
                  places, registers, report, space, standing, target, text, thread_ids, words)


class Row:
    """One thread. `cells` are the table's, `short` the same in fewer words."""

    # state: (state, what for, the same in short, name, wait id, whether derived)
    # holder: the Row of the thread that is in the section waited for, as the source tells it
    __slots__ = ("cells", "short", "thread", "selected", "state", "place", "where", "holder",
                 "_known", "_rows", "_lwp")

    def __init__(self, rows, thread, known, selected):
        self._rows = rows
        self.thread = thread
        self._known = known
        self.selected = selected
        self.place = self.holder = self._lwp = None

    @property
    def known(self):
        """The model.Thread, or None; made of its handle when it is asked for."""
        known = self._known
        if known is not None and not isinstance(known, model.Thread):
            known = self._known = self._rows.known(known)
        return known

    @property
    def runtime(self):
        """The name of the file of the runtime that it is in a team of, where several runtimes
        have threads; else None."""
        return self._rows.runtime(self.known)

    def facts(self):
        """The row as an object for JSON."""
        return self._rows.facts(self)

    @property
    def lwp(self):
        """The kernel id, or None."""
        if self._lwp is None:
            self._lwp = target.lwp(self.thread) if self.thread is not None else \
                report.known(lambda: self.known.lwp)
        return self._lwp

    @property
    def sleep(self):
        """The registers.Sleep of a thread that gdb knows, or None."""
        return self._rows.registers.sleep(self.thread, self.lwp)

    @property
    def stands(self):
        """(address of the next instruction, stack pointer), or None where the kernel does not
        tell."""
        return self._rows.registers.of(self.thread, self.lwp)

    @property
    def region_key(self):
        region = None if self.known is None else report.known(lambda: self.known.region)
        return None if region is None else region.key


def all_rows(inferior, snapshot):
    """Rows of gdb's threads, and of those that only the runtime knows. Without a SNAPSHOT
    only what gdb knows."""
    return _Rows(inferior, snapshot).all()


_NOT_OPENMP = ("not OpenMP", "-", "-", None, None, False)
_UNKNOWN = ("?", "?", "?", None, None, False)
_NOBODY = (None, None, None)


def _program():
    return gdbtext.file_name(gdb.current_progspace()) or ""


_IDLE = ("idle", "-", "-", "idle", 0, False)
_STATE_OF = {"simple": "lock", "nest": "nest_lock"}  # what a thread waits for, by its kind


# What the runtime keeps of a thread's wait, and which of several it is for is on the stack.
_VAGUE = ("wait_barrier", "wait_lock", "wait_nest_lock", "wait_critical", "overhead")


def _is_certain(state):
    return state is not None and not state.startswith("work") and state not in _VAGUE


class _Rows:
    def __init__(self, inferior, snapshot):
        self._inferior = inferior
        self._snapshot = snapshot
        self._recorded = snapshot is not None and snapshot.recorded
        self._by_lwp = self._kinds = None
        self._placed = snapshot is not None and thread_ids.are_its_own(inferior, snapshot)
        if self._recorded and snapshot.bulk:
            self._kinds = snapshot.kinds
        elif snapshot is not None:
            self._by_lwp = snapshot.by_lwp
        self._threads = thread_ids.by_lwp(inferior)
        self._numbers = {lwp: thread.num for lwp, thread in self._threads}
        self._walker = frames.Walker()
        here = space.current()
        self._still = here.still
        self.registers = registers.Registers(inferior)
        self._stacks = alike.Stacks(self._walker, self.registers, here.memory,
                                    here.byte_order)
        self._places = places.Places()
        self._alike = {}
        self._states = {}
        self._ways = {}
        self._holders = None
        self._texts = {}
        self._waits = {}
        self._worded = {}
        self._dot = text.sign(" \u00b7 ", " . ")

    def all(self):
        several = len(gdb.inferiors()) > 1
        lead = "%d." % self._inferior.num if several else ""
        selected = gdb.selected_thread()
        selected = selected.num if selected is not None else None
        found = []
        kinds, find, seen = self._kinds, self._find, self._alike  # this loop is a hot one
        with frames.selection_kept():
            for lwp, thread in self._threads:
                number = thread.num
                mark = "%s%s%d" % ("* " if number == selected else "  ", lead, number)
                kind, member, known = find(lwp) if kinds is None else \
                    kinds.get(lwp, _NOBODY)
                row = Row(self, thread, known, number == selected)
                alike = None
                if kind is not None and (self._still or not thread.is_running()):
                    alike = seen.get(kind)
                if alike is not None:
                    row.state, row.place, row.where, way, cells, short = alike
                    own = mark, way % member if way else "-"
                    row.cells = row.short = own + cells
                    if short is not cells:
                        row.short = own + short
                else:
                    row.where = self._where(row)
                    row.state = self._state(row)
                    self._fill(row, mark, self._path(row))
                    self._keep(row, kind)
                found.append(row)
        if self._snapshot is not None:
            if not self._recorded:
                self._settle(found)
            found += self._unlisted() if self._placed else []
        return found

    def _settle(self, rows):
        """Who is inside the runtime because a barrier of the team is not complete."""
        for row, state, construct in standing.barriers(rows):
            region = row.known.region
            kind = None if region.barrier is None else region.barrier.kind
            row.state = self._state_of(state, 0, True, region, kind)
            if construct is not None:
                row.place, row.where = construct, self._text(construct)
            self._fill(row, *row.cells[:2])
        inside = holders.of_sections(rows, self._is_taken)
        for row in rows if inside else ():
            row.holder = inside.get(row.state[4]) if row.state[3] == "wait_critical" else None
            if row.holder is not None:
                state, what, _, *rest = row.state
                long, short = (words.held(what, name, told=True)
                               for name in self._name(row.holder.known))
                row.state = (state, long, short, *rest)
                self._fill(row, *row.cells[:2])

    def _is_taken(self, wait):
        lock = None if wait is None else self._snapshot.lock_at(wait, "wait_critical")
        return lock is None or lock.count != 0

    def _find(self, lwp):
        """(kind, number in its team, model.Thread or None), where there are no kinds."""
        return None, None, None if self._by_lwp is None else self._by_lwp.get(lwp)

    def known(self, handle):
        return self._snapshot.thread(handle)

    def _keep(self, row, kind):
        """What goes for the others of its kind: threads inside the runtime for the same
        call differ in their numbers only."""
        if kind is None:
            return
        way = None
        try:
            if row.state is not _IDLE:
                if row.place is None or not row.known.codeptr:
                    return
                region = row.known.region
                way = "%d/1" if region is None else "%s%%d/%d" % self._way(region)
        except errors.OmpdError:
            return
        cells = row.cells[2:]
        short = cells if row.short is row.cells else row.short[2:]
        self._alike[kind] = row.state, row.place, row.where, way, cells, short

    def _fill(self, row, number, path):
        state, waits, short = row.state[0], *map(self._waits_cell, row.state[1:3])
        where = row.where
        row.cells = (number, path, state, waits, where)
        row.short = row.cells if short is waits else (number, path, state, short, where)

    def _waits_cell(self, words):
        """What a thread waits for: equal words are one object."""
        if words not in self._worded:
            self._worded[words] = text.worded(words)
        return self._worded[words]

    # Who

    def runtime(self, known):
        files = self._runtimes
        if known is None or len(files) < 2:
            return None
        name = os.path.basename(files.get(report.known(lambda: known.runtime)) or "")
        return escaped.shown(name) if name else None

    @facts.fact
    def _runtimes(self):
        """Number of a runtime -> its file, of those that threads have used, where there are
        several."""
        if self._snapshot is None or not self._snapshot.has_several_runtimes:
            return {}
        return {one.number: one.file or _program()
                for one in self._snapshot.runtimes if one.threads}

    def _path(self, row):
        known = row.known
        if known is None:
            return "-" if self._placed else "?"
        if row.state is _IDLE:
            return "-"
        try:
            region = known.region
            if region is None:
                return "%s/1" % known.number
            lead, size = self._way(region)
            try:
                return "%s%d/%d" % (lead, known.number, size)
            except errors.OmpdError:
                return "%s?/%d" % (lead, size)
        except errors.OmpdError:
            return "?"

    def _way(self, region):
        found = self._ways.get(region.key)
        if found is None:
            lead = "".join(paths.step(*step) + self._dot for step in region.way)
            found = self._ways[region.key] = lead, region.size
        return found

    def _name(self, thread):
        """A thread as gdb and OpenMP number it; with the first alone."""
        try:
            number = self._numbers.get(thread.lwp)
            short = "LWP %d" % thread.lwp if number is None else str(number)
            steps = thread.path
        except errors.OmpdError:
            return None, None
        return "%s (%s)" % (short, paths.label(steps)), short

    # What it does

    def _state(self, row):
        known = row.known
        if known is None:
            return _NOT_OPENMP if self._placed else _UNKNOWN
        try:
            state, wait, region, failed = self._kept(known)
        except errors.OmpdError as error:
            return errors.short(error), "-", "-", None, None, False
        if state == "idle":
            return _IDLE
        if not self._recorded and row.thread is not None and not self._still and \
                row.thread.is_running():
            return _UNKNOWN
        told = False
        if not self._recorded and row.thread is not None and not _is_certain(state):
            seen = self._derived(row)
            if seen is not None:
                (state, wait), told = seen, True
        if state is None:
            return errors.short(failed), "-", "-", None, None, False
        kind = known.barrier_kind if self._recorded and state.startswith("wait_b") else None
        return self._state_of(state, wait, told, region, kind)

    def _kept(self, known):
        """(state, wait id, region, None) as the runtime has them. Of one that keeps that the
        thread waits for tasks, but not for which, the state is None, and the last says why."""
        try:
            return known.state, known.wait_id, known.region, None
        except errors.OmpdError as error:
            if self._recorded or error.kind != "needs_state_tracking":
                raise
            return None, 0, known.region, error

    def _state_of(self, state, wait, told, region, barrier):
        """BARRIER: the kind of the barrier in which it waits, if that is known."""
        key = state, wait, told, None if region is None else region.key, barrier
        if key not in self._states:
            self._states[key] = self._words(state, wait, told, region, barrier)
        return self._states[key]

    def _derived(self, row):
        """(state, wait id) as the stack tells it, or None."""
        if row.place is None:
            # In the region, but no longer or not yet in its body.
            seen = ("overhead", 0) if row.known.region is not None else None
        else:
            # One may stand behind a call that others are inside of.
            key = row.place.address, row.place.called
            if key not in self._waits:
                self._waits[key] = derived.wait(row.place)
            seen = self._waits[key]
        if seen is not None and self._stacks.in_system(row.thread):
            return None  # called by user code, by a jump that left no frame
        if seen is not None and seen[1] == 0 and seen[0] in derived.FUTEXES and \
                not code_owner.foreign_runtime():
            seen = seen[0], self.registers.futex(row.thread)
        return seen

    def _words(self, state, wait, told, region, barrier):
        what = words.waits_for(state, wait, self._recorded)
        long = short = what
        if words.is_lock(state) and wait:
            lock = self._snapshot.lock_at(wait, state)
            owner = None if lock is None else lock.owner
            if owner is not None:
                long, short = (words.held(what, name) for name in self._name(owner))
        elif state.startswith("wait_barrier") and region is not None:
            long = words.arrived(what, region.barrier_for(barrier, state))
            short = long
        return (("~" if told else "") + words.state(state), long, short, state, wait, told)

    # Where

    def _where(self, row):
        """The cell; sets the row's place."""
        if row.thread.is_running():
            return "(running)"
        known = row.known
        try:
            if known is None:
                row.place = self._stacks.place(row.thread)
            elif known.state == "idle":
                return "-"
            else:
                row.place = self._in_task(row.thread, known)
        except errors.OmpdError:
            row.place = self._stacks.place(row.thread)
        return self._text(row.place or self._stacks.innermost(row.thread))

    def _text(self, place):
        if place is None:
            return "-"
        key = place.function, place.file, place.line, place.address
        if key not in self._texts:
            self._texts[key] = text.place(place)
        return self._texts[key]

    def _in_task(self, thread, known):
        """The place of the call that the thread is inside the runtime for; else the
        innermost user frame of the current task, which is below the frame that called its
        body. There is none once the body has been left, at the barrier that ends a region,
        or was left by a tail call into the runtime: then the construct has to do. What else
        is on the stack is the way to the construct."""
        if not self._recorded:
            return self._stacks.place(thread) or self._ended(known)
        call = known.codeptr
        region = known.region
        if call and not (region is not None and call == region.codeptr):
            place = self._places.call(call)
            if place is not None:
                return place
        if call and known.state == "wait_barrier_implicit":
            return self._construct(known)
        task = known.task
        body_called_by = task.frames[0] if task is not None else 0
        if body_called_by == 0 and known.state != "wait_barrier_implicit":
            return self._stacks.place(thread)
        place = self._stacks.place(thread, body_called_by) if body_called_by else None
        return self._construct(known) if place is None else place

    def _ended(self, known):
        """The construct whose body a thread without a frame of the user's has left, where the
        runtime has its function."""
        try:
            return self._construct(known) if known.state == "wait_barrier_implicit" else None
        except errors.OmpdError:
            return None

    def _construct(self, known):
        task, region = known.task, known.region
        function = (task.function if task is not None else None) or \
            (region.function if region is not None else None)
        return self._walker.construct(function) if function else None

    # The rest

    def _unlisted(self):
        """Threads that the runtime knows and gdb does not: ended, or not seen yet. Until
        its first instructions after fork() have run, a child remembers its parent's."""
        found = []
        seen = set(self._numbers)
        for other in gdb.inferiors():
            if other != self._inferior:
                seen.update(map(thread_ids.lwp, target.threads(other)))
        if self._kinds is not None and self._kinds.keys() <= seen:
            return found
        for thread in self._snapshot.threads:
            try:
                if thread.lwp in seen:
                    continue
                where = "LWP %d, not seen by gdb" % thread.lwp
            except errors.OmpdError as error:
                where = errors.short(error)
            row = Row(self, None, thread, False)
            row.where = where
            row.state = self._state(row)
            self._fill(row, "  -", self._path(row))
            found.append(row)
        return found

    def _held(self, known):
        """What a model.Thread has acquired, where that is recorded, and where it did so."""
        if self._holders is None:
            self._holders = {}
            for lock in self._snapshot.locks if self._recorded else ():
                lwp = report.known(lambda: lock.owner and lock.owner.lwp)
                if lwp is not None:
                    self._holders.setdefault(lwp, []).append(lock)
        found = []
        for lock in self._holders.get(report.known(lambda: known.lwp), ()):
            one = {"kind": lock.kind, "wait_id": lock.address, "frame": lock.frame,
                   "object": words.waits_for("wait_" + _STATE_OF.get(lock.kind, lock.kind),
                                             lock.address)}
            place = None if lock.codeptr is None else self._places.call(lock.codeptr)
            found.append(dict(one, **report.place_facts(place)))
        return found

    def facts(self, row):
        known = row.known
        waits, name, wait, told = row.state[1], row.state[3], row.state[4], row.state[5]
        answer = {"id": row.thread.num if row.thread else None,
                  "lwp": target.lwp(row.thread) if row.thread
                  else report.known(lambda: known.lwp),
                  "selected": row.selected, "number": None, "team_size": None, "path": None,
                  "level": None, "state": name, "derived": told, "wait_id": wait or None,
                  "waits_for": None if waits in ("-", "?") else waits, "owner": None,
                  "arrived": None, "holds": [], "stack": None,
                  "runtime": self._runtimes.get(report.known(lambda: known.runtime))
                  if known is not None and self._runtimes else None}
        if known is not None and name != "idle":
            path = report.known(lambda: known.path)
            if path:
                answer["number"], answer["team_size"] = path[-1]
                answer["path"] = [list(step) for step in path]
            answer["level"] = report.known(lambda: known.level)
            region = report.known(lambda: known.region)
            if name is not None and words.is_lock(name) and wait:
                lock = self._snapshot.lock_at(wait, name)
                if lock is not None and lock.owner is not None:
                    answer["owner"] = self._numbers.get(
                        report.known(lambda: lock.owner.lwp))
            if row.holder is not None:
                answer["owner"] = row.holder.thread.num
            if name is not None and name.startswith("wait_barrier") and region is not None:
                kind = known.barrier_kind if self._recorded else None
                barrier = region.barrier_for(kind, name)
                answer["arrived"] = None if barrier is None else barrier.arrived
            answer["holds"] = self._held(known)
            stack = report.known(lambda: known.stack)
            answer["stack"] = [stack["low"], stack["high"]] if stack else None
        answer.update(report.place_facts(row.place))
        return answer
