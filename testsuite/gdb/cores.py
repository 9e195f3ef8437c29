# SPDX-License-Identifier: MIT
"""Cores: written by gdb, written by the kernel, without libraries."""

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402
import os  # noqa: E402

from gdb_openmp.host import images, inferiors, modules, process  # noqa: E402
from openmp_inspect.core import elf  # noqa: E402

NUMBERS = ["-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"]


def open_core(path):
    gdb.execute("core-file " + path, to_string=True)


def same_as_live(kind, live):
    """What `ompd threads` shows, by OMP number: gdb may number threads otherwise."""
    rows = {r["OMP"]: r for r in t.threads()}
    t.equal(sorted(rows), NUMBERS, "%s: every thread is known" % kind)
    for number in NUMBERS[1:]:
        found = rows.get(number, {})
        wanted = live[number]
        for column in ("State", "Waits for") + (("Where",) if number != "0/6" else ()):
            t.equal(found.get(column), wanted[column],
                    "%s: %s of %s" % (kind, column, number))
    t.like(rows["0/6"]["Where"], r"^hold \(\) at waits\.c:\d+$",
           "%s: where the master was" % kind)
    t.like(t.run("ompd parallel"), r"^region \d+ +compute \(\) at %s +6 threads: " %
           t.mark("region"), "%s: the region" % kind)
    t.like(t.run("ompd status"), r"^tracking +on$", "%s: the status" % kind)


t.run("ompd on")
t.stop_at("all_wait")
live = {r["OMP"]: r for r in t.threads()}
gcore = os.path.join(t.scratch, "gcore")
gdb.execute("gcore " + gcore, to_string=True)
gdb.execute("kill", to_string=True)
open_core(gcore)
same_as_live("gcore", live)



def of_file(what, size=16):
    try:
        return images.unwritten(int(gdb.parse_and_eval(what)), size)
    except (OSError, ValueError):
        return None


# What nobody writes is a file's wherever that is; the rest is the core's alone.
t.equal([of_file("(long)&%s" % name) for name in ("hold", "puts")],
        [inferiors.read(int(gdb.parse_and_eval("(long)&%s" % name)), 16) for name in ("hold", "puts")],
        "code of the program and of a library, by their files")
t.equal([of_file(what) for what in ("(long)&stdout", "(long)$sp", "0")] + [of_file("(long)&hold", 1 << 30)],
        [None] * 4, "data, a stack, nothing, and more than is mapped")

kernel, reason = t.kernel_core("core", OMP_OMPD="on", LD_PRELOAD=t.hooks)
if kernel is None:
    t.skip("a core of the kernel", reason)
else:
    open_core(kernel)
    same_as_live("kernel core", live)
    with open(kernel, "rb") as stream:
        guards = [one.address for one in elf.read(stream).segments
                  if one.type == elf.LOAD and not one.size and modules.mapped_at(one.address) is None]
    # From 2.42 on glibc has the kernel keep stacks apart without mappings.
    libc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]))
    t.ok(len(guards) > 5 or libc >= (2, 42), "what keeps stacks apart is left out", guards)
    t.equal([process.current().is_readable(one) for one in guards], [False] * len(guards),
            "of which gdb has zeros: no memory")
    again = t.run("ompd threads")
    t.equal(t.run("ompd threads"), again, "asked again, it tells the same")

    # From one core to another, with nothing but gdb's own commands between.
    open_core(gcore)
    t.equal(sorted(r["OMP"] for r in t.threads()), NUMBERS, "then the other core")

    # The libraries are not where the core says, as on another machine.
    gdb.execute("core-file")
    gdb.execute("set sysroot /nonexistent")
    open_core(kernel)
    printed = t.noted("ompd threads")
    t.like(printed, r"^(libgomp\.so\.1|libompd-hooks\.so) of this core is not on this "
           r'machine \(build-id [0-9a-f]{8}\u2026\)\. Set "set sysroot DIR" or "set '
           r'solib-search-path DIR" to where it is\.$',
           "a core without its libraries says what is missing")
    t.like(t.run("ompd status"), "is not on this machine", "and so does the status")
    gdb.execute("set sysroot /")
    t.equal(sorted(r["OMP"] for r in t.threads()), NUMBERS, "which helps")

    # gdb was told not to read libraries.
    gdb.execute("core-file")
    gdb.execute("set auto-solib-add off")
    open_core(kernel)
    printed = t.noted("ompd threads")
    t.like(printed, r'^gdb has not loaded \S+: type "sharedlibrary" to load it\.$',
           "a core whose libraries were not loaded")
    gdb.execute("sharedlibrary", to_string=True)
    t.equal(sorted(r["OMP"] for r in t.threads()), NUMBERS, "which helps, too")
    gdb.execute("set auto-solib-add on")

    # Only the core, no program.
    gdb.execute("core-file")
    gdb.execute("file")
    os.rename(t.program, t.program + ".away")
    open_core(kernel)
    printed = t.noted("ompd threads")
    # gdb 18 finds the libraries of a core without the program.
    t.like(printed, r"^gdb does not know the program of this process or core: type "
           r'"file PROGRAM" to name it\.$|^  \d +5/6  wait barrier ', "a core without its program")
    os.rename(t.program + ".away", t.program)
gdb.execute("core-file")
t.equal(t.error("ompd threads"), harness.NO_PROGRAM, "without the core there is nothing to tell")
t.done()
