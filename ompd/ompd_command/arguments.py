# SPDX-License-Identifier: MIT
"""The command line: `ompd COMMAND [OPTION...] TARGET...`, with the options that gdb's commands
have."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys

from openmp_inspect.core import debug, screen, whole_file
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import watching
from openmp_inspect.report import command_table, page_process
from openmp_inspect.report.command_table import Command, Option, SHELL
from ompd_command import isolation, record, runtime_search, shell_screen, started, watchdog_options

if TYPE_CHECKING:
    from typing import Any, Iterable, List, NoReturn, Optional, Tuple

USAGE = 64  # exit status, as sysexits.h has it

_TOP = Command("top", "Show where the time goes, again and again: work, and waits for whom.", "", (
    Option("interval", "SECONDS", "of so long each screen is; 5 by default"),
    Option("rate", "N", "looks a second; by default 10 of a program of ompd-run, which is not stopped, and 4 "
           "of others"),
    Option("n", "N", "end after so many intervals"),
    Option("batch", None, "one screen below the other, as without a terminal")))
_RECORD = Command("record", "Record stacks with OpenMP's constructs and waits, for a flame graph.", """\
What a thread waits for, and who holds it, is the innermost step of its stack. The
process is stopped for each look, 10 times a second for some milliseconds each; it
is recorded until it ends, or Ctrl-C is typed. After -- a PROGRAM is started.""", (
    Option("o", "FILE", "the file; ompd-PID.collapsed by default"),
    Option("format", "FORM", "collapsed (stacks, as flame graphs are drawn from), speedscope, trace (the "
           "Trace Event format, for Perfetto and Chrome), or html; by default as FILE ends: "
           ".speedscope.json, .json, .html"),
    Option("duration", "SECONDS", "for so long"),
    Option("rate", "N", "looks a second")))
COMMANDS = {row.name: row for row in (*command_table.of(SHELL), _TOP, _RECORD)}


def summary(row: Command) -> str:
    """As a shell's help and completion have it."""
    return row.summary[0].lower() + row.summary[1:].rstrip(".")


def options(row: Command) -> List[Tuple[str, Optional[str], str]]:
    """(name, metavar or None, help) of what a command has of its own."""
    return [option[:3] for option in row.options_of(SHELL) if option.name != "json"]


# Of all of them.
COMMON = (
    ("json", None, "as JSON, for programs"),
    ("nostop", None, "do not stop a process: what is shown may not fit together"),
    ("verbose", None, "with the time that a process was stopped"),
    ("sysroot", "DIR", "where a core's files are on this machine"),
    ("program", "FILE", "the program of a core"),
    ("library", "FILE", "the OMPD library of another vendor"),
    ("limit", "SECONDS", "how long an answer may take; %g by default" % isolation.SECONDS))
# In place of targets.
OF_TARGETS = (
    ("all", "NAME", "all processes of yours with an OpenMP runtime, or those of a program; one that is "
     "linked to it statically is not found"),
    ("job", "ID", "those that the process ID, a launcher or a shell, has started; of \"why\" also those of "
     "the job ID of Slurm, on all of its nodes, where there are none, or as slurm:ID"))

MERGE = "merge what \"ompd why -json\" has said of many processes into one report"
_MERGED = """\
A FILE holds objects or arrays of them, one or many, as launchers put output together: label
it, with srun -l or mpirun --tag-output. "-" is standard input. What is equal but for numbers
is one line, the rarest first. What -json writes is merged again."""

RUN = "start a program that records for debuggers"
_RECORDS = """\
PROGRAM and its arguments follow the options, and before it those of ompd-run: --history,
--sums, --orders, --follow-children. But for -summary, the options below need -watchdog."""

_NAMES = *COMMANDS, "merge", "run"
_OF_ALL = "-h", "-help", "--help", "-V", "-v", "-version", "--version"  # without a command

_EPILOG = """\
TARGET is a process id, that of a thread, a core file, also a compressed one, "-" for
one on standard input, or the name of a program of yours. -all and -job take processes
that have an OpenMP runtime loaded; a program that is linked to one statically is not
found so. Of more than four targets "why" prints one report, as "ompd merge" does;
-every or -verbose, one for each. On many nodes: "why -job ID" of Slurm, "why -hosts FILE", or
srun -l ompd why -all -json | ompd merge -

"ompd run PROGRAM" starts a program that records for debuggers, as ompd-run does; with
-watchdog SECONDS before PROGRAM one that makes no progress for so long, or is ended, is
reported; "ompd run -help" has the options. A process is stopped while it is looked at, and
runs on.

exit status: 0, of "why" 10 for a possible, 11 a likely and 12 a certain verdict;
64 usage, 65 nothing to merge, 66 no such process or core, 73 the page or graph cannot
be written, 74 the output cannot, 75 reports are incomplete, 77 not permitted, 78 no
OpenMP runtime, or not readable"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal, for which argparse would import shutil at each option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=(shell_screen.columns() or 80) - 2)


class _Parser(argparse.ArgumentParser):
    """Its options have one dash or two."""

    def __init__(self, add_help: bool = True, **given: Any) -> None:
        super().__init__(add_help=False, **given)
        if add_help:
            self.add_argument("-h", "-help", "--help", action="help", help="print this, and exit")

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        words = re.sub(r"^argument (-\w+)/--\w+:", r"\1:", message.rstrip("."))
        self.exit(USAGE, 'ompd: %s; see "ompd help%s".\n' % (
            screen.printable(words), " " + command if command else ""))


def _option(parser: argparse.ArgumentParser, name: str, metavar: Optional[str],
            words: str) -> None:
    if metavar is None:
        parser.add_argument("-" + name, "--" + name, action="store_true", help=words)
    else:
        parser.add_argument("-" + name, "--" + name, metavar=metavar, help=words,
                            dest="output" if name == "o" else name.replace("-", "_"))


def of_look(command: str, how: watchdog_options.How, process: int) -> Any:
    """A namespace as parsed() returns it, for a COMMAND about a PROCESS without options but what follows
    from HOW."""
    return argparse.Namespace(command=command, json=False, nostop=False, verbose=False,
                              sysroot=None, program=None, library=None, html=how.page,
                              without=(), watch=how.watch, snapshot=how.page, anonymous=False,
                              held=how.crashed.get(process), limit=how.limit,
                              ends=how.ends or process in how.crashed)


def watched(words: List[str]) -> Tuple[watchdog_options.WatchdogOptions, List[str]]:
    """(how the program of `ompd run` is watched; what is ompd-run's of its WORDS)."""
    given, words, below, recording = {}, list(words), None, []
    while words and words[0].startswith("-") and words[0] != "--":
        word = words.pop(0)
        name, _, value = word.lstrip("-").partition("=")
        if name in ("h", "help"):
            parsed(["run", "-help"], "")
        if word in started.RECORDING:
            recording.append(word)
            continue
        if name not in [one for one, _, _ in watchdog_options.OPTIONS]:
            _fail(_no_option("run", name))
        if name not in ("kill", "summary") and not value:
            if not words:
                _fail("-%s needs a value" % name)
            value = words.pop(0)
        given[name] = value
    if words in ([], ["--"]):
        _fail("run needs a PROGRAM")
    if "summary" in given:
        _fail("-summary takes no other options but those of ompd-run")
    if "watchdog" not in given:
        _fail("-%s needs -watchdog SECONDS" % next(iter(given)))
    seconds, directory = _seconds("-watchdog", given["watchdog"]), given.get("report")
    status = given.get("status", str(watchdog_options.ENDED))
    if not status.isdigit() or int(status) > 255:
        _fail("-status takes an exit status, from 0 to 255")
    if directory is not None:
        below = _below("-report", directory)
    return watchdog_options.WatchdogOptions(
        seconds, directory, below, watchdog_options.Files(given.get("junit"), given.get("sarif")),
        next((word for word in words if not word.startswith("-")), ""), "kill" in given,
        int(status)), recording + words


def _below(option: str, directory: str) -> int:
    """The DIRECTORY, open, for reports."""
    try:
        return whole_file.directory(directory)
    except OSError as error:
        _fail("%s %s: %s" % (option, directory, error.strerror))


def _seconds(option: str, word: str) -> float:
    return _number(option, word, 0.1, 1e7, "seconds")


def _number(option: str, word: str, least: float, most: float, what: str = "a number") -> float:
    try:
        number = float(word)
    except ValueError:
        debug.ignored()
        number = 0.0
    if not least <= number <= most:
        _fail("%s takes %s, from %g on" % (option, what, least))
    return number


def _fail(message: str) -> NoReturn:
    """Of the command run."""
    _Parser(prog="ompd run").error(message)


def _no_option(command: str, name: str) -> str:
    """A sentence, with the option that is meant, or the command that has one of this NAME."""
    names = [one for one, _, _ in watchdog_options.OPTIONS] if command == "run" else \
        [one for one, _, _ in (*(options(COMMANDS[command]) if command in COMMANDS else ()), *COMMON,
                               *OF_TARGETS)]
    others = [row.name for row in COMMANDS.values() if name in [one for one, _, _ in options(row)]]
    near = ["-" + one for one in _near(name, names)]
    return "%s has no option -%s%s" % (command, name, ", but " + near[0] if near else
                                       ", but %s has" % others[0] if others else "")


def _near(word: str, words: Iterable[str]) -> List[str]:
    """The one of WORDS that is typed almost as WORD is, if there is one."""
    return difflib.get_close_matches(word, words, 1)


def _job(word: str) -> Tuple[str, int]:
    """The launcher that is named, and the number."""
    launcher, _, number = word.rpartition(":")
    if launcher not in ("", "slurm") or not number.isdecimal():
        raise argparse.ArgumentTypeError("\"%s\" is no id of a process, or of a job of Slurm" % word)
    return launcher, int(number)


def _add_targets(parser: argparse.ArgumentParser) -> None:
    (_, name, of_all), (_, pid, of_job) = OF_TARGETS
    parser.add_argument("-all", "--all", nargs="?", const="", metavar=name, help=of_all)
    parser.add_argument("-job", "--job", type=_job, metavar=pid, help=of_job)
    parser.add_argument("targets", nargs="*", metavar="TARGET")


def _meant(words: List[str]) -> List[str]:
    """WORDS as other programs have them: `help why`, `version`, `why -p 4711`, `-every why 4711`, and
    without a command, which is why then: `4711`, `-every 4711`, `./core`, `heat`."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if words[:1] == ["version"]:
        return ["--version"]
    found = [re.sub("^--?p(id)?=", "", word) for word in words if word not in ("-p", "-pid", "--pid")]
    first = found[0] if found else ""
    if not first or first in _NAMES:
        return found
    if first.startswith("-") and first != "-":
        command = next((word for word in found if word in COMMANDS), None)
        if command is not None:
            found.remove(command)
        return found if command is None and first in _OF_ALL else [command or "why", *found]
    if first.isdigit() or first == "-" or os.path.isfile(first) or runtime_search.named(first):
        return ["why", *found]
    near = _near(first.lower(), _NAMES)
    _Parser(prog="ompd").error("No command, file or process of yours is called \"%s\"%s" % (
        first, ", but \"%s\" is" % near[0] if near else ""))


def parsed(words: List[str], version: str) -> Any:
    """A namespace with `command`, `targets` and the command's options; ends the program where they
    make no sense."""
    parser = _Parser(prog="ompd", description="OpenMP's story of a process or core.",
                     epilog=_EPILOG, formatter_class=_Formatter,
                     allow_abbrev=False)
    parser.add_argument("--version", "-version", "-V", action="version", version=version)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    words = _meant(words)
    names = [name for name in COMMANDS if words[:1] == [name]] or COMMANDS  # one takes less time
    for name in names:
        row = COMMANDS[name]
        one = subparsers.add_parser(name, help=summary(row), formatter_class=_Formatter,
                                    description="\n\n".join(filter(None, (row.summary, row.told(SHELL)))))
        for option in (*options(row), *COMMON):
            _option(one, *option)
        _add_targets(one)
        if name == "why":
            one.add_argument("-part", metavar="JOB", help=argparse.SUPPRESS)  # of job_nodes.py
        if name == "snapshot":  # gdb's and lldb's is this one, at a stop of theirs
            one.add_argument("-held", action="store_true", help=argparse.SUPPRESS)
    merge = subparsers.add_parser("merge", help=MERGE, description=MERGE, epilog=_MERGED,
                                formatter_class=_Formatter)
    _option(merge, "json", None, "as JSON, for programs")
    _option(merge, "html", "FILE", "write a page: ranks, and each verdict once")
    merge.add_argument("files", nargs="+", metavar="FILE")
    run = subparsers.add_parser("run", help=RUN, description=RUN, epilog=_RECORDS,
                              formatter_class=_Formatter,
                              usage="ompd run [-watchdog SECONDS [OPTION...]] PROGRAM [ARGUMENT...]")
    for option in watchdog_options.OPTIONS:
        _option(run, *option)
    given, unknown = parser.parse_known_args(words, argparse.Namespace(
        snapshot=None, anonymous=False, held=False, watch=None, below=None, hosts=None,
        part=None, ends=False))
    if given.command is not None:
        parser.prog = "ompd " + given.command
    for word in unknown:
        if word.startswith("-"):
            parser.error(_no_option(given.command, word.lstrip("-").partition("=")[0]))
    if given.command is None:
        parser.print_help()
        parser.exit(USAGE)
    (given.files if given.command == "merge" else given.targets).extend(unknown)  # behind options
    if given.command != "merge" and not given.targets and given.all is None and given.job is None and \
            given.hosts is None:
        parser.error("%s needs a TARGET, -all or -job" % given.command)
    given.launcher, given.job = getattr(given, "job", None) or ("", None)
    if given.launcher and given.command != "why":
        parser.error("-job %s:ID is of why" % given.launcher)
    if given.command == "snapshot" and given.nostop:
        parser.error("a snapshot is of a process that is stopped, which -nostop forbids")
    if given.command == "snapshot" and given.output == "-" and (
            given.json or sys.stdout.isatty()):
        parser.error("\"-o -\" writes a core, for a file or a pipe")
    if given.command != "merge":
        given.limit = isolation.SECONDS if given.limit is None else \
            _seconds("-limit", given.limit)
    if given.command == "why":
        try:
            given.without = page_process.parts(given.leave_out, given.no_source)
        except UserError as error:
            parser.error(str(error))
    if given.command == "history" and given.trace and given.json:
        parser.error("-trace writes a file, and -json prints")
    if given.command == "why" and given.output is not None:
        if not given.json or given.html:
            parser.error("-o takes what -json says")
        given.below = _below("-o", given.output)
    if given.command in ("top", "record"):
        given.rate = None if given.rate is None else _number("-rate", given.rate, 0.01, 1000.0)
    if given.command == "record":
        given.duration = None if given.duration is None else _seconds("-duration", given.duration)
        if given.nostop:
            parser.error("stacks are of a process that is stopped, which -nostop forbids")
        if given.format not in (None, *record.FORMS):
            parser.error("-format takes %s" % ", ".join(record.FORMS))
    if given.command == "top":
        given.interval = 5.0 if given.interval is None else _seconds("-interval", given.interval)
        if given.n is not None and not (given.n.isdecimal() and int(given.n)):
            parser.error("-n takes a number from 1 on")
        given.n = None if given.n is None else int(given.n)
    if given.command == "why" and given.watch is not None:
        if given.nostop:
            parser.error("-watch stops the process, which -nostop forbids")
        given.watch = _watched_for(parser, given.watch)
    return given


def _watched_for(parser: argparse.ArgumentParser, word: str) -> float:
    try:
        return watching.seconds(word)
    except UserError as error:
        parser.error(str(error))
