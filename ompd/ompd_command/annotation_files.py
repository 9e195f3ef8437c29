# SPDX-License-Identifier: MIT
"""What `ompd run -junit FILE -sarif FILE` write: the verdict as a test case that has failed, and as the
result of an analysis, at lines of the source, as runners of jobs show them."""

from __future__ import annotations

import html
import json
import os
import re
import time

from openmp_inspect.core import build, escaped, whole_file
from openmp_inspect.core.errors import Unwritable
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from ompd_command import process_report
from ompd_command.shell_screen import complain

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from ompd_command.job_log import Hang
    from ompd_command.watchdog_options import Files

_ROOTS = "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"  # where runners have the sources
_MOST_PLACES = 8  # of a verdict
_MOST_RESULTS = 64
_LEVELS = "note", "warning", "error", "error"  # by certainty
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class _Place(NamedTuple):
    file: str  # below the sources, or absolute
    line: int
    function: str


def write(files: Files, program: str, seconds: float, why: str, hangs: Dict[int, Hang]) -> None:
    """Of a PROGRAM that took so many SECONDS, WHY it is reported, "": it is not, and what was found of
    each process."""
    try:
        if files.junit is not None:
            whole_file.write(files.junit, _junit(program, seconds, why, list(hangs.values())))
        if files.sarif is not None:
            whole_file.write(files.sarif, json.dumps(_sarif(why, list(hangs.values())), indent=1) + "\n")
    except Unwritable as error:
        complain(str(error))


def _junit(program: str, seconds: float, why: str, hangs: List[Hang]) -> str:
    verdict = hangs[0].facts["verdicts"][0] if hangs else {"kind": "hang"}
    places = _places(verdict)[:1]
    case = {"classname": os.path.basename(program), "name": _case(verdict), "time": "%.3f" % seconds}
    case.update(("file", one.file) for one in places)
    case.update(("line", "%d" % one.line) for one in places)
    said = [line for hang in hangs for line in ("", *hang.facts["lines"])][1:]
    failure = "" if not why else "   <failure%s>%s</failure>\n" % (_attributes({
        "message": ": ".join(["%s:%d" % (one.file, one.line) for one in places] +
                             [_message(verdict) or why]),
        "type": verdict["kind"]}), html.escape("\n".join([why, *said])))
    suite = {"name": "ompd run", "tests": "1", "failures": "%d" % bool(why), "errors": "0", "skipped": "0",
             "time": case["time"], "hostname": os.uname().nodename,
             "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())}
    return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n <testsuite%s>\n  <testcase%s>\n%s' \
        "  </testcase>\n </testsuite>\n</testsuites>\n" % (_attributes(suite), _attributes(case), failure)


def _attributes(values: Dict[str, str]) -> str:
    return "".join(' %s="%s"' % (name, html.escape(escaped.shown(value)))
                   for name, value in values.items())


def _case(verdict: Dict[str, Any]) -> str:
    return "crash" if verdict["kind"] == "crash" else "hang"


def _message(verdict: Dict[str, Any]) -> str:
    words = [verdict.get(name) for name in ("sentence", "cause")]
    return "; cause: ".join(escaped.shown(word) for word in words if word)


def _places(verdict: Dict[str, Any]) -> List[_Place]:
    """Lines of the source that it is about, each once: where threads have crashed, work or wait, and where
    they have acquired what others wait for."""
    found = [*verdict.get("at", ()), *verdict.get("links", ()),
             *(one.get("since") or {} for one in verdict.get("holds", ()))]
    places = {(part["file"], part["line"]): _Place(_path(part), part["line"], part.get("function") or "?")
              for part in reversed(found) if part.get("file") and part.get("line")}
    return list(reversed(places.values()))[:_MOST_PLACES]


def _path(part: Dict[str, Any]) -> str:
    path: str = part.get("fullname") or part["file"]
    root = next(filter(None, map(os.environ.get, _ROOTS)), os.getcwd())
    below = os.path.relpath(path, root) if os.path.isabs(path) else path
    return path if below.startswith("..") else below


def _sarif(why: str, hangs: List[Hang]) -> Dict[str, Any]:
    verdicts = [hang.facts["verdicts"][0] for hang in hangs] if why else []
    rules = sorted({verdict["id"] for verdict in verdicts})
    results = {json.dumps(result): result for result in map(_result, verdicts)}  # equal ones once
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "ompd", "version": build.VERSION, "rules": [
            {"id": rule} for rule in rules]}},
        "results": list(results.values())[:_MOST_RESULTS]}]}


def _result(verdict: Dict[str, Any]) -> Dict[str, Any]:
    places = [{"physicalLocation": {"artifactLocation": {"uri": _uri(one.file)},
                                    "region": {"startLine": one.line}},
               "message": {"text": escaped.shown(one.function)}} for one in _places(verdict)]
    level = _LEVELS[process_report.CERTAINTIES.index(verdict["certainty"])]
    return {"ruleId": verdict["id"], "level": level, "message": {"text": _message(verdict)},
            "locations": places[:1], "relatedLocations": places[1:]}


def _uri(path: str) -> str:
    quoted = re.sub(rb"[^\w/.~-]", lambda sign: b"%%%02X" % ord(sign.group()), os.fsencode(path)).decode()
    return "file://" + quoted if os.path.isabs(path) else quoted
