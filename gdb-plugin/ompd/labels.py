# SPDX-License-Identifier: MIT
"""Constructs in the programmer's words, for the lines between frames.

The directive is read from the source, where it has one of the kind that the runtime saw;
else it is named after the function of the runtime that the program called.
"""

import re

from ompd import directives, escaped, names, text
from ompd.directives import sentinel
from ompd.frames import Place
from ompd.text import sign

# Function of the runtime -> what a thread inside it is at; the first that matches. %s is
# the sentinel of the language.
_INSIDE = tuple((re.compile(name + r"\Z"), words) for name, words in (
    (r"GOMP_parallel_loop_\w+", "%s parallel {for}"),
    (r"GOMP_parallel_sections(_start)?", "%s parallel sections"),
    (r"GOMP_parallel\w*", "%s parallel"),
    (r"GOMP_teams\w*", "%s teams"),
    (r"GOMP_target\w*", "%s target"),
    (r"GOMP_task", "%s task"),
    (r"GOMP_taskloop\w*", "%s taskloop"),
    (r"GOMP_taskwait\w*", "%s taskwait"),
    (r"GOMP_taskyield", "%s taskyield"),
    (r"GOMP_taskgroup_end", "end of %s taskgroup"),
    (r"GOMP_critical_(name_)?start", "%s critical"),
    (r"GOMP_atomic_start", "%s atomic"),
    (r"GOMP_ordered_start", "%s ordered"),
    (r"GOMP_doacross\w+", "%s ordered depend"),
    (r"GOMP_single\w*", "%s single"),
    (r"GOMP_sections_end(_cancel)?", "end of %s sections"),
    (r"GOMP_sections\w*", "%s sections"),
    (r"GOMP_loop_end(_cancel)?", "end of %s {for}"),
    (r"GOMP_loop\w+", "%s {for}"),
    (r"GOMP_barrier(_cancel)?", "a barrier"),
    (r"omp_(set|test|unset)_(nest_)?lock_?", None),
))


def inside(entry, file):
    """What a thread is at that is inside this function of the runtime."""
    for pattern, words in _INSIDE:
        if pattern.match(entry):
            return _fill(words, file) if words else entry
    return entry


def _fill(words, file):
    fortran = sentinel(file) == "!$omp"
    return words.replace("{for}", "do" if fortran else "for").replace("%s", sentinel(file))


def directive(kind, entry, place, path=None):
    """(words, Place) of the directive of a gap of this kind ("region" or "task") whose body
    begins at PLACE; PATH is where its source is. The words are None for a task that cannot
    be told from one of a taskloop."""
    file = place.file if place is not None else None
    if file and place.line:
        exact = "taskloop" if (entry or "").startswith("GOMP_taskloop") else kind
        words, line = _opens(path or file, place, exact)
        if words:
            return "%s %s" % (sentinel(file), " ".join(words)), Place(
                place.function, place.file, line, place.address)
    if kind == "region":
        if entry and entry.startswith(("GOMP_parallel", "GOMP_teams")):
            return inside(entry, file), place
        return "%s parallel" % sentinel(file), place
    if entry == "GOMP_task" or entry and entry.startswith("GOMP_taskloop"):
        return inside(entry, file), place
    return None, place


def _opens(path, place, kind):
    """(leading words, line) of the directive whose body begins at PLACE, as
    directives.above(): of a taskloop also where the first line is another's."""
    found = directives.above(path, place.line or 0, kind)
    if kind == "taskloop" and not found[0]:
        later = directives.above(path, names.later_line(place.address) or 0, kind)
        return later if later[0] else found
    return found


def of_body(words, body):
    """For instance "#pragma omp parallel at heat.c:28": the construct with this body, which
    the runtime was called for as WORDS."""
    kind = "taskloop" if words.startswith("taskloop") else \
        "task" if words.startswith("task") else "target" if words.startswith("target") else "region"
    place = Place(*names.function_at(body), body)
    file = place.file or ""
    found, line = _opens(names.source_path(body) or file, place, kind)
    result = "%s %s" % (sentinel(file), " ".join(found)) if found else \
        _fill("%s " + re.sub(r"\bfor\b", "{for}", words), file)
    result = escaped.shown(result)
    if file and line:
        result += " at %s:%d" % (text.style("filename", text.file_name(file)), line)
    return result


def rule():
    """What a line that is no frame begins with."""
    return sign("\u2500\u2500 ", "-- ")
