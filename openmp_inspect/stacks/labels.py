# SPDX-License-Identifier: MIT
"""Constructs in the programmer's words, for the lines between frames.

The directive is read from the source, where it has one of the kind that the runtime saw;
else it is named after the function of the runtime that the program called.
"""

from __future__ import annotations

import re

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, text
from openmp_inspect.core.text import sign
from openmp_inspect.source import directives
from openmp_inspect.source.directives import sentinel
from openmp_inspect.code import entry_points, symbol_names
from openmp_inspect.code.places import Place

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.source.directives import Opening
    from openmp_inspect.stacks.labelled_stack import Label


def inside(entry: str, file: Optional[Text]) -> str:
    """What a thread is at that is inside this function of the runtime."""
    known = entry_points.find(entry)
    if known is None or known.construct is None:
        return entry
    if known.construct == "barrier":
        return "a barrier"  # an explicit one, or one that the end of a construct implies
    words = worded(known.construct, file)
    # What is said of regions says whether they end.
    return "end of " + words if known.part == "end" and not entry_points.is_region(entry) \
        else words


def worded(construct: str, file: Optional[Text]) -> str:
    """A directive by its words in the table of entry points, in the language of a file."""
    words = re.sub(r"\bfor\b", "do", construct) if directives.is_fortran(file) else construct
    return "%s %s" % (sentinel(file), words)


def region(process: Process, entry: Optional[str], place: Optional[Place],
           path: Optional[str] = None) -> Tuple[str, Optional[Place]]:
    """(words, Place) of the directive of a region whose body begins at PLACE; PATH is where its
    source is."""
    words, at = _directive(process, "region", entry, place, path)
    if words is not None:
        return words, at
    file = None if place is None else place.file
    if entry is not None and entry_points.is_region(entry):
        return inside(entry, file), place
    return worded("parallel", file), place


def target(process: Process, place: Place, path: Optional[str],
           device: str) -> Tuple[str, Dict[str, int], Place]:
    """(words, facts, Place) of the directive of a target region whose body begins at PLACE, likewise, for
    a DEVICE as of_device() has it."""
    words, at = _directive(process, "target", None, place, path)
    return (words or worded("target", place.file)) + device, {}, at or place


def of_device(number: Optional[int]) -> str:
    """What follows the words of a target region."""
    return "" if number is None else " (device %d)" % number


def task(process: Process, entry: Optional[str], place: Optional[Place],
         path: Optional[str] = None) -> Tuple[Optional[str], Optional[Place]]:
    """The same of a task. The words are None for one that cannot be distinguished from one of a
    taskloop."""
    words, at = _directive(process, "task", entry, place, path)
    if words is None and entry is not None and entry_points.makes_task(entry):
        words = inside(entry, None if place is None else place.file)
    return words, at


def _directive(process: Process, kind: str, entry: Optional[str], place: Optional[Place],
               path: Optional[str]) -> Tuple[Optional[str], Optional[Place]]:
    """The same of a body of this kind, as far as its source has it; else None and PLACE."""
    if place is not None and place.file and place.line:
        known = entry_points.find(entry)
        exact = "taskloop" if known is not None and known.construct == "taskloop" else kind
        words, line = _opens(process, path or place.file.raw, place, exact)
        if words:
            return "%s %s" % (sentinel(place.file), " ".join(words)), Place(
                place.process, place.function, place.file, line, place.address)
    return None, place


def _opens(process: Process, path: str, place: Place, kind: str) -> Opening:
    """(leading words, line) of the directive whose body begins at PLACE, as
    directives.above(): of a taskloop also where the first line is another's."""
    found = directives.above(path, place.line or 0, kind)
    if kind == "taskloop" and not found[0] and place.address is not None:
        later = directives.above(path, symbol_names.later_line(process, place.address) or 0, kind)
        return later if later[0] else found
    return found


def of_body(process: Process, words: str, body: int) -> str:
    """For instance "#pragma omp parallel at heat.c:28": the construct with this body, which
    the runtime was called for as WORDS."""
    kind = "taskloop" if words.startswith("taskloop") else \
        "task" if words.startswith("task") else "target" if words.startswith("target") else "region"
    place = Place(process, *symbol_names.function_at(process, body), body)
    file = place.file
    path = symbol_names.source_path(process, body)
    found, line = _opens(process, path or ("" if file is None else file.raw),
                         place, kind)
    result = "%s %s" % (sentinel(file), " ".join(found)) if found else \
        worded(words, file)
    result = escaped.shown(result)
    if file and line:
        result += " at " + text.source_line(file, line)
    return result


def sentence(label: Label) -> str:
    """A labelled_stack.Label with its facts, as `#pragma omp parallel, region 7, thread 2 of
    4`."""
    words = str(label.words)
    facts = label.facts
    if label.kind == "other":  # its words go on with them
        named = ["task %d" % facts["task"]] if "task" in facts else []
        if "thread" in facts:
            named.append("thread %s" % text.thread(facts["thread"]))
        return "%s %s%s" % (words, " of ".join(named), label.more)
    if "region" in facts:
        words += ", region %d" % facts["region"]
    if "task" in facts:
        words += ", task %d" % facts["task"]
    if "thread_num" in facts and "num_threads" in facts:
        words += ", thread %(thread_num)d of %(num_threads)d" % facts
    elif "num_threads" in facts:
        words += ", %(num_threads)d threads" % facts
    if "times" in facts:
        words += sign(" \u00d7%d", " x%d") % facts["times"]
    return words + label.more


def rule() -> str:
    """What a line that is no frame begins with."""
    return sign("\u2500\u2500 ", "-- ")
