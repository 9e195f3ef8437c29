# SPDX-License-Identifier: MIT
"""ompd status"""

from __future__ import annotations

import gdb

from openmp_inspect.core import errors, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner
from openmp_inspect.analysis import thread_table, verdicts
from gdb_openmp.host import images, options
from gdb_openmp.program import address_space
from gdb_openmp.ui import explanations, preload, session, why_text

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Union
    from types import SimpleNamespace
    from openmp_inspect.bindings.query import RuntimeFacts


class Command(options.Command):
    """Show runtime, library, and whether the program records.

Usage: ompd status [-json]

Of several runtimes each is listed, with how many threads have used it and
whether what it does is recorded. What is missing to see everything is said in
the last line.

  -json  an object with the keys of the lines, of which each has a text or an
         array of texts: runtime, hooks, library, ABI, tracking, tool,
         verdict, next run"""

    name = "ompd status"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> Dict[str, Union[str, List[str]]]:
        return _facts(_rows())

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        rows = [[name, escaped.lines(words) + "".join(
            text.style("filename", escaped.shown(one)) for one in path)]
                for name, words, *path in _rows()]
        gdb.write("\n".join(text.fitted(rows)) + "\n")


_TOOLS = {"ompt": "one inside the program is served: OMPT of OpenMP 5.x",
          "ompt_2": "one inside the program is served: OMPT of the 2016 report",
          "runtime": "the runtime serves tools by itself; the hooks leave them to it"}


def _facts(rows: Sequence[Sequence[str]]) -> Dict[str, Union[str, List[str]]]:
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


def _rows() -> List[List[str]]:
    """[name, words and perhaps the path that they end with], all as they are."""
    prepared = preload.prepared()
    next_run = ["next run", "with hooks and tracking (ompd on)" if prepared
                else 'as it is; "ompd on" adds hooks and tracking']
    try:
        inferior = session.need_program()
    except gdb.GdbError as error:
        return [["program", str(error)], next_run]
    found, rows = [_runtime()], [_hooks()]
    opened = None
    try:
        opened = address_space.current().session
        rows += [["library", "", opened.library.path],
                 ["", opened.dialect.version_string()], ["ABI", opened.dialect.name]]
        with session.snapshot() as snapshot:
            found = _runtimes(snapshot.runtimes) or found
            if not snapshot.recorded:
                rows.append(["tracking", "off: threads, teams, tasks and ICVs are known; ~ is "
                             "inferred from stacks"])
                if snapshot.unread is not None:
                    rows.append(["", explanations.sentence(snapshot.unread)])
            elif snapshot.tracking:
                rows.append(["tracking", "on"])
                tool = _TOOLS.get(snapshot.tool() or "")
                if tool is not None:
                    rows.append(["tool", tool])
            else:
                rows += [["tracking", "off"], ["", explanations.sentence(
                    errors.OmpdError("needs_state_tracking", ""))]]
            verdict = verdicts.unasked(snapshot, thread_table.all_rows(snapshot)) \
                if session.offers_verdicts() else None
            if verdict is not None:
                rows.append(["verdict", why_text.summary(verdict)])
    except errors.NoLibrary as error:
        rows += [["library", "none"], ["", str(error)]]
    except errors.OmpdError as error:
        name = "tracking" if opened else "library"
        rows.append(["" if rows[-1][0] == name else name, explanations.sentence(error)])
    except errors.HostError as error:
        rows.append(["library", explanations.sentence(error)])
    ours = not code_owner.foreign_runtime() and not inferior.was_attached and \
        not images.is_static()
    if not prepared and ours and ["tracking", "on"] not in rows:
        rows.append(next_run)
    return found + rows


_KINDS = {"libgomp": "GCC libgomp", "libomp": "LLVM libomp"}
_RECORDED = {"yes": "recorded", "no_hooks": "not recorded",
             "other": "not recorded: the hooks are for libgomp",
             "off": "not recorded: the hooks are off",
             "not_called": "not recorded: nothing has called it by way of the hooks"}


def _runtimes(found: Sequence[RuntimeFacts]) -> List[List[str]]:
    rows: List[List[str]] = []
    for one in found:
        words = [_KINDS.get(one.kind or "", "?") + _version(one)]
        if one.threads is not None:
            words.append("1 thread" if one.threads == 1 else "%d threads" % one.threads)
        if len(found) > 1 and one.recorded in _RECORDED:
            words.append(_RECORDED[one.recorded])
        lead = "" if rows else "runtime"
        if one.file:
            rows.append([lead, ", ".join(words) + ", ", one.file])
        else:
            path = _library(one.kind) if one.file is None else None
            rows.append([lead, ", ".join(words) + ", ", path] if path else
                        [lead, ", ".join(words + ["linked into the program"])])
    return rows


def _version(one: RuntimeFacts) -> str:
    if one.first_version is None:
        return "" if one.kind == "libomp" else " of another version than this library knows"
    if one.first_version == one.last_version:
        return " %d" % one.first_version
    return " %s to %s" % (one.first_version, one.last_version)


def _library(kind: Optional[str]) -> Optional[str]:
    """The path of a loaded library that is a runtime of this KIND, or None."""
    found = code_owner.runtimes()
    files = {"libgomp": found.gomp, "libomp": found.kmp}.get(kind or "", set())
    return min((file for file in files if file is not None), default=None)


def _runtime() -> List[str]:
    for kind, words in _KINDS.items():
        path = _library(kind)
        if path is not None:
            return ["runtime", words + ", ", path]
    return ["runtime", "linked into the program" if code_owner.has_runtime() else "none"]


def _hooks() -> List[str]:
    path = next(iter(code_owner.runtimes().hooks), None)
    if path is None and images.is_static():
        return ["hooks", "none can be preloaded: the program is linked statically"]
    return ["hooks", "", path] if path else ["hooks", "not loaded"]
