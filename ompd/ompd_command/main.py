# SPDX-License-Identifier: MIT
"""The command `ompd`: reads its words, looks at each target, prints, and ends with a status that
says what was found."""

from __future__ import annotations

import argparse
import errno
import functools
import os
import signal
import sys
from collections import Counter

from openmp_inspect.core import build, debug, json_output, screen, text, whole_file
from openmp_inspect.core.errors import Unwritable, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import history_trace, html_page, why_report
from ompd_command import arguments, common_stacks, exit_summary, isolation, job_log, job_nodes, look, merge, \
    progress, record, runtime_search, started, snapshot, targets, top, watchdog, watchdog_options
from ompd_command.host import held, packed_core
from ompd_command.shell_screen import Screen, complain, say
from ompd_command.targets import Target

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple
    from ompd_command.look import Answer

CANNOT_WRITE = 74  # exit status, as sysexits.h has it
_UNWRITABLE = errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF
_MOST_APART = 4  # targets whose verdicts are printed one by one
_MOST_CHILDREN = 32
_OF_ONE = "-leave-out is of the page of one process or core."


def main(words: List[str]) -> int:
    debug.enabled = bool(os.environ.get("OMPD_DEBUG"))
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the user has closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # pylint: disable=R1732
    try:
        status = _of_words(words)
        sys.stdout.flush()
        return status
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the rest is lost with it
        return _fail("the output cannot be written: %s." % error.strerror, CANNOT_WRITE)


def _of_words(words: List[str]) -> int:
    if words[:1] == ["run"]:
        return _run(words[1:])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever reads has seen enough
    begins = words[:1] == ["record"] and "--" in words
    given = arguments.parsed([*words[:words.index("--")], str(os.getpid())] if begins else words,
                             "ompd %s" % build.VERSION)
    screen.use(Screen())
    if begins:
        return _begun(given, words[words.index("--") + 1:])
    try:
        if given.command == "merge":
            return merge.of_files(given.files, given.json, given.html)
        elsewhere = job_nodes.launches(given) if given.command == "why" and \
            (given.hosts, given.job) != (None, None) else []
        if elsewhere and given.leave_out:
            return _fail(_OF_ONE, arguments.USAGE)
        return job_nodes.report(given, elsewhere) if elsewhere else _of_targets(given)
    except (targets.NoTarget, UserError) as error:
        return _fail(str(error), look.NO_INPUT)


def _of_targets(given: Any) -> int:
    if given.json and not given.targets and job_nodes.is_answered_beside():
        return 0 if given.below is not None else _write_json(given, [])
    chosen, given.missing = targets.chosen(given)
    try:
        if given.held:
            given.held = held.HeldByDebugger()
        if any(one.core == packed_core.INPUT for one in chosen):
            packed_core.keep_input()
    except (OSError, ValueError) as error:
        return _fail("standard input cannot be read: %s." % (
            getattr(error, "strerror", 0) or error), look.NO_INPUT)
    if given.missing and not chosen:
        raise targets.NoTarget(given.missing[0])
    status = max([_fail(sentence, look.NO_INPUT) for sentence in given.missing], default=0)
    return max(status, _of_chosen(given, chosen))


def _of_chosen(given: Any, chosen: List[Target]) -> int:
    if given.command in ("top", "record"):
        return _sampled(given, chosen)
    if given.command == "snapshot" and given.output is not None and len(chosen) > 1:
        return _fail("-o takes one process; these are %d." % len(chosen), arguments.USAGE)
    if given.command == "why" and given.html and len(chosen) == 1:
        return _write_page(given, chosen)
    if given.command == "why" and given.leave_out:
        return _fail(_OF_ONE, arguments.USAGE)
    is_tree = given.command == "stacks" and len(chosen) > 1 and not (given.json or given.verbose)
    if not is_tree and not _is_merged(given, chosen):
        answers = _answers(given, chosen)
        below = _below(chosen, answers)
        return _of_chosen(given, below) if below else _print(given, _with_children(given, answers))
    answers = _answers(argparse.Namespace(**dict(vars(given), json=True, html=None)), chosen)
    status = _print_failed(answers)
    found = [answer for answer in answers if answer.failed is None]
    if not found and given.part is None:
        return status
    if is_tree:
        say(common_stacks.lines(found))
        return status
    return max(status, merge.of_objects(
        [answer.said for answer in found], given.json or given.part is not None, given.html))


def _below(chosen: List[Target], answers: List[Answer]) -> List[Target]:
    """The descendants with a runtime of one process without, as a launcher or a shell is; says so."""
    pid = chosen[0].pid if len(chosen) == 1 and answers[0].status == look.NOT_READABLE else 0
    found = runtime_search.below(pid) if pid and not runtime_search.has_runtime(pid) else []
    if found:
        complain("%s has no OpenMP runtime loaded; %s." % (targets.described(chosen[0]), (
            "its descendant %d has" % found[0]) if len(found) == 1 else
            "%d of its descendants have" % len(found)))
    return [Target(one, None, ()) for one in found]


def _is_merged(given: Any, chosen: List[Target]) -> bool:
    """Whether one text is made of the verdicts of many."""
    return given.part is not None or given.command == "why" and (
        bool(given.html) or len(chosen) > _MOST_APART and not (
            given.json or given.every or given.verbose or given.graph))


def _write_page(given: Any, chosen: List[Target]) -> int:
    """Of one target; prints what `why` does, too."""
    answer, = _answers(given, chosen)
    if answer.failed is not None:
        below = _below(chosen, [answer])
        return _of_chosen(given, below) if below else _print_failed([answer])
    try:
        html_page.write(answer.said, given.html)
    except UserError as error:
        return _fail(str(error), look.CANNOT_CREATE)
    if given.json:
        json_output.write_json(answer.said["why"])
    else:
        say((answer.heading, *answer.said["why"]["lines"], "The page is in %s." % given.html))
    return answer.status


def _sampled(given: Any, chosen: List[Target]) -> int:
    if len(chosen) != 1 or not chosen[0].pid:
        return _fail("%s takes one live process." % given.command, arguments.USAGE)
    ask = _ask(given, chosen[0])
    if given.command == "top":
        shown = top.Top(given, chosen[0].pid)
        found, has_samples = shown.show(ask), shown.end()
    else:
        recorder = record.Recorder(given, chosen[0].pid)
        found, has_samples = recorder.record(ask), recorder.end()
    if found is None:
        return 0 if has_samples else _fail("%s was not looked at in that time." % str(chosen[0]),
                                           look.NOT_READABLE)
    failed = _answer(given, chosen[0], found)
    if has_samples and given.command == "record":
        return 0  # it has ended
    return _fail(failed.failed or "", 0 if has_samples else failed.status)


def _begun(given: Any, words: List[str]) -> int:
    """Records a program that is started by these WORDS; its exit status, as a shell has it."""
    program = record.begun(words)
    if program is None:
        return arguments.USAGE
    given.targets = [str(program.pid)]
    failed = _of_targets(given)
    return failed or program.wait() % 256


def _run(words: List[str]) -> int:
    """`ompd run` with these WORDS, the first of which is an option of its own."""
    screen.use(Screen())
    program = started.without_summary(words)
    if program is not None:
        return exit_summary.run(program, _summary)
    wanted, program = arguments.watched(words)
    return watchdog.run(started.command(program), wanted, _hangs)


def _summary(process: int) -> List[str]:
    """As exit_summary.py asks for it."""
    given = arguments.of_look("summary", watchdog_options.How(None, False, isolation.SECONDS), process)
    answer, = _answers(given, [Target(process, None, ())])
    said: List[str] = answer.said or ["there is no summary: %s" % answer.failed]
    return said


def _hangs(processes: List[int], how: watchdog_options.How,
           meanwhile: Callable[[], None]) -> Tuple[Dict[int, job_log.Hang], List[str]]:
    """As watchdog.py asks for it."""
    found: Dict[int, job_log.Hang] = {}
    failed: List[str] = []
    chosen = [Target(process, None, ()) for process in processes]
    for one in isolation.answers(
            (_ask(arguments.of_look("hang", how, target.pid), target) for target in chosen), meanwhile):
        answer = _ended(chosen[one.number], one) or look.Answer(*one.said)
        if answer.failed is not None:
            failed.append(answer.failed)
        else:
            lines, facts, of_page, still, computes = answer.said
            found[processes[one.number]] = job_log.Hang(
                [answer.heading, *lines], facts, answer.status, of_page, one.content, still, computes)
    return dict(sorted(found.items())), failed


def _ask(given: Any, target: Target) -> isolation.Ask:
    named: Tuple[str, ...] = tuple(filter(None, (given.program, given.sysroot)))
    return isolation.Ask(functools.partial(look.looked, given, target), target.pid,
                         targets.owner_of(target), named, given.limit + (given.watch or 0))


def _fail(sentence: str, status: int) -> int:
    complain(sentence)
    return status


def _answers(given: Any, chosen: List[Target]) -> List[Answer]:
    """Of all that are CHOSEN, by rank, those that have none in the order in which they are given,
    which is by id where they were looked for."""
    found: List[Answer] = [look.Answer(None, 0)] * len(chosen)
    done: List[int] = []
    asks = (_ask(given, target) for target in chosen)
    total = len(chosen)
    with progress.Bar(text.count(total, "target"), total if total > 1 else 0) as bar:
        for one in isolation.answers(asks, lambda: bar.show(len(done))):
            found[one.number] = _answer(given, chosen[one.number], one)
            done.append(one.number)
    return sorted(found, key=lambda answer: (answer.rank is None, answer.rank or 0))


def _answer(given: Any, target: Target, found: isolation.Found) -> Answer:
    """What was FOUND of a target, once the files that were wanted are written."""
    answer = _ended(target, found) or look.Answer(*found.said)
    if answer.failed is not None:
        return answer
    if found.left_out is not None:
        complain("%s is shown without debug information: with that, %s." % (
            target, found.left_out))
    try:
        if given.command == "snapshot":
            return answer._replace(said=snapshot.written(given, target.pid, found.content))
        if given.snapshot:
            snapshot.write(given.snapshot, found.content)
        if given.command == "why" and given.graph:
            return answer._replace(said=why_report.write_graph(answer.graph, given.graph))
        if given.command == "history" and given.trace:
            return answer._replace(said=history_trace.write(answer.said, given.trace))
    except UserError as error:
        return look.Answer(None, look.CANNOT_CREATE if isinstance(error, Unwritable) else
                           look.NOT_READABLE, str(error))
    return answer


def _ended(target: Target, found: isolation.Found) -> Optional[Answer]:
    """Where what looked at a target has ended without an answer."""
    return None if not isinstance(found.said, isolation.ChildEnded) else look.Answer(
        None, look.NOT_READABLE, "%s could not be looked at: %s." % (
            targets.described(target), found.said))


def _with_children(given: Any, answers: List[Answer]) -> List[Answer]:
    """The ANSWERS, and behind that of one process those of children that it waits for and that hang;
    for JSON they are a part of it."""
    found = list(answers) if len(answers) == 1 else []
    for answer in found:  # which grows
        asked = [Target(pid, None, ()) for pid in answer.children if runtime_search.has_runtime(pid)]
        found += [one for one in _answers(given, asked[:_MOST_CHILDREN - len(found)])
                  if one.failed is None and (one.status or one.children)]
    if len(found) < 2 or not given.json:
        return found or answers
    found[0].said["children"] = [answer.said for answer in found[1:]]
    return [found[0]._replace(status=max(answer.status for answer in found))]


def _print_failed(answers: List[Answer]) -> int:
    """The status of the worst. What is said of many is said once."""
    failed = Counter((answer.failed, answer.status) for answer in answers if answer.failed is not None)
    return max([_fail(sentence if times == 1 else "%s (%d targets)." % (sentence.rstrip("."), times), status)
                for (sentence, status), times in failed.items()], default=0)


def _print(given: Any, answers: List[Answer]) -> int:
    found = [answer for answer in answers if answer.failed is None]
    is_one = len(answers) == 1 and given.all is None and given.job is None and not given.missing
    status = 0
    if given.json and found:
        status = _write_json(given, found[0].said if is_one else [answer.said for answer in found])
    for answer in () if given.json else found:
        if given.verbose or given.nostop or len(answers) > 1 or given.command == "why":
            say([text.remark(answer.heading)])
        say(answer.said)
    return max([status, _print_failed(answers)] + [answer.status for answer in found])


def _write_json(given: Any, said: Any) -> int:
    """On standard output, or into a file; the exit status."""
    if given.below is None:
        json_output.write_json(said)
        return 0
    try:
        whole_file.make(given.below, job_log.file_name(os.getpid()), {".json": json_output.text(said)})
        return 0
    except OSError as error:
        return _fail("%s: %s." % (given.output, error.strerror), look.CANNOT_CREATE)
