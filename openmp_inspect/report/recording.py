# SPDX-License-Identifier: MIT
"""Stacks of many moments as files that others draw: collapsed stacks for flame graphs, speedscope's format,
and the Trace Event format, which Perfetto and Chrome open. Of numbers and names alone: nothing here asks a
process."""

from __future__ import annotations

import collections
import itertools

from openmp_inspect.core import escaped, json_output
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Counter, Dict, Iterator, List, Sequence, Tuple

    Stack = Tuple[str, ...]

_MOST_SAMPLES, _DEEPEST = 1 << 18, 1 << 12  # stacks of threads; steps
_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_NONE = -1  # a thread that was not there
WAITS = "<waits", "<idle"  # how steps begin that are


class Recording:
    """`left_out`: moments for which there was no room."""

    def __init__(self) -> None:
        self._numbers: Dict[Stack, int] = {}
        self._times: List[float] = []
        self._threads: Dict[int, List[int]] = {}  # by thread: the number of its stack at each moment
        self._names: Dict[int, str] = {}
        self.samples = self.left_out = 0

    def add(self, at: float, threads: Sequence[Tuple[int, str, Sequence[str]]]) -> None:
        """What stack_samples.py has found at a time in seconds; ValueError or TypeError of what is none."""
        found = [(int(number), str(path), tuple(map(str, steps[:_DEEPEST])))
                 for number, path, steps in threads]
        if self.samples + len(found) > _MOST_SAMPLES:
            self.left_out += 1
            return
        self.samples += len(found)
        self._times.append(float(at))
        for number, path, steps in found:
            self._names[number] = "thread %d" % number + (" (%s)" % path if path else "")
            known = self._threads.setdefault(number, [])
            known += [_NONE] * (len(self._times) - 1 - len(known))
            known.append(self._numbers.setdefault(steps, len(self._numbers)))

    @property
    def moments(self) -> int:
        return len(self._times)

    def _weights(self) -> List[float]:
        """For how long each moment stands: until the next one."""
        found = [after - before for before, after in zip(self._times, self._times[1:])]
        return found + [sum(found) / len(found) if found else 1.0] * bool(self._times)

    def stacks(self) -> List[Tuple[Stack, int]]:
        """Each one, and in how many samples it was."""
        counts: Counter[int] = collections.Counter(
            itertools.chain.from_iterable(self._threads.values()))
        return [(steps, counts[number]) for steps, number in self._numbers.items() if steps]

    def waits(self) -> List[Dict[str, Any]]:
        """Those of each thread, as history_list.facts() has events; 0 s is the end."""
        end = sum(self._weights()) * 1e6
        return [{"thread": one["tid"], "seconds": (one["ts"] - end) / 1e6, "waited_seconds": one["dur"] / 1e6,
                 "open": False, "words": one["name"][1:-1], "function": None, "file": None, "line": None}
                for thread, of_thread in sorted(self._threads.items())
                for one in self._slices(thread, of_thread)
                if one["ph"] == "X" and one["name"].startswith(WAITS)]

    def collapsed(self) -> str:
        """A line for each stack: its steps, and in how many samples it was."""
        return "".join("%s %d\n" % (";".join(escaped.shown(step).replace(";", ",") for step in steps), count)
                       for steps, count in self.stacks())

    def speedscope(self) -> str:
        """A profile for each thread."""
        frames = {step: at for at, step in enumerate(dict.fromkeys(
            itertools.chain.from_iterable(self._numbers)))}
        stacks = [[frames[step] for step in steps] for steps in self._numbers]
        weights = self._weights()
        return json_output.text({
            "$schema": _SCHEMA, "exporter": "ompd", "shared": {"frames": [{"name": step} for step in frames]},
            "profiles": [{"type": "sampled", "name": self._names[thread], "unit": "seconds", "startValue": 0,
                          "endValue": round(sum(weights), 6),
                          "samples": [[] if one == _NONE else stacks[one] for one in of_thread],
                          "weights": [round(one, 6) for one in weights[:len(of_thread)]]}
                         for thread, of_thread in sorted(self._threads.items())]})

    def trace(self) -> str:
        """Each step as a slice for as long as the same thread is seen in it, and in what is around it."""
        return json_output.text({"traceEvents": [event for thread, of_thread in sorted(self._threads.items())
                                                 for event in self._slices(thread, of_thread)]})

    def _slices(self, thread: int, of_thread: Sequence[int]) -> Iterator[Dict[str, Any]]:
        stacks = list(self._numbers)
        yield {"ph": "M", "name": "thread_name", "pid": 1, "tid": thread,
               "args": {"name": self._names[thread]}}
        begun: List[Tuple[str, float]] = []  # the steps it is in, and since when
        now = 0.0
        for one, weight in zip([*of_thread, _NONE], [*self._weights()[:len(of_thread)], 0.0]):
            steps = () if one == _NONE else stacks[one]
            same = len(list(itertools.takewhile(
                lambda pair: pair[0][0] == pair[1], zip(begun, steps))))
            for step, since in reversed(begun[same:]):
                yield {"ph": "X", "name": step, "pid": 1, "tid": thread, "ts": round(since * 1e6, 1),
                       "dur": round((now - since) * 1e6, 1)}
            begun[same:] = [(step, now) for step in steps[same:]]
            now += weight


FORMS: Dict[str, Callable[[Recording], str]] = {
    "collapsed": Recording.collapsed, "speedscope": Recording.speedscope, "trace": Recording.trace}
ENDINGS = {"collapsed": ".collapsed", "speedscope": ".speedscope.json", "trace": ".trace.json"}
