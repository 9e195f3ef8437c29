# SPDX-License-Identifier: MIT
"""ompd status"""

import gdb

from ompd import (environment, errors, escaped, gdbtext, library, options, session, space, target,
                  text, verdicts, whytext)


class Command(options.Command):
    """Show runtime, library, and whether the program records.

Usage: ompd status [-json]

What is missing to see everything is said in the last line.

  -json  an object with the keys of the lines, of which each has a text or an
         array of texts: runtime, hooks, library, ABI, tracking, tool,
         verdict, next run"""

    name = "ompd status"
    flags = ("json",)

    def answer(self, given):
        return _facts(_rows())

    def run(self, given, from_tty):
        rows = [[name, escaped.lines(words) + "".join(
            text.style("filename", escaped.shown(one)) for one in path)]
                for name, words, *path in _rows()]
        gdb.write("\n".join(text.fitted(rows)) + "\n")


_TOOLS = {"ompt": "one inside the program is served: OMPT of OpenMP 5.x",
          "ompt_2": "one inside the program is served: OMPT of the 2016 report",
          "runtime": "the runtime serves tools by itself; the hooks leave them to it"}


def _facts(rows):
    answer, last = {}, None
    for name, *value in rows:
        value = "".join(value)
        if name:
            answer[name], last = value, name
        else:
            before = answer[last]
            answer[last] = (before if isinstance(before, list) else [before]) + [value]
    return answer


def _rows():
    """[name, words and perhaps the path that they end with], all as they are."""
    prepared = environment.prepared()
    next_run = ["next run", "with hooks and tracking (ompd on)" if prepared
                else 'as it is; "ompd on" adds hooks and tracking']
    try:
        inferior = session.need_program()
    except gdb.GdbError as error:
        return [["program", str(error)], next_run]
    rows = [_runtime(), _hooks()]
    opened = None
    try:
        opened = space.current().session
        rows += [["library", "", opened.library.path],
                 ["", opened.dialect.version_string()], ["ABI", opened.dialect.name]]
        with session.snapshot() as snapshot:
            if not snapshot.recorded:
                rows.append(["tracking", "off: threads, teams, tasks and ICVs are known; ~ is "
                             "told from stacks"])
            elif snapshot.tracking:
                rows.append(["tracking", "on"])
                if snapshot.tool() in _TOOLS:
                    rows.append(["tool", _TOOLS[snapshot.tool()]])
            else:
                rows += [["tracking", "off"], ["", errors.sentence(
                    errors.OmpdError("needs_state_tracking", ""))]]
            verdict = verdicts.unasked(inferior, snapshot)
            if verdict is not None:
                rows.append(["verdict", whytext.summary(verdict)])
    except errors.NoLibrary as error:
        rows += [["library", "none"], ["", str(error)]]
    except errors.OmpdError as error:
        rows.append(["tracking" if opened else "library", errors.sentence(error)])
    except gdb.MemoryError:
        rows.append(["library", errors.sentence(errors.OmpdError("target_read_error", ""))])
    ours = not target.foreign_runtime() and not inferior.was_attached and \
        not environment.is_static(gdbtext.file_name(gdb.current_progspace()))
    if not prepared and ours and ["tracking", "on"] not in rows:
        rows.append(next_run)
    return rows


def _runtime():
    path = target.loaded_library(*library.RUNTIMES)
    if path is None:
        return ["runtime", "linked into the program" if library.in_place() else "none"]
    kind = "GCC libgomp" if "libgomp" in path else "LLVM"
    return ["runtime", kind + ", ", path]


def _hooks():
    path = target.loaded_library("libompd-hooks")
    if path is None and environment.is_static(gdbtext.file_name(gdb.current_progspace())):
        return ["hooks", "none can be preloaded: the program is linked statically"]
    return ["hooks", "", path] if path else ["hooks", "not loaded"]
