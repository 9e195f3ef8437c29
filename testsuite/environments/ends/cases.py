# SPDX-License-Identifier: MIT
#
# Ways out of constructs, threads and the process other than the ordinary one.

from table import case, program

EXCEPTIONS = program("ends/exceptions.cc")
for how in ("inside", "between"):
    case("exceptions " + how, EXCEPTIONS, how)
for how in ("region", "task", "undeferred", "critical"):
    case("an exception out of a " + how, EXCEPTIONS, how, status=44, out="terminated\n")
case("longjmp and other stacks", program("ends/jumps.c"))

# Without -fexceptions cleanup handlers are run by longjmp, with it by unwinding, which ends at
# the body of a task.
LEAVES = program("ends/leaves.c")
for place in ("serial", "task", "deferred", "group"):
    for how in ("exit", "cancel"):
        case("threads leave: %s-%s" % (how, place), LEAVES, "%s-%s" % (how, place))
UNWOUND = program("ends/leaves.c", "-fexceptions", name="leaves-unwound")
for how in ("exit-serial", "exit-group", "cancel-serial", "cancel-group", "cancel-between"):
    case("threads leave, unwound: " + how, UNWOUND, how)

HANDLERS = program("ends/handlers.c")
for how in ("asks", "constructs"):
    case("signal handlers: " + how, HANDLERS, how)

LATE = program("ends/late_regions.cc")
case("regions at the end", LATE)
case("the first regions at the end", LATE, "first")
