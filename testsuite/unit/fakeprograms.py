# SPDX-License-Identifier: MIT
"""Stopped programs as tables: what fake.Process is made of, for x86-64, and a Query over a table.

A program is laid out from the calls in its functions, so that its code, lines, symbols and stacks
agree; a thread from the calls that it is inside of."""

import atexit
import os
import shutil
import tempfile
import types

from openmp_inspect.bindings import query
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.host import interface
from openmp_inspect.analysis import verdict_words

CODE, DATA, END = 0x401000, 0x480000, 0x500000
GOMP, LIBC, OMP, HOOKS, MPI, STDCXX, POOL = (0x10000000 + 0x1000000 * at for at in range(7))
ROOM = 0x200  # for a function
# Of the code of a library: where calls by name and by address return to, and what is none.
BY_NAME, BY_ADDRESS, AT = 0x30, 0x60, 0x80
STACKS = 0x7F0000000000
OUTER = ("start_thread+48", "clone3+48")  # frames of a thread
NOTHING = [name for name, _ in verdict_words.VERDICTS].index("nothing")  # is stuck
scratch = tempfile.mkdtemp(prefix="ompd-inspect-")
atexit.register(shutil.rmtree, scratch, True)


def written(name, text):
    """The path of a file of that name with this TEXT."""
    path = os.path.join(scratch, name)
    with open(path, "wb") as stream:
        stream.write(text if isinstance(text, bytes) else text.encode())
    return path


class Program:
    """FUNCTIONS: {name: (line, [(line, operation, ...)], more of its row)}, DATA: {name: size} of
    variables, LIBRARIES: {path: (start, names)}. `table` is the table."""

    def __init__(self, source, text, functions, data=(), libraries=(), **table):
        self.path = written("program", "made after its source\n")
        os.utime(self.path, (1 << 32, 1 << 32))
        self.source = source
        self.symbols, self.objects, self.ends, self.starts = {}, {}, {}, {}
        self.memory, lines, rows = {}, [], []
        for number, name in enumerate(functions):
            self.symbols[name] = CODE + ROOM * number
        program = self.memory[CODE - ROOM] = bytearray(ROOM * (len(functions) + 2))
        at = DATA
        for name, size in dict(data).items():
            self.objects[name] = at
            self.memory[at] = bytearray(size)
            at += size + 16
        images = [{"path": self.path, "start": 0x400000, "end": END, "symbols": {}, "objects": {}}]
        for path, (start, names) in dict(libraries).items():
            images.append({"path": path, "start": start, "end": start + 0x1000000, "symbols": {}})
            for number, name in enumerate(names):
                address = start + 0x1000 + 0x100 * number
                self.symbols[name] = images[-1]["symbols"][name] = address
                code = bytearray(0x100)
                code[BY_NAME - 5] = 0xE8
                self.memory[address] = code
        for name, (line, items, *more) in functions.items():
            start = self.symbols[name]
            images[0]["symbols"][name] = start
            code = self._assembled(name, start, items, lines)
            at = start - CODE + ROOM
            program[at:at + len(code)] = code
            row = dict({"name": name, "line": line, "file": source, "start": start,
                        "end": start + len(code)}, **(more[0] if more else {}))
            rows += [row] if line else []
            lines.append((start + len(code), source, 0))
        images[0]["objects"].update(self.objects)
        self.table = dict({
            "memory": self.memory, "images": images, "functions": rows,
            "lines": sorted(lines, key=lambda one: one[0]),
            "files": {self.path: self.path}, "threads": [], "sources": {source: {
                "path": written(source, text), "image": self.path,
                "producer": "GNU C17 13.2.0 -g -O0 -fopenmp"}}}, **table)

    def _assembled(self, name, start, items, lines):
        code = b""
        for number, (line, operation, *operands) in enumerate(items):
            lines += [(start + len(code), self.source, line)] if line else []
            self.starts[name, number] = start + len(code)
            code += b"".join(self._pieces(start + len(code), operation, *operands))
            self.ends[name, number] = start + len(code)
        return code

    def address(self, where):
        """That of a symbol, or "symbol+4"; of a pair, where the call of that number returns to."""
        if isinstance(where, tuple):
            return self.ends[where]
        if isinstance(where, int):
            return where
        name, _, offset = where.partition("+") if "operator" not in where else (where, "", "")
        return (self.symbols.get(name) or self.objects[name]) + int(offset or 0)

    def _pieces(self, at, operation, target=None, argument=None, **_):
        """Instructions."""
        if operation in ("call", "jmp"):
            if argument is not None:
                distance = self.address(argument) - (at + 7)
                yield b"\x48\x8d\x3d" + distance.to_bytes(4, "little", signed=True)
                at += 7
            to = self.address(target)
            yield (b"\xe8" if operation == "call" else b"\xe9") + \
                (to - (at + 5)).to_bytes(4, "little", signed=True)
        elif operation == "icall":
            yield b"\x90\x90\x90\xff\xd0"  # call *%rax
        elif operation == "ret":
            yield b"\xc3"
        elif operation == "raw":
            yield target
        else:
            yield b"\x90"

    def thread(self, number, *frames, **row):
        """Adds a thread of that number, with FRAMES newest first: ("function", number) is one inside
        of that call, "function+N" is at that address, and a dict has what differs."""
        at = STACKS + number * 0x100000
        made, memory = [], bytearray(0x10000)
        for level, frame in enumerate(frames):
            more = {}
            if isinstance(frame, dict):
                frame, more = frame["at"], frame
            one = dict({"pc": self.address(frame), "sp": at + 0x100 + 0x80 * level}, **more)
            if level:
                end = one["sp"] - at
                memory[end - 8:end] = one["pc"].to_bytes(8, "little")
            made.append(one)
        self.memory[at] = memory
        registers = (made[0]["pc"], made[0]["sp"]) if made else None
        self.table["threads"].append(dict({
            "num": number, "lwp": 100 + number, "pthread": at + 0xF000, "frames": made,
            "registers": registers}, **row))
        return made

    def sleep(self, word, value=2, **how):
        """An interface.Sleep on a word, which has that value."""
        address = self.address(word)
        for start, data in self.memory.items():
            if start <= address < start + len(data):
                data[address - start:address - start + 4] = value.to_bytes(4, "little")
        return interface.Sleep(address, value, **dict(dict(private=True, timed=False), **how))


def there(value, kind="unavailable"):
    if value is None:
        raise OmpdError(kind, "ompd_get")
    return value


class TableQuery(query.Query):
    """Answers from {"threads", "regions", "tasks"}: {handle: {question: answer}}, and for the whole
    from {question: answer}. What is not there raises an OmpdError, or is what a library without
    such a routine answers. A key is the handle itself."""

    def __init__(self, table):
        self.table = table
        self.bulk = table.get("bulk", True)
        self.incomplete = table.get("incomplete", False)

    def release(self):
        pass

    def tracking(self):
        return self.recorded

    @property
    def recorded(self):
        return self.table.get("recorded", False)

    def threads(self):
        return list(self.table["threads"])

    def thread_of(self, lwp):
        return next((one for one, row in self.table["threads"].items() if row["lwp"] == lwp), None)

    def thread_key(self, thread):
        return thread

    region_key = task_key = thread_key

    def state(self, thread):
        state, *wait = there(self.table["threads"][thread].get("state"), "needs_state_tracking")
        return query.State(state, wait[0] if wait else 0)

    def team(self, region):
        return there(self.table["regions"][region].get("team"))

    def task_id(self, task):
        return there(self.table["tasks"][task].get("id"), "needs_state_tracking")

    def region_id(self, region):
        return there(self.table["regions"][region].get("id"), "needs_state_tracking")

    def is_implicit(self, task):
        return self.table["tasks"][task].get("kind") != "explicit"

    def thread_facts(self):
        for one in self.table["threads"]:
            yield query.ThreadFacts(one, one, {})

    def kinds(self):
        return {row["lwp"]: query.ThreadKind(row.get("kind"), row.get("number", 0), one)
                for one, row in self.table["threads"].items()}

    def task_facts(self, task):
        row = self.table["tasks"][task]
        names = query.TaskFacts._fields
        return query.TaskFacts(**{name: row[name] for name in names if name in row})

    def tasks(self):
        return [one for one, row in self.table["tasks"].items() if row.get("kind") != "implicit"]

    def lock(self, address, kind):
        for lock in self.locks():
            if lock.address == address:
                return lock
        raise OmpdError("unavailable", "ompd_ext_get_lock")

    def details(self, name, item):
        rows = self.table["regions" if name == "team" else "threads"]
        return rows[item].get({"team": "of_team"}.get(name, name)) or {}

    def verdicts(self, evidence, count, size):
        return query.Verdicts([types.SimpleNamespace(
            verdict=NOTHING, kind=0, certainty=0, cause=0, next=0, threads=1, others=0,
            first_link=0, links=0)], [])


def _answer(kind, name, question, or_else):
    def answer(self, item):
        found = self.table[kind][item].get(name)
        return getattr(query.Query, question)(self, item) if found is None and or_else else \
            there(found)
    return answer


for _kind, _names in (
        ("threads", {"lwp": "lwp", "number": "number", "region_of": "region", "task_of": "task"}),
        ("regions", {"size": "size", "function": "function", "enclosing": "parent",
                     "master": "master", "implicit_tasks": "implicit_tasks"}),
        ("tasks", {"task_function": "function", "frames": "frames", "parent": "parent",
                   "level": "level"})):
    for _question, _name in _names.items():
        setattr(TableQuery, _question, _answer(_kind, _name, _question, False))
for _kind, _some in (
        ("threads", "codeptr barrier futexes barriers_entered lock_tests frame pthread runtime_of history target"),
        ("regions", "region_codeptr region_kind encountering_task encountering_number cancelled "
                    "requested parted"), ("tasks", "task_serial task_state")):
    for _question in _some.split():
        setattr(TableQuery, _question, _answer(_kind, {"task_state": "state"}.get(
            _question, _question), _question, True))


def _of_all(question):
    def answer(self, *_):
        return self.table[question] if question in self.table else \
            getattr(query.Query, question)(self, *_)
    return answer


for _question in ("runtimes", "has_several_runtimes", "dependences", "locks", "barriers", "icvs",
                  "wait_times", "control_vars", "tool", "forks", "sums"):
    setattr(TableQuery, _question, _of_all(_question))
TableQuery.__abstractmethods__ = frozenset(
    name for name in TableQuery.__abstractmethods__ if getattr(
        getattr(TableQuery, name), "__isabstractmethod__", False))


class Session:
    library = types.SimpleNamespace(path="/lib/libompd.so")
    dialect = types.SimpleNamespace(name="OMPD 5.0", version_string=lambda: "a table")

    def __init__(self, table):
        self._table = table

    def query(self):
        return TableQuery(self._table)

    def close(self):
        pass


def lock(address, kind, owner=None, task=None, codeptr=None, frame=None, life=None, waiters=(),
         held=None):
    return query.LockFacts(address, kind, (0 if owner is None else 1) if held is None else held,
                           codeptr, frame, life, owner, task, waiters)
