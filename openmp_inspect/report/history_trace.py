# SPDX-License-Identifier: MIT
"""What threads did last in the Trace Event format, which Perfetto and Chrome open: "ompd history -trace"."""

from __future__ import annotations

from openmp_inspect.core import json_output, text, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import history_list

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, Iterator, List, Optional, Sequence
    from openmp_inspect.bindings.spaces import Space

    Facts = Dict[str, Any]


def write(events: Sequence[Facts], path: str) -> List[str]:
    """Writes what history_list.facts() has found to PATH, or UserError; a line that says so."""
    whole_file.write(path, json_output.text({"traceEvents": list(_events(events))}))
    return ["The trace is in %s." % text.style("filename", path)]


def written(here: Space, threads: Optional[Collection[int]], last: Optional[str], path: str) -> List[str]:
    """The same of the LAST events of THREADS, as history_list has them."""
    return write(history_list.facts(here, threads, history_list.most(last, history_list.EVERY)), path)


def _events(events: Sequence[Facts]) -> Iterator[Facts]:
    """Times are in microseconds, from the first event on."""
    known = [event for event in events if event["seconds"] is not None]
    first = min((event["seconds"] for event in known), default=0.0)
    for thread in sorted({event["thread"] for event in known}):
        yield {"ph": "M", "name": "thread_name", "pid": 1, "tid": thread,
               "args": {"name": "thread %s" % text.thread(thread)}}
    for event in known:
        # What is not over has lasted until 0 s, which is the stop, or in a core the last event.
        waited = -event["seconds"] if event["open"] else event["waited_seconds"]
        yield {"name": event["words"], "cat": event["event"] or "unknown", "pid": 1,
               "tid": event["thread"], "ts": round((event["seconds"] - first) * 1e6, 3),
               **({"ph": "i", "s": "t"} if waited is None else
                  {"ph": "X", "dur": round(waited * 1e6, 3)}),
               "args": {name: event[name] for name in ("function", "file", "line", "address", "open")
                        if event[name] is not None}}
