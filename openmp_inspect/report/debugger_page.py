# SPDX-License-Identifier: MIT
""""ompd report" of a debugger: the page of `ompd why -html`."""

from __future__ import annotations

from openmp_inspect.core import screen, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import rank_environment
from openmp_inspect.report import html_page, page_facts, page_process, why_report

if TYPE_CHECKING:
    from openmp_inspect.bindings.spaces import Space
    from types import SimpleNamespace
    from typing import List


def lines(here: Space, given: SimpleNamespace) -> List[str]:
    """Writes it, as GIVEN by the row of command_table.py; UserError where that cannot be."""
    if not given.words:
        raise UserError('"ompd report" needs the name of a file to write.')
    without = page_process.parts(vars(given)["leave-out"], vars(given)["no-source"])
    with screen.document(), why_report.looked(here) as found:
        facts = page_facts.facts(found, dict(found.facts(), **rank_environment.facts(here)), without)
    html_page.write(facts, given.words[0])
    return ["The page is in %s." % text.style("filename", given.words[0])]
