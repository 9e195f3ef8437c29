# SPDX-License-Identifier: MIT
"""What gdb and the command say of one state, without what they may say otherwise: gdb's numbers of
threads are replaced by the kernel's ids, which the command has."""

import functools
import os
import re
import subprocess

# What may differ: in which command's answer, below which key ("" anywhere), why.
LEFT_OUT = (
    ("", "selected", "the command has no selected thread"),
    ("", "next", "what to type is another host's"),
    ("", "id", "a thread's number is gdb's own; the rows are compared by lwp"),
    ("", "cpu_seconds", "time goes on, and a core of gdb's has none"),
    ("", "elapsed_seconds", "likewise"),
    ("", "wait_seconds", "likewise"),
    ("", "wait_at_least", "likewise"),
    ("locks", "held_seconds", "likewise"),
    ("threads", "cpu_recent", "gdb does not look twice"),
    ("threads", "processor", "a thread that runs may have moved"),
    ("why", "unknown", "words for what is not known are about the host"),
)
# What only the command says of a process, beside its verdicts: ranks are merged by it.
OF_COMMAND = ("host", "job", "lines", "program", "rank", "sentence", "size", "threads")
# The command reads no debug information of libc, which takes longer than all else: a function of
# it is known by its dynamic symbol or, where there is none, by the call that led to it. gdb's names
# here are those of libc6-dbg.
OF_LIBC = {"_IO_fwrite": "fwrite", "__pthread_mutex_lock_full": "pthread_mutex_lock",
           "__pthread_mutex_clocklock_common": "pthread_mutex_timedlock"}
_START = re.compile(r"libc\.so\.6\+0x[0-9a-f]+\Z")  # of a thread, in "clone3"
_OF_THREADS = ("thread", "threads", "others", "owner", "waiters")
# Which of several is named goes by their numbers; gdb has another order in a kernel's core.
_FIRST = re.compile(r"thread \d+( \(\d+/\d+\))?(?= and \d+ more)")
_NAMED = re.compile(r"(?<=held by )\d+|(?<=thread )\d+")


@functools.lru_cache(maxsize=None)
def _is_from_last():
    """Whether gdb numbers the threads of a process from the last one on."""
    said = subprocess.run([os.environ["GDB"], "--version"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return int(re.search(r"(\d+)\.\d", said.partition("\n")[0]).group(1)) >= 16


def _numbers(threads):
    """The kernel's id by gdb's number."""
    return {row["id"]: row["lwp"] for row in threads if isinstance(row, dict) and row.get("id")}


def _of(value, key, command, numbers):
    if isinstance(value, dict):
        dropped = {name for where, name, _ in LEFT_OUT if where in ("", command)} - \
            ({"id"} if command == "why" else set())
        return {k: _of(v, k, command, numbers) for k, v in value.items() if k not in dropped}
    if isinstance(value, list):
        found = [_of(one, key, command, numbers) for one in value]
        return sorted(found) if key in _OF_THREADS and all(isinstance(one, int) for one in found) \
            else found
    if key in _OF_THREADS and isinstance(value, int):
        return numbers.get(value, value)
    if isinstance(value, str):
        return _NAMED.sub(lambda found: str(numbers.get(int(found.group()), found.group())),
                          _FIRST.sub("a thread", value))
    return value


def _steps(names):
    """Those of a stack, the oldest one first."""
    return [OF_LIBC.get(name, "clone3" if at == 0 and _START.match(name) else name)
            for at, name in enumerate(names)]


def normal(answers):
    """The answers of each command, by what is compared: verdicts in order, their links and rows by
    lwp, as gdb from 16 on numbers threads in another order than the kernel, stacks by threads."""
    threads = answers["threads"] if isinstance(answers["threads"], list) else []
    numbers = _numbers(threads)
    found = {command: _of(answer, None, command, numbers) for command, answer in answers.items()}
    if isinstance(found["why"], dict):
        found["why"] = {k: v for k, v in found["why"].items() if k not in OF_COMMAND}
        for verdict in found["why"].get("verdicts", ()):
            if "links" in verdict and _is_from_last():
                verdict["links"] = sorted(verdict["links"], key=lambda link: str(link.get("lwp")))
    rows = found["threads"]
    if isinstance(rows, list):
        found["threads"] = {str(row["lwp"]): row for row in rows}
    if isinstance(found["stacks"], list):
        found["stacks"] = {str(one["threads"]): _steps(one["steps"]) for one in found["stacks"]}
    return found


def differences(wanted, found, path="", names=("gdb", "ompd")):
    """Lines: where two values differ, and both. NAMES: of who says them."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        lines = []
        for key in sorted(set(wanted) | set(found)):
            if key not in wanted or key not in found:
                lines.append("%s/%s: only %s has it: %r" % (
                    path, key, names[key not in wanted], wanted.get(key, found.get(key))))
            else:
                lines += differences(wanted[key], found[key], "%s/%s" % (path, key), names)
        return lines
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [line for at, (one, other) in enumerate(zip(wanted, found))
                for line in differences(one, other, "%s[%d]" % (path, at), names)]
    return [] if wanted == found else ["%s: %s %r, %s %r" % (path, names[0], wanted, names[1], found)]
