# SPDX-License-Identifier: MIT
"""A stop as a file: what a host has answered of a process, to be asked again without it. Whatever is
asked of the Process of a Recorder is asked of another one, and kept; a file of a Recorder is read as a
Process that answers the same, and knows nothing else: HostError. So a stop that somebody met is a test,
and two hosts can be compared question by question.

A file is JSON, xz: {"memory": {address: hexadecimal bytes}, "files": {name: {"size", "blocks":
{offset: hexadecimal bytes}}}, "texts": {path: text of a source file}, "objects": [{"kind": name of a
class, "answers": {question: value}}]}. The first object is the process; a question is a name, or JSON
of a list of a name and arguments; values are as _Values writes them. Registers, time and choices are
those of the stop: it cannot run. """

from __future__ import annotations

import contextlib
import io
import json
import lzma

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError, Unreadable, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.host.kernel_facts import KernelFacts

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, Type

    Ask = Callable[["Item", str, Optional[Tuple[Any, ...]]], Any]  # arguments: None of an attribute

_PAGE = 4096
_LARGEST = 1 << 28  # bytes of the JSON of a file
# What a question may raise.
_ERRORS = (HostError, UserError, OSError, ValueError)
_RAISED = {kind.__name__: kind for kind in (*_ERRORS, Unreadable, PermissionError)}
_NAMED_TUPLES = {kind.__name__: kind for kind in vars(interface).values()
                 if isinstance(kind, type) and issubclass(kind, tuple)}


class Item:
    """Something of a `process` that is asked; `number` says which."""

    process: interface.Process
    number: int
    ask: Ask


class Thread:
    """What is asked of interface.Thread."""

    num: int
    ptid: object

    def is_running(self) -> bool:
        raise NotImplementedError


class Key:
    """What a host has as a key alone."""


_KINDS = (interface.Process, interface.Frame, interface.SourceFile, interface.Function,
          interface.Type, interface.Registers, KernelFacts, Thread, Key)
# What has its answer from others or is no question about a stop.
_OWN = ("process", "read", "unsigned", "opened", "image_files", "selection_kept", "timed_runs",
        "pointer_size")


def _class_of(kind: Type[Any]) -> Type[Any]:
    """A class that has all questions of a KIND, but for _OWN, asked by its `ask`."""
    body: Dict[str, Any] = {"process": None}
    for name in {name for base in kind.__mro__[:-1] for name in (
            *vars(base), *vars(base).get("__annotations__", ())) if name[0] != "_"}.difference(_OWN):
        body[name] = _method(name) if callable(getattr(kind, name, None)) else \
            property(_attribute(name))
    return type(kind.__name__, (Item, kind), body)


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *given: self.ask(self, name, given)


def _attribute(name: str) -> Callable[[Any], Any]:
    return lambda self: self.ask(self, name, None)


class _Process(_class_of(interface.Process)):  # type: ignore[misc]
    """What a Process has from other questions."""

    def unsigned(self, address: int, size: int) -> int:
        return int.from_bytes(self.read(address, size), self.byte_order)

    @property
    def pointer_size(self) -> int:
        return int(self.sizes[-1])

    def image_files(self, is_wanted: Callable[[str], bool]) -> List[interface.ImageFile]:
        return [one for one in self.ask(self, "image_files", ()) if is_wanted(one.path)]

    def timed_runs(self) -> Any:
        raise UserError('"ompd why -watch" needs a live process of this machine.')


_CLASSES = {kind.__name__: _class_of(kind) for kind in _KINDS}


class _Values:
    """Values as JSON: what JSON has not is a list that begins with a letter."""

    def __init__(self, number_of: Callable[[Any], int], item: Callable[[int], Any]) -> None:
        self._number_of, self._item = number_of, item

    def write(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, bytes):
            return ["b", value.hex()]
        if isinstance(value, tuple) and type(value).__name__ in _NAMED_TUPLES:
            return ["n", type(value).__name__, *map(self.write, value)]
        for letter, kind in _COLLECTIONS.items():
            if isinstance(value, kind):
                rows = value.items() if kind is dict else \
                    value if kind in (tuple, list) else sorted(value, key=repr)
                return [letter, *map(self.write, rows)]
        if isinstance(value, _ERRORS):
            return ["e", type(value).__name__, str(value)]
        return ["o", self._number_of(value)]

    def read(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        letter, *rest = value
        if letter == "b":
            return bytes.fromhex(rest[0])
        if letter == "n":
            return _NAMED_TUPLES[rest[0]](*map(self.read, rest[1:]))
        if letter == "e":
            return _RAISED.get(rest[0], HostError)(rest[1])
        if letter == "o":
            return self._item(rest[0])
        return _COLLECTIONS[letter](map(self.read, rest))


_COLLECTIONS: Dict[str, Any] = {"t": tuple, "l": list, "s": set, "f": frozenset, "d": dict}


def _question(name: str, given: Any) -> str:
    return name if given is None else json.dumps([name, *given])


def _answered(values: _Values, answer: Any) -> Any:
    found = values.read(answer)
    if isinstance(found, _ERRORS):
        raise found
    return found


class Recorder:
    """`process` asks ANOTHER once and keeps what it answers; of memory and files, whole pages."""

    def __init__(self, another: interface.Process) -> None:
        self._memory: Dict[int, bytes] = {}
        self._files: Dict[str, Dict[str, Any]] = {}
        self._objects: List[Tuple[Any, Item, Dict[str, Any]]] = []
        self._numbers: Dict[Any, int] = {}
        self._values = _Values(self._number_of, lambda number: self._objects[number][1])
        recorder = self

        class Process(_Process):
            """The one that is recorded."""

            def read(self, address: int, size: int) -> bytes:
                return recorder.read(address, size)

            def opened(self, path: str) -> Any:
                return _Copied(another.opened(path), recorder.blocks(path))

            def selection_kept(self) -> Any:
                return another.selection_kept()

        self._another = another
        self.process: interface.Process = self._add(another, Process)

    def _add(self, real: Any, kind: Any) -> Any:
        item = kind()
        item.number, item.ask = len(self._objects), self._ask
        self._objects.append((real, item, {}))
        item.process = self._objects[0][1]
        self._numbers[self._key_of(real)] = item.number
        return item

    @staticmethod
    def _key_of(real: Any) -> Any:
        try:
            hash(real)
        except TypeError:
            debug.ignored()
            return id(real)
        return type(real), real

    def _number_of(self, real: Any) -> int:
        if isinstance(real, Item):
            return real.number
        found = self._numbers.get(self._key_of(real))
        if found is not None:
            return found
        kind = next((kind for kind in _KINDS if isinstance(real, kind)),
                    Thread if hasattr(real, "ptid") else Key)
        return int(self._add(real, _CLASSES[kind.__name__]).number)

    def _real(self, given: Any) -> Any:
        if isinstance(given, Item):
            return self._objects[given.number][0]
        return [self._real(one) for one in given] if isinstance(given, (list, tuple)) else given

    def _ask(self, item: Item, name: str, given: Optional[Tuple[Any, ...]]) -> Any:
        real, _, answers = self._objects[item.number]
        question = _question(name, None if given is None else map(self._values.write, given))
        if question in answers:
            return _answered(self._values, answers[question])
        found: Any
        try:
            found = getattr(real, name)
            if name == "image_files":
                found = found(lambda _: True)
            elif given is not None:
                found = found(*map(self._real, given))
        except _ERRORS as error:
            answers[question] = self._values.write(error)
            raise
        answers[question] = self._values.write(found)
        return self._values.read(answers[question])

    def read(self, address: int, size: int) -> bytes:
        found = self._another.read(address, size)
        for page in range(address - address % _PAGE, address + size, _PAGE):
            if page not in self._memory:
                try:
                    self._memory[page] = self._another.read(page, _PAGE)
                except HostError:
                    debug.ignored()
                    low, high = max(page, address), min(page + _PAGE, address + size)
                    self._memory[low] = max(self._memory.get(low, b""),
                                            found[low - address:high - address], key=len)
        return found

    def blocks(self, path: str) -> Dict[str, Any]:
        return self._files.setdefault(path, {"size": 0, "blocks": {}})

    def content(self, texts: Dict[str, str]) -> bytes:
        """That of a file, with TEXTS of sources, by their paths."""
        return lzma.compress(json.dumps({
            "memory": {address: data.hex() for address, data in sorted(self._memory.items())},
            "files": self._files, "texts": texts,
            "objects": [{"kind": _kind_of(item), "answers": answers}
                        for _, item, answers in self._objects]}).encode())


def _kind_of(item: Item) -> str:
    return type(item).__name__


class _Copied(io.RawIOBase):
    """A file, what is read of which goes into BLOCKS."""

    def __init__(self, stream: Any, blocks: Dict[str, Any]) -> None:
        super().__init__()
        self._stream, self._blocks = stream, blocks
        blocks["size"] = stream.seek(0, io.SEEK_END)
        stream.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def read(self, size: int = -1) -> bytes:
        start = self._stream.tell()
        found: bytes = self._stream.read(size)
        for offset in range(start - start % _PAGE, start + len(found), _PAGE):
            if str(offset) not in self._blocks["blocks"]:
                self._stream.seek(offset)
                self._blocks["blocks"][str(offset)] = self._stream.read(_PAGE).hex()
        self._stream.seek(start + len(found))
        return found

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Played(io.RawIOBase):
    """A file of which BLOCKS are known."""

    def __init__(self, blocks: Dict[str, Any]) -> None:
        super().__init__()
        self._blocks, self._at = blocks, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._blocks["size"])[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._blocks["size"] if size < 0 else min(self._at + size, self._blocks["size"])
        found = b""
        for offset in range(self._at - self._at % _PAGE, end, _PAGE):
            if str(offset) not in self._blocks["blocks"]:
                raise OSError("not recorded")
            found += bytes.fromhex(self._blocks["blocks"][str(offset)])
        skipped = self._at % _PAGE
        found = found[skipped:skipped + max(0, end - self._at)]
        self._at += len(found)
        return found


class Recording(_Process):
    """The Process of the CONTENT of a file; ValueError of one that is none."""

    def __init__(self, content: bytes) -> None:
        found = json.loads(lzma.LZMADecompressor().decompress(content, _LARGEST))
        self._memory = {int(at): bytes.fromhex(data) for at, data in found["memory"].items()}
        self._files, self.texts = found["files"], found["texts"]
        self._rows = found["objects"]
        self._items: Dict[int, Any] = {0: self}
        self._values = _Values(lambda item: int(item.number), self._item)
        self.number, self.ask = 0, self._answer

    def _item(self, number: int) -> Any:
        if number not in self._items:
            item = self._items[number] = _CLASSES[self._rows[number]["kind"]]()
            item.process, item.number, item.ask = self, number, self._answer
        return self._items[number]

    def _answer(self, item: Item, name: str, given: Optional[Tuple[Any, ...]]) -> Any:
        question = _question(name, None if given is None else map(self._values.write, given))
        answers = self._rows[item.number]["answers"]
        if question not in answers:
            raise HostError("%s is not recorded" % question)
        return _answered(self._values, answers[question])

    def read(self, address: int, size: int) -> bytes:
        found = b""
        while len(found) < size:
            at = address + len(found)
            page = at - at % _PAGE
            known = self._memory.get(at, self._memory.get(page, b"")[at - page:])
            if not known:
                raise Unreadable("no memory at %#x" % at)
            found += known
        return found[:size]

    def opened(self, path: str) -> Any:
        if path not in self._files:
            raise OSError("%s is not recorded" % path)
        return _Played(self._files[path])

    @staticmethod
    def selection_kept() -> Any:
        return contextlib.nullcontext()

    @property
    def questions(self) -> Dict[str, Any]:
        """{question: what was answered} about the process itself."""
        return dict(self._rows[0]["answers"])
