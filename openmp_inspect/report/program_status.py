# SPDX-License-Identifier: MIT
"""Runtimes, library, and whether the program records: "ompd status"."""

from __future__ import annotations

from openmp_inspect.core import errors, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.code import code_owner, image_symbols
from openmp_inspect.analysis import thread_table, verdicts
from openmp_inspect.report import explanations, node_words, why_text

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Union
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.query import RuntimeFacts

    Rows = List[List[str]]  # name, words and perhaps the path that they end with, all as they are

_TOOLS = {"ompt": "one inside the program is served: OMPT of OpenMP 5.x",
          "ompt_2": "one inside the program is served: OMPT of the 2016 report",
          "runtime": "the runtime serves tools by itself; the hooks leave them to it"}


def facts(rows: Rows) -> Dict[str, Union[str, List[str]]]:
    """An object with the names as keys."""
    answer: Dict[str, Union[str, List[str]]] = {}
    last = ""
    for name, *words in rows:
        value = "".join(words)
        if name:
            answer[name], last = value, name
        else:
            before = answer[last]
            answer[last] = (before if isinstance(before, list) else [before]) + [value]
    return answer


def lines(rows: Rows) -> List[str]:
    """The table."""
    return text.fitted([[name, words + "".join(
        text.style("filename", escaped.shown(one)) for one in path)] for name, words, *path in rows])


def rows(here: Space) -> Rows:
    """What there is to say of a process or core."""
    found, result = [_runtime(here.process)], [_hooks(here.process)]
    opened = None
    try:
        opened = here.session
        result += [["library", "", opened.library.path],
                 ["", opened.dialect.version_string()], ["ABI", opened.dialect.name]]
        with Snapshot.of(here) as snapshot:
            found = _runtimes(here.process, snapshot.runtimes) or found
            verdict = verdicts.unasked(snapshot, lambda: thread_table.all_rows(snapshot.space, snapshot))
            if not snapshot.recorded:
                result += [["tracking", "off: threads, teams, tasks and ICVs are known; ~ is "
                          "inferred from stacks"]] if snapshot.unread is None else [
                    ["tracking", "off"], ["", explanations.sentence(here.process, snapshot.unread)]]
            elif snapshot.tracking:
                result.append(["tracking", "on"])
                tool = _TOOLS.get(snapshot.tool() or "")
                if tool is not None:
                    result.append(["tool", tool])
            else:
                result += [["tracking", "off"], ["", explanations.sentence(
                    here.process, errors.OmpdError("needs_state_tracking", ""))]]
            result += [["damaged", one] for one in explanations.damage(snapshot)]
            if verdict is not None:
                result.append(["verdict", why_text.summary(verdict)])
    except errors.NoLibrary as error:
        result += [["library", "none"], ["", str(error)]]
    except errors.OmpdError as error:
        name = "tracking" if opened else "library"
        result.append(["" if result[-1][0] == name else name, explanations.sentence(here.process, error)])
    except errors.HostError as error:
        result.append(["library", explanations.sentence(here.process, error)])
    return found + result + [["unread", one] for one in
                             here.process.unread_debug_information()]


_RECORDED = {"yes": "recorded", "no_hooks": "not recorded",
             "other": "not recorded: it does not report to the hooks",
             "off": "not recorded: the hooks are off",
             "not_called": "not recorded: nothing has called it by way of the hooks"}


def _runtimes(process: Process, found: Sequence[RuntimeFacts]) -> List[List[str]]:
    rows: List[List[str]] = []
    for one in found:
        words = [node_words.runtime(process, one)]
        if one.threads is not None:
            words.append("1 thread" if one.threads == 1 else "%d threads" % one.threads)
        if len(found) > 1 and one.recorded in _RECORDED:
            words.append(_RECORDED[one.recorded])
        lead = "" if rows else "runtime"
        if one.file:
            rows.append([lead, ", ".join(words) + ", ", one.file])
        else:
            path = _library(process, one.kind) if one.file is None else None
            rows.append([lead, ", ".join(words) + ", ", path] if path else
                        [lead, ", ".join(words + ["linked into the program"])])
    return rows


def _library(process: Process, kind: Optional[str]) -> Optional[str]:
    """The path of a loaded library that is a runtime of this KIND, or None."""
    found = code_owner.runtimes(process)
    files = {"libgomp": found.gomp, "libomp": found.kmp}.get(kind or "", set())
    return min((file for file in files if file is not None), default=None)


def _runtime(process: Process) -> List[str]:
    for kind, words in node_words.RUNTIMES.items():
        path = _library(process, kind)
        if path is not None:
            return ["runtime", words + ", ", path]
    return ["runtime", "linked into the program" if code_owner.has_runtime(process) else "none"]


def _hooks(process: Process) -> List[str]:
    path = next(iter(code_owner.runtimes(process).hooks), None)
    if path is None and image_symbols.is_static(process):
        return ["hooks", "none can be preloaded: the program is linked statically"]
    return ["hooks", "", path] if path else ["hooks", "not loaded"]
