# SPDX-License-Identifier: MIT
"""The commands: those that report are rows (reports.py), the others have a module each, which is named
below."""

from __future__ import annotations

import importlib

import gdb

from openmp_inspect.core import install_paths, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import source_file
from openmp_inspect.bindings import spaces
from openmp_inspect.code import library_choice
from gdb_openmp.host import console, gdb_text, images, options, parameters, stop_notices, \
    stop_time
from gdb_openmp.program import address_space
from gdb_openmp.ui import catchpoints, convenience_functions, frame_filter, mi, thread_names
from gdb_openmp.ui.commands import reports

if TYPE_CHECKING:
    from typing import Any, Dict

_MODULES = "on", "off", "thread", "apply", "print", "locals", "step", "next", "finish", "catch"
_installed = False


class Prefix(options.Helpful):
    """Show what an OpenMP program is doing.

Usage: ompd SUBCOMMAND

Begin with "ompd on" before "run", or start the program with ompd-run; then
stop it anywhere, or open its core file, and type "ompd threads"."""

    def __init__(self) -> None:
        super().__init__("ompd", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def act(self, argument: str, from_tty: bool) -> None:
        if argument:
            raise gdb.GdbError('Undefined ompd command: "%s".  Try "help ompd".' % argument)
        gdb.execute("help ompd", from_tty)


def install() -> None:
    """Makes the commands known to gdb; the second time nothing."""
    global _installed
    if _installed:
        return
    # What earlier packages ask later ones.
    spaces.open_by(library_choice.open_session)
    screen.use(console.Screen())
    gdb_text.others_are(lambda: images.others())
    source_file.are_below(lambda: images.root())
    Prefix()
    commands: Dict[str, Any] = {one.row.name: one for one in reports.made()}
    for name in _MODULES:
        module = importlib.import_module("gdb_openmp.ui.commands." + name)
        commands[name] = module.Command()
    mi.install(commands)
    parameters.install()
    frame_filter.install()
    convenience_functions.install()
    for script in install_paths.auto_load_scripts():
        # They would load what is loaded; gdb is not to complain that they are declined.
        gdb.execute("add-auto-load-safe-path " + script, to_string=True)
    address_space.watch()
    stop_notices.watch()
    stop_time.watch()
    catchpoints.watch()
    thread_names.watch()
    stop_notices.watch_last()
    _installed = True
