# SPDX-License-Identifier: MIT
"""ompd status"""

import gdb

from ompd import commands, environment, errors, library, session, space, target, text


class Command(gdb.Command):
    """Show runtime, library, and whether the program records.

Usage: ompd status

What is missing to see everything is said in the last line."""

    def __init__(self):
        super().__init__("ompd status", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        commands.no_arguments("ompd status", argument)
        for line in text.table(_rows()):
            gdb.write(line + "\n")


def _rows():
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
        rows += [["library", text.style("filename", opened.library.path)],
                 ["", opened.dialect.version_string()], ["ABI", opened.dialect.name]]
        with session.snapshot() as snapshot:
            if not snapshot.recorded:
                rows.append(["tracking", "off: threads, teams and levels are known; waits "
                             "(~) are told from stacks"])
            elif snapshot.tracking:
                rows.append(["tracking", "on"])
            else:
                rows += [["tracking", "off"], ["", errors.sentence(
                    errors.OmpdError("needs_state_tracking", ""))]]
    except errors.NoLibrary as error:
        rows += [["library", "none"], ["", str(error)]]
    except errors.OmpdError as error:
        rows.append(["tracking" if opened else "library", errors.sentence(error)])
    except gdb.MemoryError:
        rows.append(["library", errors.sentence(errors.OmpdError("target_read_error", ""))])
    if not prepared and not inferior.was_attached and ["tracking", "on"] not in rows:
        rows.append(next_run)
    return rows


def _runtime():
    path = target.loaded_library(*library.RUNTIMES)
    if path is None:
        return ["runtime", "linked into the program" if library.in_place() else "none"]
    kind = "GCC libgomp" if "libgomp" in path else "LLVM"
    return ["runtime", "%s, %s" % (kind, text.style("filename", path))]


def _hooks():
    path = target.loaded_library("libompd-hooks")
    return ["hooks", text.style("filename", path) if path else "not loaded"]
