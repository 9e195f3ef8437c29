# SPDX-License-Identifier: MIT
"""What "set ompd" and "set debug ompd" can change."""

from __future__ import annotations

import os

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Sequence


class _Set(gdb.Command):
    """Change how OpenMP programs are shown."""

    def __init__(self) -> None:
        super().__init__("set ompd", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        if argument:
            raise gdb.GdbError('Undefined set ompd command: "%s".  Try "help set ompd".' %
                               argument)
        gdb.execute("help set ompd", from_tty)


class _Show(gdb.Command):
    """Show the settings for OpenMP programs."""

    def __init__(self) -> None:
        super().__init__("show ompd", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Lists them as gdb does those of its own prefixes."""
        if argument:
            raise gdb.GdbError('Undefined show ompd command: "%s".  Try "help show ompd".' %
                               argument)
        for name in sorted(_parameters):
            console.write("%s:  %s" % (name, gdb.execute("show ompd " + name, to_string=True)))


class _Parameter(gdb.Parameter):
    """The base of these: `says` is what "show" prints of the value."""

    says: str

    def __init__(self, name: str, category: int, kind: int, value: Any,
                 *choices: Sequence[str]) -> None:
        super().__init__(name, category, kind, *choices)
        self.value = value

    def get_set_string(self) -> str:
        """gdb calls this when the value was set."""
        return ""

    def get_show_string(self, svalue: str) -> str:
        return self.says % svalue


class _Backtrace(_Parameter):
    """When on, "bt" leaves out the frames of OpenMP's runtime, says where parallel
regions and tasks begin, and continues a worker's frames with those of the
thread that encountered it. "bt -no-filters" shows all frames once, "bt -full"
the runtime's beneath the frame they belong to, "bt -hide" only the thread's
own frames."""

    set_doc = "Set whether \"bt\" shows the programmer's frames of OpenMP programs."
    show_doc = "Show whether \"bt\" shows the programmer's frames of OpenMP programs."
    says = "The programmer's frames of OpenMP programs are shown by \"bt\": %s."


class _Library(_Parameter):
    """The one OMPD library to load, whatever the program names. Without it a program
that runs on libgomp is read by the library that was installed with this
plugin, and another runtime's library is loaded only from a directory that
"show auto-load safe-path" lists."""

    set_doc = "Set the OMPD library to load."
    show_doc = "Show the OMPD library to load."
    says = "The OMPD library to load is \"%s\"."

    def get_set_string(self) -> str:
        if self.value:
            self.value = os.path.abspath(self.value)
            if not os.path.isfile(self.value):
                return "warning: There is no file %s." % self.value
        return ""


class _Verdicts(_Parameter):
    """When on, "ompd threads" and "ompd status" say in a line when it is certain that the
program makes no progress. "ompd why" says more, and says it in any case."""

    set_doc = "Set whether a verdict that is certain is offered unasked."
    show_doc = "Show whether a verdict that is certain is offered unasked."
    says = "A verdict that is certain is offered unasked: %s."


class _ThreadNames(_Parameter):
    """When on, gdb's names of threads are their OpenMP numbers, with what they wait for,
while the program is stopped: "info threads" and front ends show them. "auto" is
on where a front end talks to gdb. A name that "thread name" has given stays."""

    set_doc = "Set whether threads are named after their OpenMP numbers while stopped."
    show_doc = "Show whether threads are named after their OpenMP numbers while stopped."
    says = "Threads are named after their OpenMP numbers while stopped: %s."

    def get_set_string(self) -> str:
        for changed in _on_thread_names:
            changed()
        return ""


class _Debug(_Parameter):
    """When on, errors that the OpenMP commands put up with are printed,
a line for each: what could not be read, and was shown as not known."""

    set_doc = "Set debugging of the OpenMP commands."
    show_doc = "Show debugging of the OpenMP commands."
    says = "Debugging of the OpenMP commands is %s."

    def get_set_string(self) -> str:
        debug.enabled = self.value
        return ""


_parameters: Dict[str, Any] = {}
_on_thread_names: List[Callable[[], None]] = []  # one function


def backtrace() -> bool:
    return bool(_parameters["backtrace"].value)


def thread_names() -> str:
    """"on", "off" or "auto"."""
    return str(_parameters["thread-names"].value)


def on_thread_names(changed: Callable[[], None]) -> None:
    """CHANGED is called whenever "set ompd thread-names" was."""
    _on_thread_names[:] = [changed]


def library() -> str:
    """The absolute path of the one library to load, or ""."""
    return str(_parameters["library"].value or "")


def install() -> None:
    _Set()
    _Show()
    _parameters.update({
        "backtrace": _Backtrace("ompd backtrace", gdb.COMMAND_STACK, gdb.PARAM_BOOLEAN, True),
        "library": _Library("ompd library", gdb.COMMAND_FILES, gdb.PARAM_OPTIONAL_FILENAME, ""),
        "verdicts": _Verdicts("ompd verdicts", gdb.COMMAND_STATUS, gdb.PARAM_BOOLEAN, True),
        "thread-names": _ThreadNames("ompd thread-names", gdb.COMMAND_STATUS, gdb.PARAM_ENUM,
                                     "auto", ("on", "off", "auto"))})
    _Debug("debug ompd", gdb.COMMAND_MAINTENANCE, gdb.PARAM_BOOLEAN, False)
