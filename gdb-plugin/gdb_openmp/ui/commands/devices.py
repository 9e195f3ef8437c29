# SPDX-License-Identifier: MIT
"""ompd devices"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import device_list
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace


class Command(options.Command):
    """List the devices that target regions can be executed on.

Usage: ompd devices [-json]

One line for each device but the host: its number in the device clause, what
its plugin calls it, how much of the host's memory it has copies of, and the
library that drives it. Known of libgomp from GCC 10 to 16, and of LLVM's
libomptarget 14 and 19, on x86-64.

  -json  an array of objects with the keys device, runtime (its number in
         "ompd status"), name, state, default (whether it is the default device
         of a task that a thread executes), ranges, bytes, plugin; null is what
         is not known"""

    name = "ompd devices"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        session.need_program()
        return device_list.facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        console.write("\n".join(device_list.lines()) + "\n")
