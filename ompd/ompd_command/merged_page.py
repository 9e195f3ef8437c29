# SPDX-License-Identifier: MIT
"""Verdicts of many processes as a page: ranks as a strip, and each verdict once, the odd ones first."""

from __future__ import annotations

from openmp_inspect.core import build, screen, text, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_document, html_text
from ompd_command import merged_text, process_report

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.core.escaped import Name
    from ompd_command.merged_verdicts import Merged, VerdictGroup

_CELL, _PER_ROW = 14, 64
_MOST_ROWS = 64  # of a job
_MOST_JOBS, _MOST_CELLS = 8, 8192  # of each


def write(merged: Merged, path: str) -> None:
    """Writes the page of what is MERGED, which has one group at least, to PATH, or UserError."""
    with screen.document():
        groups = merged.in_order()
        content = html_document.document(
            merged_text.heading(merged), str(groups[0].sentence(merged.level)),
            "merged at %s" % text.moment(),
            list(_parts(merged, groups)), "Made by ompd %s." % build.VERSION)
    whole_file.write(path, content)


def _parts(merged: Merged, groups: Sequence[VerdictGroup]) -> Iterator[Tuple[str, str, str]]:
    """(id, title, content) of each section."""
    strips = _strips(groups)
    if strips:
        drawn = [html_text.text("h3", "job %s" % job) * (len(strips) > 1) + _strip(ranks)
                 for job, ranks in list(strips.items())[:_MOST_JOBS]]
        yield "ranks", "Ranks", "\n".join(drawn) + html_text.text(
            "p", "%d in a row, from 0 on; framed: those of the first verdict, or of one that is chosen." %
            _PER_ROW, class_="remark")
    yield "verdicts", "Verdicts", "\n".join(
        [_group(merged, number, group) for number, group in enumerate(groups, 1)] +
        [html_text.text("p", remark, class_="remark") for remark in merged_text.remarks(merged)])


def _strips(groups: Sequence[VerdictGroup]) -> Dict[Optional[Name], List[Tuple[int, int, int, str]]]:
    """{job: [(number of a group, first rank, last rank, title)]}"""
    found: Dict[Optional[Name], List[Tuple[int, int, int, str]]] = {}
    for number, group in enumerate(groups, 1):
        for job, ranks in group.rank_sets().items():
            found.setdefault(job, []).extend(
                (number, first, last, process_report.CERTAINTIES[group.example.certainty] or "nothing")
                for first, last in ranks)
    return found


def _strip(ranks: Sequence[Tuple[int, int, int, str]]) -> str:
    """A cell for each rank; those in a row that are of one group are one."""
    cells = []
    most = min(max(last for _, _, last, _ in ranks) // _PER_ROW + 1, _MOST_ROWS)
    for number, first, last, certainty in ranks:
        for row in range(first // _PER_ROW, min(last // _PER_ROW + 1, most)):
            left, right = max(first - row * _PER_ROW, 0), min(last - row * _PER_ROW + 1, _PER_ROW)
            named = text.ranges(range(row * _PER_ROW + left, row * _PER_ROW + right))
            cells.append(html_text.element(
                "rect", html_text.text("title", "rank %s" % named), x=left * _CELL, y=row * _CELL,
                width=(right - left) * _CELL - 1, height=_CELL - 1,
                class_=certainty + " odd" * (number == 1), data_x="%d" % number))
    return html_text.element("div", html_text.element(
        "svg", "\n".join(cells[:_MOST_CELLS]), class_="strip picks", role="group", width=_PER_ROW * _CELL,
        height=most * _CELL, aria_label="Ranks"), class_="scroll")


def _group(merged: Merged, number: int, group: VerdictGroup) -> str:
    first = group.first()
    certainty = process_report.CERTAINTIES[first.certainty]
    members = merged_text.members(group, len(merged.jobs()) > 1, len(merged.hosts()) > 1)
    places = ", ".join(map(str, group.places(merged.level)))
    noun = "process%s" % ("es" * (group.count != 1)) if group.without_rank() else \
        "rank%s" % ("s" * (group.count != 1))
    return html_text.element("article", html_text.element("h3", "%s %s %s" % (
        html_text.text("span", "%d %s:" % (group.count, noun), class_="kind"),
        html_text.words(group.sentence(merged.level)),
        html_text.text("span", "[%s]" % certainty, class_="mark") if certainty else "")) +
        html_text.text("p", "%s %s%s" % (noun, members, "; at %s" % places if places else ""),
                       class_="remark") +
        html_text.text("p", "The first of them: %s" % merged_text.name(first), class_="remark") +
        html_text.block(map(str, first.lines)), class_="verdict %s" % (certainty or "nothing"),
        data_x="%d" % number, tabindex=0)
