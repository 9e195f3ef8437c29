# SPDX-License-Identifier: MIT
"""Waits for processes that have come as far as they get."""

import os
import time

_LOOKS, _EVERY = 6, 0.05  # in each of so many, and so many seconds after the last one
_SPUN = 0.3  # seconds of a processor; LLVM's threads spin for 0.2 s before they sleep


def comes_to_rest(process, threads=2):
    """Waits for a process, by its id, to have at least so many threads, each of which sleeps or
    spins. How long is counted in what they had of the processors: a busy machine takes longer.
    False: it did not within half a minute."""
    before, spun, asleep = None, {}, {}
    for _ in range(600):
        time.sleep(_EVERY)
        program, now = _look(process)
        if (program, set(now)) != before:
            before = program, set(now)
            spun, asleep = {thread: used for thread, (_, used) in now.items()}, {}
        for thread, (state, _) in now.items():
            asleep[thread] = asleep.get(thread, 0) + 1 if state in "SZ" else 0
        if len(now) >= threads and all(asleep[thread] >= _LOOKS or used - spun[thread] > _SPUN
                                       for thread, (_, used) in now.items()):
            return True
    return False


def that_runs(process, name):
    """The process that runs a program of this NAME: it, or a child of it, as where `unshare` makes
    a namespace. None: there was none within a minute."""
    for _ in range(1200):
        try:
            with open("/proc/%d/task/%d/children" % (process, process), encoding="ascii") as stream:
                for one in (process, *map(int, stream.read().split())):
                    if os.path.basename(os.readlink("/proc/%d/exe" % one)) == name:
                        return one
        except OSError:
            pass
        time.sleep(_EVERY)
    return None


def states(process):
    """{thread: state by the kernel}; none of a process that is gone."""
    try:
        return {thread: state for thread, (state, _) in _threads(process).items()}
    except OSError:
        return {}


def _threads(process):
    """{thread: (state by the kernel, seconds it had of a processor)}."""
    found = {}
    for thread in os.listdir("/proc/%d/task" % process):
        with open("/proc/%d/task/%s/stat" % (process, thread), encoding="ascii",
                  errors="replace") as stream:
            words = stream.read().rpartition(")")[2].split()
        found[thread] = words[0], (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return found


def _look(process):
    """(its program, _threads())."""
    try:
        found = _threads(process)
        return os.readlink("/proc/%d/exe" % process), found
    except OSError:
        return None, {}
