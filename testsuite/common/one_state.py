# SPDX-License-Identifier: MIT
"""Whether `why` and `threads`, both with -json, say the same of the threads of one stop, and
the kernel likewise."""

import os

FUTEX = {"x86_64": 202, "aarch64": 98}.get(os.uname().machine)
WAITS, PRIVATE = (0, 6, 9, 11), 0x180  # operations of it, and flags
BARRIERS = {"wait_barrier", "wait_barrier_explicit", "wait_barrier_implicit"}
ORDERED, LOCKS = {"wait_ordered"}, {"wait_lock", "wait_nest_lock"}
# What a thread waits for, or does, in `why`: the states that it may have in `threads`.
STATES = {
    "barrier": BARRIERS, "region_end": BARRIERS, "region_begin": {"starting", "overhead"},
    "taskwait": {"wait_taskwait"}, "taskgroup": {"wait_taskgroup"}, "ordered": ORDERED,
    "iteration": ORDERED, "critical": {"wait_critical"}, "lock": LOCKS, "nest_lock": LOCKS,
    "idle": {"idle", "wait_region"}}


def contradictions(answers):
    """A line for each thing that the ANSWERS, by command, say differently of a thread."""
    rows = {row["lwp"]: row for row in answers["threads"] if isinstance(row, dict)}
    for verdict in answers["why"].get("verdicts") or ():
        for one in verdict["links"] + verdict["at"]:
            row = rows.get(one["lwp"])
            if row is None or one.get("polls"):
                continue
            does = one["waits_for"]["kind"] if "waits_for" in one else one["does"]
            is_told = row["state"] in STATES[does] if does in STATES else \
                does != "works" or not (row["state"] or "").startswith("wait_")
            for key in ("path", "function", "file", "line"):
                if one[key] != row[key]:
                    yield "%s of %s is %s and %s" % (key, row["lwp"], one[key], row[key])
            if not is_told:
                yield "%s is in the state %s, and why has %s" % (row["lwp"], row["state"], does)


def asleep(process, rows, is_asleep=lambda lwp: True):
    """A line for each of the ROWS of `threads` of a live process that is at work and asleep in a
    futex by the kernel, and also by IS_ASLEEP."""
    for row in rows if isinstance(rows, list) else ():
        if (row["state"] or "").startswith("work") and not row["call"] and \
                in_futex(process, row["lwp"]) and is_asleep(row["lwp"]):
            yield "%s is at work, and the kernel has it asleep" % row["lwp"]


def in_futex(process, lwp):
    try:
        with open("/proc/%s/task/%s/syscall" % (process, lwp), encoding="ascii") as stream:
            number, _, operation, *_ = stream.read().split()
            return number == str(FUTEX) and int(operation, 16) & ~PRIVATE in WAITS
    except (OSError, ValueError):
        return False
