# SPDX-License-Identifier: MIT
"""`ompd merge`: what "ompd why -json" has said of any number of processes, as one report."""

from __future__ import annotations

import io
import os
import sys

from openmp_inspect.core import debug, json_output, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import launcher_output, merged_json, merged_page, merged_text, merged_verdicts, progress, \
    report_reader
from ompd_command.shell_screen import complain, say

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, TextIO
    from ompd_command.merged_verdicts import Merged
    from ompd_command.progress import Bar

NO_REPORT, NO_INPUT, CANNOT_CREATE, INCOMPLETE = 65, 66, 73, 75  # exit status, as sysexits.h has them
_POSSIBLE = 9  # what is added to a certainty to be an exit status


def of_objects(found: Iterable[Dict[str, Any]], as_json: bool, page: Optional[str] = None) -> int:
    """Prints what these say, also as the PAGE that is wanted, and returns the exit status."""
    merged = merged_verdicts.Merged()
    for one in found:
        merged_json.add(merged, one)
    return printed(merged, as_json, page)


def of_files(paths: List[str], as_json: bool, page: Optional[str] = None) -> int:
    """The same of files; "-" is standard input."""
    merged = merged_verdicts.Merged()
    status = 0
    with progress.Bar("of the files read", sum(map(_size, paths))) as bar:
        done = 0
        for path in paths:
            try:
                if path == "-":
                    read(merged, io.TextIOWrapper(sys.stdin.buffer, "utf-8", "surrogateescape"),
                          bar, done)
                else:
                    with open(path, encoding="utf-8", errors="surrogateescape") as stream:
                        read(merged, stream, bar, done)
            except (OSError, ValueError) as error:
                status = NO_INPUT
                complain("%s cannot be read: %s." % (
                    path, getattr(error, "strerror", None) or "no such name"))
            done += _size(path)
    if not merged.groups:
        complain('there is no object of "ompd why -json" in %s.' % ", ".join(paths))
        return status or NO_REPORT
    return max(status, printed(merged, as_json, page))


def _size(path: str) -> int:
    """Bytes of a file; 0 of what has no size, like a pipe."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        debug.ignored()
        return 0


def read(merged: Merged, stream: TextIO, bar: Bar, before: int = 0) -> None:
    """BEFORE: bytes of other files that were read."""
    pieces = launcher_output.Pieces(stream)
    reader = report_reader.Reader(pieces)
    seeks = stream.seekable()
    for one in reader:
        merged_json.add(merged, one)
        bar.show(before + (stream.buffer.tell() if seeks else 0))
    merged.skipped += reader.skipped
    merged.cut += max(reader.cut, pieces.cut)


def printed(merged: Merged, as_json: bool, page: Optional[str] = None) -> int:
    """The exit status."""
    try:
        if page:
            merged_page.write(merged, page)
    except UserError as error:
        complain(str(error))
        return CANNOT_CREATE
    if as_json:
        json_output.write_json(merged_json.facts(merged))
    else:
        say(merged_text.lines(merged) + ["The page is in %s." % page] * bool(page))
    if merged.cut:
        complain("reports are cut at %s, as where output of several tasks mixes: use \"srun -l\", "
                 "\"mpirun --tag-output\" or \"ompd why -o DIR\"." % text.count(merged.cut, "place"))
        return INCOMPLETE
    return merged.certainty + _POSSIBLE if merged.certainty else 0
