# SPDX-License-Identifier: MIT
"""Tables of a page: as many rows as a browser takes, each cell in the words of the screen."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_text

if TYPE_CHECKING:
    from typing import List, Sequence
    from openmp_inspect.report.html_links import Attributes

MOST_ROWS = 8192
_MOST_SIGNS = 4 << 20


def table(rows: Sequence[Sequence[str]], name: str, more: str, links: Sequence[Attributes],
          most: int = MOST_ROWS) -> str:
    """That of ROWS, of which the first is its head, with LINKS of the others; NAME says what it lists, and
    MORE which command prints what is more than so many."""
    head, *cells = rows
    body: List[str] = []
    signs = 0
    for row, about in zip(cells[:most], links):
        body.append(html_text.element("tr", _row(row), **about))
        signs += len(body[-1])
        if signs > _MOST_SIGNS:
            break
    made = html_text.element("table", "%s\n%s" % (
        html_text.element("thead", html_text.element("tr", "".join(
            html_text.text("th", word, scope="col") for word in head))),
        html_text.element("tbody", "\n".join(body), class_="picks")), class_="sortable")
    found = html_text.element("div", made, class_="scroll tall", tabindex=0, role="region",
                              aria_label=name)
    left_out = len(cells) - len(body)
    return found + (html_text.text("p", "%s: %s." % (
        text.count(left_out, "further row"), more), class_="remark") if left_out else "")


def _row(cells: Sequence[str]) -> str:
    return "".join(
        '<td class="inferred">%s</td>' % html_text.words(cell) if cell.startswith("~") else
        "<td>%s</td>" % html_text.words(cell) for cell in cells)
