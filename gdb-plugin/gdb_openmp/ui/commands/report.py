# SPDX-License-Identifier: MIT
"""ompd report"""

from __future__ import annotations

import gdb

from openmp_inspect.core import screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import rank_environment
from openmp_inspect.report import html_page, page_facts, page_process, why_report
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Optional
    from types import SimpleNamespace


class Command(options.Command):
    """Write a page about the program into a file, for a browser.

Usage: ompd report [-no-source] [-leave-out PARTS] FILE

The page has all verdicts of "ompd why" with the lines of the source that they
name, who waits for whom as a graph, the stacks of all threads as an icicle,
tables of threads and tasks, and what "ompd doctor" finds. It is one file in
HTML, loads nothing, and can be sent and printed. FILE is replaced if there is
one.

  -no-source        without lines of the source
  -leave-out PARTS  without such as command,directory,host"""

    name = "ompd report"
    flags = ("no-source",)
    values = ("leave-out",)
    takes = 1

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        if not given.words:
            raise gdb.GdbError('"ompd report" needs the name of a file to write.')
        session.need_program()
        without = page_process.parts(vars(given)["leave-out"], vars(given)["no-source"])
        with screen.document(), why_report.looked() as why:
            facts = page_facts.facts(why, dict(why.facts(), **rank_environment.facts()),
                                     without)
        path = given.words[0]
        html_page.write(facts, path)
        console.write("The page is in %s.\n" % text.style("filename", path))

    def complete(self, _text: str, _word: Optional[str]) -> Any:
        return gdb.COMPLETE_FILENAME
