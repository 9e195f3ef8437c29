# SPDX-License-Identifier: MIT
"""What a person types who does not know the commands yet, and what is said then."""

import harness

t = harness.begin(__file__, program="waits.c")
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

t.stop_at("all_wait")
for command, message in (
        ("ompd apply bogus bt", r'^"bogus" is no command, and no choice of threads: these are '
         r"team, all, level L, and numbers as 0,2-3\.$"),
        ("ompd bt 50", r'^There is no thread 50: "ompd bt" takes threads, and "bt 50" a number of '
         r"frames\.$"),
        ("ompd threads --nonsense", r'^"ompd threads" has no option "--nonsense"')):
    t.like(t.error(command) or "", message, command)
t.like(t.run("ompd bt 1 2"), r"(?ms)^Thread 1\b.*^Thread 2\b", "numbers of threads, one by one")
t.equal(t.run("ompd apply all -q printf \"x\""), "x" * 6, "a command of gdb is applied")
every = re.findall(r"^(ompd \w+) -- ", t.run("help ompd"), re.M)
t.ok(len(every) > 15, "the commands", *every)
for command in ["ompd", *every]:
    for option in ("-help", "--help"):
        t.equal(t.run("%s %s" % (command, option)), t.run("help " + command),
                "%s %s" % (command, option))
t.equal(t.run("ompd parallel --json"), t.run("ompd parallel -json"), "options with two dashes")
full = t.run("ompd bt -full")
t.equal(re.sub(r"^ {8}\w+ = .*\n", "", full, flags=re.M), t.run("ompd bt"),
        "ompd bt -full: the same lines")
t.like(full, r"^ {8}\w+ = ", "with variables")
made = t.run("ompd catch critical if nosuch")
t.like(made, r'^The condition means nothing here: No symbol "nosuch" in current context\. ',
       "a condition with an unknown name")
t.run("delete")
t.like(t.run("set ompd library /nonexistent"), r"^warning: There is no file /nonexistent\.$",
       "a library that is not there")
t.run("set ompd library")
t.equal(t.run("complete ompd apply l").splitlines()[0:1], ["ompd apply layout"],
        "commands are completed")
t.run("kill")

# Hooks, but no runtime.
gdb.execute("file")
with t.attached(t.stage + "/bin/ompd-run", "sleep", "600"):
    t.equal(t.error("ompd threads"), harness.NO_OPENMP, "a program without OpenMP under ompd-run")
    found = re.findall(r"^(\w+(?: run)?)  +\S", t.run("ompd status"), re.M)
    t.equal(found, sorted(set(found), key=found.index), "ompd status: each label once")

# A program whose file is gone.
gdb.execute("file")
path = t.build("waits.c", "gone")
with t.attached(path, "hold", says=b"holding") as process:
    t.run("detach")
    gdb.execute("file")
    os.remove(path)
    t.run("attach %d" % process.pid)
    if gdb.current_progspace().filename is None:
        remark = t.threads()[-1].get("remark", "")
        found = re.match(r'gdb does not know the program of this process or core: '
                         r'type "(.*)" to name it\.$', remark)
        if t.ok(found, "a deleted program: what to type", remark):
            gdb.execute(found.group(1), to_string=True)
            t.ok(any(row["OMP"].endswith("/6") for row in t.threads()), "and that is all")
    else:
        t.skip("a deleted program", "gdb finds it by itself")
t.done()
