# SPDX-License-Identifier: MIT
"""What a program has done last, as its flight recorder has it: the order and the times of events,
live and in a core; of programs that keep none, that this is so."""

import harness

t = harness.begin(__file__, program="history.c")
import json  # noqa: E402
import os  # noqa: E402

import gdb  # noqa: E402

RUN = os.path.join(os.environ["stage"], "bin/ompd-run")
PROGRAM = gdb.current_progspace().filename
# Of thread 0/2 and of the other one; LLVM's runtime does not report releases.
PRIMARY = ["begins region", "acquires lock table", "leaves a barrier", "releases lock table",
           'acquires critical "total"', 'releases critical "total"', "creates task", "begins task",
           "ends task", "leaves the end of the region", "ends region", "acquires lock table",
           "waits for lock table"]
WORKER = ["joins region", "leaves a barrier", "acquires lock table", "releases lock table",
          "leaves the end of the region"]


def events(words=""):
    return json.loads(t.run("ompd history -last 999 -json " + words))


def of_thread(found, number, skipped=()):
    return [event["words"].rstrip(" 0123456789") for event in found
            if event["thread"] == number and
            not any(event["words"].startswith(one) for one in skipped)]


def is_known(event, mark):
    return event["line"] == t.line(mark)


with t.attached("env", "OMP_OMPD=off", RUN, "--history", PROGRAM, says=b"asleep"):
    t.ok(events(), "--history before a word of the user's")
SKIPPED = ("releases",) if harness.CLANG else ()
with t.attached(RUN, "--history", PROGRAM, says=b"asleep"):
    for kind in t.live_and_core():
        found = events()
        t.equal(of_thread(found, 1, SKIPPED),
                [words for words in PRIMARY if not words.startswith(SKIPPED or "-")],
                "the primary thread" + kind)
        t.equal(of_thread(found, 2, SKIPPED),
                [words for words in WORKER if not words.startswith(SKIPPED or "-")],
                "the other one" + kind)
        waited = [event for event in found if event["thread"] == 2 and
                  event["words"] == "acquires lock table"]
        t.ok(len(waited) == 1 and 0.04 < (waited[0]["waited_seconds"] or 0) < 30,
             "for how long it has waited" + kind, waited)
        seconds = [event["seconds"] for event in found]
        t.ok(None not in seconds and seconds == sorted(seconds) and seconds[-1] <= 0,
             "in time" + kind, seconds)
        t.ok(found[-1]["open"] and is_known(found[-1], "hangs"), "the last one is a wait" + kind,
             found[-1])
        t.equal([event["number"] for event in events("1")],
                list(range(1, len(events("1")) + 1)), "one thread alone" + kind)
        printed = t.run("ompd history -last 2")
        t.like(printed, r"\A *Seconds +Thread +Event +Waited +Where\n"
               r".* acquires lock table .*\n.* waits for lock table .* main \(\) at history\.c:\d+"
               r"(\n|\Z)", "the last two" + kind)

with t.attached(RUN, "--history", PROGRAM, "turns", says=b"asleep"):
    found = events("1")
    t.equal((len(found), found[-1]["number"] - found[0]["number"]), (256, 255),
            "the last 256 of more")
    t.like(t.run("ompd threads"), "wait lock", "what else is recorded")
    t.like(t.error("ompd history -last 0"), "^-last takes a number of events, 1 or more.$",
           "no events")

# The outer wait begins before the inner one, and ends after it.
with t.attached(RUN, "--history", PROGRAM, "nested", says=b"asleep"):
    waits = [event for event in events("1") if event["words"].endswith(" taskwait")]
    waited = [event["waited_seconds"] or 0 for event in waits]
    t.ok(len(waits) > 40 and not any(event["open"] for event in waits) and
         waited == sorted(waited, reverse=True) and waited[-1] > 0.009, "waits within waits", waits)

# A child keeps its own.
with t.attached(RUN, "--history", "--follow-children", PROGRAM, "fork", says=b"asleep") as process:
    t.run("detach")
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as stream:
        t.run("attach " + stream.read().split()[0])
    t.equal(of_thread(events(), 1, SKIPPED)[-2:], PRIMARY[-2:], "the child of a fork")
    t.run("kill")

with t.attached(RUN, PROGRAM, says=b"asleep"):
    t.like(t.error("ompd history"), "^No history is kept of this program: start it with "
           '"ompd-run --history", or with OMP_OMPD=history and the hooks preloaded.$',
           "a program that only records")
with t.attached(PROGRAM, says=b"asleep"):
    t.like(t.error("ompd history"), "^No history is kept", "one that is not prepared")
t.done()
