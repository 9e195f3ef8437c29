# SPDX-License-Identifier: MIT
"""A program is started as if Python had not been between: it may have changed the environment, for
the C locale, and signals that it ignores."""

from __future__ import annotations

import itertools
import os
import signal
import sys

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import shell_screen

if TYPE_CHECKING:
    from typing import Dict, List, NoReturn, Optional

NO_INPUT = 66  # exit status, as sysexits.h has it
RECORDING = "--follow-children", "--history", "--sums", "--orders", "--version"  # ompd-run's
SUMMARY = "-summary", "--summary"
_IGNORED = signal.SIGPIPE, signal.SIGXFSZ


def has_own(words: List[str]) -> bool:
    """Whether more than ompd-run has to be said of the WORDS of `ompd run`: there is an option of its own
    before the program, one that is none, or no program."""
    rest = list(itertools.dropwhile(RECORDING.__contains__, words))
    return rest in ([], ["--"]) and "--version" not in words or \
        rest[:1] != ["--"] and "".join(rest[:1]).startswith("-")


def without_summary(words: List[str]) -> Optional[List[str]]:
    """The WORDS of `ompd run` without SUMMARY; None where that is not said, or with what watches."""
    own = list(itertools.takewhile((*RECORDING, *SUMMARY).__contains__, words))
    rest = words[len(own):]
    if not set(own) & set(SUMMARY) or rest in ([], ["--"]) or rest[0] != "--" and rest[0].startswith("-"):
        return None
    return [word for word in own if word not in SUMMARY] + rest


def command(words: List[str]) -> List[str]:
    """ompd-run, which is beside this command, with these WORDS."""
    return [os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "ompd-run"), *words]


def run(words: List[str]) -> int:
    """Becomes the command() of these WORDS; an exit status where that cannot be."""
    wanted = command(words)
    try:
        execute(wanted)
    except OSError as error:
        shell_screen.complain("%s: %s" % (wanted[0], error.strerror))
        return NO_INPUT


def execute(wanted: List[str]) -> NoReturn:
    """Becomes the command that is WANTED, whose first word is a path; OSError where that cannot be."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_DFL)
    os.execve(wanted[0], wanted, _environment())


def _environment() -> Dict[bytes, bytes]:
    """What this process was started with."""
    try:
        with open("/proc/self/environ", "rb") as stream:
            words = stream.read().split(b"\0")
    except OSError:
        debug.ignored()
        return dict(os.environb)
    return {name: value for name, _, value in (word.partition(b"=") for word in words) if name}
