# SPDX-License-Identifier: MIT
"""ompd mappings"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import mapping_list
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional
    from types import SimpleNamespace


class Command(options.Command):
    """List what is mapped to devices.

Usage: ompd mappings [-device N] [-json] [ADDRESS | NAME]

One line for each range of the host's memory of which a device has a copy:
its first address and that of the copy, how often it is mapped ("for ever":
that is not counted), the variable that begins there, and, in programs of
clang -g, where that is declared. Which of two copies is newer is not known.

  -device N      only what is mapped to that device
  -json          an array of objects with the keys device, runtime, host,
                 bytes, address, references, held, forever, variable, file,
                 line; null is what is not known
  ADDRESS, NAME  only the range with that address, or the variable"""

    name = "ompd mappings"
    flags = ("json",)
    values = ("device",)
    takes = 1

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        session.need_program()
        return mapping_list.facts(given.device, _wanted(given))

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        console.write("\n".join(mapping_list.lines(given.device, _wanted(given))) + "\n")


def _wanted(given: SimpleNamespace) -> Optional[str]:
    return given.words[0] if given.words else None
