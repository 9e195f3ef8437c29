# SPDX-License-Identifier: MIT
"""Verdicts of many processes as a person reads them: a line for each group, the rarest first, and
more of that one."""

from __future__ import annotations

from openmp_inspect.core import screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command.merged_verdicts import MOST_GROUPS

if TYPE_CHECKING:
    from typing import Iterator, List, Sequence, Tuple
    from ompd_command.merged_verdicts import VerdictGroup, Merged
    from ompd_command.process_report import Process, ProcessReport

_LEAST_SENTENCE = 24  # columns
_MOST_MEMBERS = 64  # columns, where the screen is as wide as it likes
_MOST_PROCESSES = 8  # of a group that are named where they have no rank
_CUT = "..."


def lines(merged: Merged) -> List[str]:
    """There is one group at least."""
    groups = merged.in_order()
    first = groups[0].first()
    result = [heading(merged), *_table(merged, groups), "", name(first), *map(str, first.lines)]
    return result + list(remarks(merged))


def heading(merged: Merged) -> str:
    ranks, words, jobs, hosts = merged.ranks(), [], len(merged.jobs()), len(merged.hosts())
    without_rank = merged.without_rank()
    if ranks:
        of_size = " of %d" % merged.size if merged.size and merged.missing() else ""
        words.append("%d%s rank%s" % (ranks, of_size, "s" * (ranks != 1 or bool(of_size))))
    if without_rank:
        words.append(_processes(without_rank) + " without a rank" * bool(ranks))
    said = " and ".join(words)
    if jobs > 1:
        said += " in %d jobs" % jobs
    return said + (" on " + text.count(hosts, "node") if hosts else "")


def _processes(count: int) -> str:
    return "%d process%s" % (count, "es" * (count != 1))


def _table(merged: Merged, groups: Sequence[VerdictGroup]) -> List[str]:
    """Lines of (how many, what, where, which), with sentences cut as the screen needs it."""
    rows, missing = [], merged.missing()
    jobs, hosts = len(merged.jobs()) > 1, len(merged.hosts()) > 1
    lost = sum(last - first + 1 for first, last in missing)
    if 0 < lost < merged.count:  # else only a part of the job was asked
        rows.append((lost, "rank", "no report", "", _ranges(missing)))
    for group in groups:
        rows.append((group.count, "process" if group.without_rank() else "rank",
                     str(group.sentence(merged.level)), ", ".join(map(str, group.places(merged.level))),
                     members(group, jobs, hosts)))
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


def members(group: VerdictGroup, jobs: bool, hosts: bool) -> str:
    """Ranks, by job where there are several, and processes that have none."""
    words = [("%s: " % (job or "no job") if jobs else "") + _ranges(ranges)
             for job, ranges in group.rank_sets().items()]
    others = group.without_rank()
    words += [_identity(one, hosts) for one in others[:_MOST_PROCESSES]]
    if len(others) > _MOST_PROCESSES:
        words.append("%d more" % (len(others) - _MOST_PROCESSES))
    return ("; " if jobs else ", ").join(words)


def _identity(process: Process, with_host: bool) -> str:
    """The core or process id."""
    name = str(process.core or ("?" if process.pid is None else process.pid))
    return "%s on %s" % (name, process.host) if with_host and process.host else name


def name(report: ProcessReport) -> str:
    """The line above a process's own verdict."""
    process = report.process
    words = [] if process.rank is None else ["rank %d" % process.rank]
    words.append(" ".join(filter(None, (_identity(process, False), str(report.program or "")))))
    if report.threads is not None:
        words.append(text.count(report.threads, "thread"))
    if process.host is not None:
        words.append("on %s" % process.host)
    return ", ".join(words)


def remarks(merged: Merged) -> Iterator[str]:
    found = [text.count(number, noun) for number, noun in (
        (merged.skipped, "line"), (merged.other, "object")) if number]
    if found:
        yield '%s of the input %s of "ompd why -json".' % (
            " and ".join(found), "is no report" if merged.skipped + merged.other == 1 else
            "are no reports")
    if merged.left_out:
        yield "%s left out: there are too many." % (
            "1 process is" if merged.left_out == 1 else "%d processes are" % merged.left_out)
    if merged.level:
        yield "There are more than %d different verdicts: more alike are merged." % MOST_GROUPS
