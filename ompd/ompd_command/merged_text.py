# SPDX-License-Identifier: MIT
"""Verdicts of many processes as a person reads them: a line for each group, the rarest first, and
more of that one."""

from __future__ import annotations

from openmp_inspect.core import screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, List, Sequence, Tuple
    from ompd_command.merged_verdicts import VerdictGroup, Merged
    from ompd_command.process_report import ProcessReport

_MOST_GROUPS = 32
_LEAST_SENTENCE = 24  # columns
_MOST_MEMBERS = 64  # columns, where the screen is as wide as it likes
_CUT = "..."


def lines(merged: Merged) -> List[str]:
    """There is one group at least."""
    groups = merged.in_order()
    result = [_heading(merged)] + _table(merged, groups[:_MOST_GROUPS])
    if len(groups) > _MOST_GROUPS:
        result.append("and %s: ompd merge -json" % text.count(len(groups) - _MOST_GROUPS,
                                                            "further group"))
    first = groups[0].first
    result += ["", _name(first)] + list(map(str, first.lines))
    return result + list(_remarks(merged))


def _heading(merged: Merged) -> str:
    ranks, words = merged.ranks(), []
    if ranks:
        of_size = " of %d" % merged.size if merged.size and merged.missing() else ""
        words.append("%d%s rank%s" % (ranks, of_size, "s" * (ranks != 1 or bool(of_size))))
    if merged.without_rank:
        words.append(_processes(merged.without_rank) + " without a rank" * bool(ranks))
    said = " and ".join(words)
    if len(merged.jobs) > 1:
        said += " in %d jobs" % len(merged.jobs)
    return said + (" on " + text.count(len(merged.hosts), "node") if merged.hosts else "")


def _processes(count: int) -> str:
    return "%d process%s" % (count, "es" * (count != 1))


def _table(merged: Merged, groups: Sequence[VerdictGroup]) -> List[str]:
    """Lines of (how many, what, where, which), with sentences cut as the screen needs it."""
    rows = []
    missing = merged.missing()
    lost = sum(last - first + 1 for first, last in missing)
    if 0 < lost < merged.count:  # else only a part of the job was asked
        rows.append((lost, "rank", "no report", "", _ranges(missing)))
    for group in groups:
        rows.append((group.count, "process" if group.without_rank else "rank",
                     str(group.sentence()), ", ".join(map(str, group.first.places)),
                     _members(merged, group)))
    digits = len(str(max(row[0] for row in rows)))
    cells = [("%*d %s" % (digits, count, noun if count == 1 else
                          noun + ("es" if noun == "process" else "s")), *rest)
             for count, noun, *rest in rows]
    return [line.rstrip() for line in text.table(_narrowed(cells))]


def _narrowed(cells: Sequence[Tuple[str, ...]]) -> List[Tuple[str, ...]]:
    """Rows as wide as the screen: members and places are cut to a quarter of it each, then
    sentences."""
    cells = [(*row[:3], _cut(row[3], _MOST_MEMBERS)) for row in cells]
    wide = screen.current().width()
    if not wide or sum(_widths(cells)) + 6 <= wide:
        return cells
    least = max(wide // 4, 8)
    cells = [(*row[:2], _cut(row[2], least), _cut(row[3], least)) for row in cells]
    count, _, places, members = _widths(cells)
    room = max(wide - 6 - count - places - members, _LEAST_SENTENCE)
    return [(row[0], _cut(row[1], room), *row[2:]) for row in cells]


def _widths(cells: Sequence[Tuple[str, ...]]) -> List[int]:
    return [max(map(len, column)) for column in zip(*cells)]


def _cut(words: str, width: int) -> str:
    """WORDS, or their beginning up to a comma or blank."""
    if len(words) <= width:
        return words
    kept = words[:width - len(_CUT)]
    return (kept[:max(kept.rfind(","), kept.rfind(" ")) + 1] or kept) + _CUT


def _ranges(ranges: Sequence[Sequence[int]]) -> str:
    """[[0, 16], [18, 18]] as "0-16,18"."""
    return ",".join("%d" % first if first == last else "%d-%d" % (first, last)
                    for first, last in ranges)


def _members(merged: Merged, group: VerdictGroup) -> str:
    """Ranks, by job where there are several, and processes that have none."""
    several = len(merged.jobs) > 1
    words = [("%s: " % (job or "no job") if several else "") + _ranges(ranges)
             for job, ranges in group.rank_sets().items()]
    words += [_identity(one, len(merged.hosts) > 1) for one in group.others]
    if group.without_rank > len(group.others):
        words.append("%d more" % (group.without_rank - len(group.others)))
    return ("; " if several else ", ").join(words)


def _identity(report: ProcessReport, with_host: bool) -> str:
    """The core or process id."""
    name = str(report.core or ("?" if report.pid is None else report.pid))
    return "%s on %s" % (name, report.host) if with_host and report.host else name


def _name(report: ProcessReport) -> str:
    """The line above a process's own verdict."""
    words = [] if report.rank is None else ["rank %d" % report.rank]
    words.append(" ".join(filter(None, (_identity(report, False), str(report.program or "")))))
    if report.threads is not None:
        words.append(text.count(report.threads, "thread"))
    if report.host is not None:
        words.append("on %s" % report.host)
    return ", ".join(words)


def _remarks(merged: Merged) -> Iterator[str]:
    found = [text.count(number, noun) for number, noun in (
        (merged.skipped, "line"), (merged.other, "object")) if number]
    if found:
        yield '%s of the input %s of "ompd why -json".' % (
            " and ".join(found), "is no report" if merged.skipped + merged.other == 1 else
            "are no reports")
    if merged.left_out:
        yield "%s left out: there are too many." % (
            "1 report is" if merged.left_out == 1 else "%d reports are" % merged.left_out)
