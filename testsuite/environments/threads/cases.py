# SPDX-License-Identifier: MIT
#
# Many threads, threads that come first together, and the loader at work meanwhile.

from table import case, module, program

MANY = program("threads/many.c")
for total, at_once, team, long in ((10000, 50, 1, False), (1000, 1000, 1, False),
                                   (600, 300, 2, False), (20000, 20, 2, True),
                                   (4000, 1000, 2, True)):
    case("threads: %d, %d at once, teams of %d" % (total, at_once, team), MANY, str(total),
         str(at_once), str(team), env={"OMP_WAIT_POLICY": "passive"}, long=long, timeout=60)

FIRST = program("threads/first_use.c")
for threads in (2, 8):
    case("first use by %d threads" % threads, FIRST, str(threads), "10")
    case("first use by %d threads, with a slow tool" % threads, FIRST, str(threads), "10",
         env={"SLOW_TOOL": "300"}, modes=("tool",))

case("first use by a thread of the least stack", program("threads/least.c"))

LATE = module("threads/late.c")
LOADER = program("threads/loader.c", openmp=False)
SECOND = module("threads/second.c", openmp=False)
for how in ("meanwhile", "enables", "constructor", "callback", "closing", "destructor"):
    case("loader: " + how, LOADER, how, needs=(LATE, SECOND), timeout=10)
LINKED_LOADER = program("threads/loader.c", "-Wl,--no-as-needed", name="loader-linked")
case("loader: thread", LINKED_LOADER, "thread", needs=(LATE,), timeout=10)

UNLOADS = program("threads/unloads.c", openmp=False)
LINKED = module("threads/late.c", "-L{stage}/lib", "-Wl,-rpath,{stage}/lib",
                "-Wl,--no-as-needed", "-lompd-hooks", name="late-linked")
case("a plugin that unloads", UNLOADS, "./late.so", "5", needs=(LATE,))
case("a plugin that unloads, linked with the hooks", UNLOADS, "./late-linked.so", "5",
     needs=(LINKED,))
case("a plugin that unloads, linked with the hooks, recording", UNLOADS, "./late-linked.so",
     "5", needs=(LINKED,), env={"OMP_OMPD": "on"})
