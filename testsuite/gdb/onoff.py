# SPDX-License-Identifier: MIT
"""ompd on and ompd off change the next run's environment, and exactly that."""

import harness

t = harness.begin(__file__, program="waits.c")
import os  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import elf  # noqa: E402
from gdb_openmp.host import inferiors  # noqa: E402


def environment():
    return inferiors.environment("LD_PRELOAD"), inferiors.environment("OMP_OMPD")


OTHERS = "ASAN_OPTIONS", "OMPD_RUN"


def others():
    return tuple(map(inferiors.environment, OTHERS))


def from_ompd_run(**variables):
    """What ompd-run sets where these variables are set."""
    printed = subprocess.run([t.stage + "/bin/ompd-run", "printenv", *OTHERS], check=True,
                             env=dict(os.environ, **variables), stdout=subprocess.PIPE)
    return tuple(printed.stdout.decode().splitlines())


t.equal(environment(), (None, None), "to begin with nothing is set")
t.equal(t.error("ompd off"), 'There is nothing to undo: "ompd on" was not used.',
        "off before on")
t.equal(t.run("ompd on"), "The next run preloads %s with OMP_OMPD=on.\n" % t.hooks,
        "on says what it did")
t.equal(environment(), (t.hooks, "on"), "and did it")
t.equal(others(), from_ompd_run(), "the rest is as ompd-run has it")
t.run("ompd on")
t.equal(environment(), (t.hooks, "on"), "twice is once")
t.like(t.run("ompd status"), r"next run +with hooks and tracking", "the status knows")
t.equal(t.run("ompd off"), "The next run goes without hooks.\n", "off says what it did")
t.equal((environment(), others()), ((None, None), (None, None)), "and did it")

t.run("set environment ASAN_OPTIONS = detect_leaks=0")
t.run("set environment LD_PRELOAD = /lib/one.so:/lib/two.so")
t.run("set environment OMP_OMPD = off")
t.run("ompd on")
t.equal(environment(), (t.hooks + ":/lib/one.so:/lib/two.so", "on"),
        "what was preloaded stays behind the hooks")
t.equal(others()[0], "verify_asan_link_order=0:detect_leaks=0", "so do sanitizer options")
t.equal(others()[1], "restore,+LD_PRELOAD,+OMP_OMPD,+ASAN_OPTIONS", "and it is marked")
t.run("ompd off")
t.equal(environment(), ("/lib/one.so:/lib/two.so", "off"), "and is alone again")
t.equal(others(), ("detect_leaks=0", None), "as are sanitizer options")
t.run("unset environment ASAN_OPTIONS")
t.run("ompd on")
t.run("set environment LD_PRELOAD = %s:/lib/one.so:/lib/two.so:/lib/three.so" % t.hooks)
t.run("ompd off")
t.equal(environment(), ("/lib/one.so:/lib/two.so:/lib/three.so", "off"),
        "what the user added in between stays")
t.run("unset environment LD_PRELOAD")
t.run("unset environment OMP_OMPD")

# Hooks loaded but told not to record.
t.run("set environment LD_PRELOAD = " + t.hooks)
t.stop_at("all_wait")
printed = t.noted("ompd threads")
rows = harness.table(printed)
t.equal({r["OMP"]: r["State"] for r in rows},
        {"0/6": "work", "1/6": "~wait critical", "2/6": "~wait critical", "3/6": "~wait lock",
         "4/6": "~wait nest lock", "5/6": "~wait barrier", "-": "not OpenMP"},
        "tracking off: what the runtime and the stacks tell")
t.ok(any(r.get("Where") == "anonymous () at " + t.mark("unnamed") for r in rows),
     "tracking off: places are known", printed)
t.like(t.run("ompd parallel"), r"^region +~compute \(\) .* 6 threads: ",
       "tracking off: the region")
t.like(t.run("ompd status"), r"^tracking +off: threads, teams, tasks and ICVs are known",
       "tracking off: the status")
t.run("kill")

t.run("unset environment LD_PRELOAD")
t.run("ompd on")
t.stop_at("all_wait")
t.equal({r["State"] for r in t.threads()} >= {"work", "wait critical"}, True,
        "on works for the run after it")
t.run("ompd off")
t.like(t.run("ompd status"), r"^tracking +on$", "off does not touch the process that runs")
t.stop_at("all_wait")
t.equal("~wait critical" in {r["State"] for r in t.threads()}, True,
        "but the next run goes without")

t.run("kill")
t.run("ompd on")
gdb.execute("file " + t.build("children.c", "children"))
printed = os.path.join(t.scratch, "printed")
t.run("run env >%s" % printed)
with open(printed, encoding="utf-8") as stream:
    left = [line for line in stream
            if line.startswith(("LD_PRELOAD", "OMP_OMPD", *OTHERS))]
t.equal(left, [], "children of the program have none of it")
t.run("ompd off")


# The same from a tree whose path LD_PRELOAD cannot name.
def printed_by(words, held):
    done = subprocess.run([*words, "sh", "-c", "env | sort; exec " + WITNESS],
                          env=dict(os.environ, **held), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines()


def of_hooks(lines):
    return [line for line in lines if line.startswith(("LD_", "OMP_OMPD=", *OTHERS))]


WITNESS = t.build("../environments/witness.c", "witness")
for odd, held in (("a tree", {}), ("a tree", {"LD_LIBRARY_PATH": "/x y:/z"}), ("a:tree", {}),
                  ("a tree;x", {})):
    tree = os.path.join(t.scratch, odd)
    if not os.path.exists(tree):
        shutil.copytree(t.stage, tree, symlinks=True)
    by_gdb = printed_by([os.environ.get("GDB") or "gdb", "-nx", "-batch", "-iex",
                         "set debuginfod enabled off", "-ex",
                         "source %s/share/ompd/gdb/ompd-gdb.py" % tree, "-ex", "ompd on",
                         "-ex", "run", "--args"], held)
    by_run = printed_by([tree + "/bin/ompd-run"], held)
    t.equal(of_hooks(by_gdb), [line.replace("ompd/$LIB/", "") for line in of_hooks(by_run)],
            "in %s: the environment is that of ompd-run" % odd)
    t.equal(["recording" in lines for lines in (by_gdb, by_run)], [odd == "a tree"] * 2,
            "and the program is recorded if that can be had")
    if odd != "a tree":
        t.ok(all(sum("Nothing can be preloaded from %s/lib, as that has a '" % tree in line
                     for line in lines) == 1 for lines in (by_gdb, by_run)),
             "one sentence says why not", *by_gdb, *by_run)
t.run("set args")
t.run("set environment ASAN_OPTIONS = detect_leaks=0")  # which cannot be had in a debugger
t.run("ompd on")
try:
    gdb.execute("file " + t.build("children.c", "sanitized", "-fsanitize=address"))
    t.run("set $_exitcode = 77")
    t.run("run")
    t.equal(int(gdb.parse_and_eval("$_exitcode")), 0, "-fsanitize=address: it starts")
except subprocess.CalledProcessError:
    t.skip("-fsanitize=address: it starts", "the compiler has none")
t.run("unset environment ASAN_OPTIONS")
t.run("ompd off")
gdb.execute("file")
t.like(t.run("ompd on"), "preloads %s " % t.hooks, "before a program is named, its own class")
t.run("ompd off")

t.equal(t.error("ompd nonsense"), 'Undefined ompd command: "nonsense".  Try "help ompd".',
        "a command that does not exist")
for extra in ("threads", "parallel", "tasks", "env", "status", "on", "off"):
    t.equal(t.error("ompd %s 1" % extra), '"ompd %s" takes no argument.' % extra,
            "ompd %s with an argument" % extra)

# Nothing can be preloaded into a static program; any other file is left to the system.
gdb.execute("file " + t.build("waits.c", "static", "-static"))
t.equal(t.error("ompd on"), "Nothing can be preloaded into this program: it is linked "
        "statically, so link it without -static first.", "on with a static program")
t.equal(environment(), (None, None), "changes nothing")
t.stop_at("all_wait")
status = t.run("ompd status")
t.like(status, "^hooks +none can be preloaded: the program is linked statically$",
       "which the status says, too")
t.ok("next run" not in status, "and recommends nothing", status)
t.equal({r["OMP"] for r in t.threads()}, {"-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"},
        "its threads are known")
t.run("kill")
gdb.execute("file " + t.build("waits.c", "pie", "-static-pie"))
t.like(t.error("ompd on") or "", "linked statically", "and with one that may lie anywhere")
for content in (b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\2\1\1" + bytes(60)):
    other = os.path.join(t.scratch, "other")
    with open(other, "wb") as stream:
        stream.write(content)
    t.equal(elf.is_static(other), False, "no program: %r" % content[:12])
t.done()
