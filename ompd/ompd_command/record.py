# SPDX-License-Identifier: MIT
"""`ompd record`: the stacks of a process, again and again, in a file that others draw."""

from __future__ import annotations

import os
import subprocess
import time

from openmp_inspect.core import debug, escaped, json_output, proc_files, text, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import recording, recording_page
from ompd_command import isolation, runtime_search, started
from ompd_command.shell_screen import complain, say

if TYPE_CHECKING:
    from typing import Any, List, Optional

_PAGE = "html"
_ENDINGS = {**recording.ENDINGS, _PAGE: ".html"}
FORMS = tuple(_ENDINGS)
_PAUSE = 0.02  # seconds between questions whether a program has a runtime yet


class Recorder:
    """Of process PID. GIVEN: -o, -format, -duration and -json."""

    def __init__(self, given: Any, pid: int) -> None:
        self._given, self._pid = given, pid
        self._program = proc_files.program(pid)
        self._found = recording.Recording()
        self._until = None if given.duration is None else time.monotonic() + given.duration
        self._stopped = 0.0

    def record(self, ask: isolation.Ask) -> Optional[isolation.Found]:
        """Until it is enough, or there is an answer: then there are no more samples."""
        return isolation.until_enough(ask._replace(heard=self._hear), self._tick)

    def _tick(self) -> None:
        if self._until is not None and time.monotonic() >= self._until:
            raise isolation.Enough

    def _hear(self, said: Any) -> None:
        """What the process that parses has SAID, which may be anything."""
        try:
            at, stopped, threads = said
            self._found.add(at, threads)
            self._stopped = float(stopped)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            debug.ignored()

    def end(self) -> bool:
        """Writes the file; False if there is nothing to write. UserError."""
        if not self._found.moments:
            return False
        form = _form(self._given)
        path = self._given.output or "ompd-%d%s" % (self._pid, _ENDINGS[form])
        whole_file.write(path, recording_page.page(self._found, "%s, process %d" % (
            escaped.shown(os.path.basename(self._program or "?")), self._pid)) if form == _PAGE else
                         recording.FORMS[form](self._found))
        if self._given.json:
            json_output.write_json({"file": path, "format": form, "moments": self._found.moments,
                                    "stacks": self._found.samples, "left_out": self._found.left_out,
                                    "stopped_seconds": self._stopped})
        else:
            say(["%s of %s, stopped for %.0f ms in all, in %s.%s" % (
                text.count(self._found.moments, "look"), text.count(self._found.samples, "stack"),
                1000 * self._stopped, text.style("filename", path),
                " There was no room for %d more." % self._found.left_out if self._found.left_out else "")])
        return True


def _form(given: Any) -> str:
    if given.format is not None:
        return str(given.format)
    found = [form for form, ending in _ENDINGS.items() if (given.output or "").endswith(ending)]
    return found[0] if found else "trace" if (given.output or "").endswith(".json") else "collapsed"


def begun(words: List[str]) -> Optional[subprocess.Popen[bytes]]:
    """A program that records, started by these WORDS, once it has a runtime; None where there is none, or it
    has ended before."""
    if not words:
        complain("record needs a PROGRAM after --.")
        return None
    program = subprocess.Popen(started.command(words))  # pylint: disable=consider-using-with
    while not runtime_search.has_runtime(program.pid):
        if program.poll() is not None:
            complain("%s has ended without OpenMP." % words[0])
            return None
        time.sleep(_PAUSE)
    return program
