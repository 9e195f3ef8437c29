# SPDX-License-Identifier: MIT
"""`ompd why -job` of a job on other machines, and `-hosts`: this command on each of them, and what all of
them say as one report. Each merges what its processes say before it sends that."""

from __future__ import annotations

import io
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from openmp_inspect.core import debug
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import rank_environment
from ompd_command import merge, merged_verdicts, progress, runtime_search
from ompd_command.shell_screen import complain
from ompd_command.targets import NoTarget

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, Iterator, List, Sequence, Tuple

# To add a launcher: commands that print, from what the one before has said, the hosts of a {job}; what
# starts a command once on each of these, with "N: " before each line of the N-th; and the signal that
# ends it there, too.
_LAUNCHERS = {
    "slurm": (("squeue -h -j {job} -o %N", "scontrol show hostnames {said}"),
     "srun --jobid {job} --overlap -N {count} -n {count} --ntasks-per-node=1 -l --mpi=none --input=none "
     "--no-kill --kill-on-bad-exit=0 --quit-on-interrupt", signal.SIGINT)}
_SSH = "ssh -n -o BatchMode=yes -o ConnectTimeout=10 --"
_PATIENCE = 10.0  # seconds in which nothing new is said
_GRACE = 2.0  # seconds that what is ended may take
_PAUSE = 0.05  # seconds between two questions whether something has ended
_MOST_AT_ONCE = 64  # commands
_MOST = 1 << 28  # bytes of one
_MOST_NAMED = 8
_HOST = regex(r"\w[\w@.:-]{0,254}", re.ASCII)
_LABEL = regex(rb"^ *(\d{1,9}): ", re.MULTILINE)
_OWN = regex(rb"^( *\d{1,9}: )?(ompd: )?")


def is_answered_beside() -> bool:
    """Whether another command with the same words answers for this machine, as where a launcher starts one
    for each rank."""
    return runtime_search.has_first_twin() and \
        rank_environment.of_variables(dict(os.environ)).rank is not None


class Launch(NamedTuple):
    """A command, and the hosts that it is executed on: where it LABELS lines, those of these numbers."""

    words: Sequence[str]
    hosts: Sequence[str]
    labels: bool = False
    ends_by: int = signal.SIGTERM


def launches(given: Any) -> List[Launch]:
    """Nothing where what is GIVEN is meant of this machine. UserError where its file cannot be read."""
    own = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "ompd")
    words = [own, "why", "-json", "-all=" + (given.all or ""), "-limit=%g" % given.limit,
             "-part=%s" % (given.job or "")]
    if given.watch is not None:
        words.append("-watch=%g" % given.watch)
    if given.hosts is not None:
        command = " ".join(map(shlex.quote, words))
        return [Launch([*_SSH.split(), host, command], [host]) for host in _hosts(given.hosts)]
    if given.job is None or not given.launcher and runtime_search.below(given.job):
        return []
    for questions, start, ends_by in _LAUNCHERS.values():
        said = ""
        for question in questions:
            said = _said(question.format(job=given.job, said=said).split())
        hosts = said.split()
        if hosts:
            start = start.format(job=given.job, count=len(hosts))
            return [Launch([*start.split(), *words], hosts, True, ends_by)]
    if given.launcher:
        raise UserError("No job %d of %s runs." % (given.job, given.launcher))
    return []


def _hosts(path: str) -> List[str]:
    """The first word of each line of a file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            found = dict.fromkeys(line.split()[0] for line in stream if line.strip())
    except OSError as error:
        raise UserError("%s cannot be read: %s." % (path, error.strerror)) from None
    odd = [name for name in found if not _HOST.fullmatch(name)]
    if odd or not found:
        raise UserError("%s has no names of hosts%s." % (path, ": " + odd[0] if odd else ""))
    return list(found)


def _said(words: List[str]) -> str:
    """What a command prints; nothing if it fails, or is not there."""
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_PATIENCE,
                              stderr=subprocess.DEVNULL, check=True, encoding="ascii").stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError):
        debug.ignored()
        return ""


class _Running:
    """One that is, and files of what it has written."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._process = subprocess.Popen(launch.words, stdin=subprocess.DEVNULL, stdout=self._out,
                                         stderr=self._err)
        self._size, self._last = 0, time.monotonic()

    def is_over(self, patience: float) -> bool:
        """Whether it has ended, or says nothing new."""
        size, now = os.fstat(self._out.fileno()).st_size, time.monotonic()
        if size > self._size:
            self._size, self._last = size, now
        return self._process.poll() is not None or now - self._last > patience or size > _MOST

    def end(self) -> None:
        for number in (self._launch.ends_by, signal.SIGKILL):
            if self._process.poll() is None:
                self._process.send_signal(number)
                try:
                    self._process.wait(_GRACE)
                except subprocess.TimeoutExpired:
                    debug.ignored()

    def answers(self) -> Tuple[bytes, List[str], List[str]]:
        """(what was said, hosts that have not, sentences about what went wrong); these are a
        launcher's own only where no host has answered."""
        found = []
        for stream in (self._out, self._err):
            with stream:
                stream.seek(0)
                found.append(stream.read(_MOST))
        out, err = found
        heard = set(map(int, _LABEL.findall(out) if self._launch.labels else [b"0"] * bool(out)))
        silent = [host for at, host in enumerate(self._launch.hosts) if at not in heard]
        lines = [line for line in err.splitlines() if not heard or _LABEL.match(line) or
                 not self._launch.labels]
        return out, silent, [_OWN.sub(b"", line).decode("utf-8", "surrogateescape") for line in lines]


def report(given: Any, started: List[Launch]) -> int:
    """Prints what all of them say; the exit status. NoTarget where there is nothing."""
    merged = merged_verdicts.Merged()
    complaints: Dict[str, None] = {}
    silent: List[str] = []
    with progress.Bar("bytes of answers") as bar:
        for one in _over(started, _PATIENCE + (given.watch or 0)):
            out, unheard, sentences = one.answers()
            merge.read(merged, io.TextIOWrapper(io.BytesIO(out), "utf-8", "surrogateescape"), bar)
            silent += unheard
            complaints.update(dict.fromkeys(sentences))
    merged.skipped = 0  # the launcher's own
    for sentence in _first(complaints):
        complain(sentence)
    status = merge.printed(merged, given.json, given.html) if merged.groups else 0
    if silent:
        complain("no answer within %g s of %s." % (_PATIENCE, ", ".join(_first(silent))))
        return merge.INCOMPLETE
    if not merged.groups:
        raise NoTarget("No process there has an OpenMP runtime loaded.")
    return status


def _first(words: Collection[str]) -> List[str]:
    more = len(words) - _MOST_NAMED
    return list(words)[:_MOST_NAMED] + ["%d more" % more] * (more > 0)


def _over(started: List[Launch], patience: float) -> Iterator[_Running]:
    """Each of them, once it has ended, or has said nothing new for so long and was ended."""
    waiting = iter(started)
    running: List[_Running] = []
    try:
        while True:
            running += map(_Running, itertools.islice(waiting, _MOST_AT_ONCE - len(running)))
            if not running:
                return
            for one in [one for one in running if one.is_over(patience)]:
                running.remove(one)
                one.end()
                yield one
            time.sleep(_PAUSE)
    finally:
        for one in running:
            one.end()
