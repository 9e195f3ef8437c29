# SPDX-License-Identifier: MIT
#
# Recursion by tasks: of every kind with a block of one size; with each other size some kinds, each
# of which meets two or three sizes, less deep. The long run crosses them all.

from table import case, program

CLAUSES = ("plain", "undeferred", "final", "untied", "mergeable", "depend",
           "depend_undeferred", "detach", "detach_depend", "priority")
KINDS = CLAUSES + ("taskloop", "taskloop_undeferred", "taskloop_untied", "taskloops",
                   "variable_length", "by_hand", "by_hand_undeferred", "mixed")
# Those whose block has a size of its own.
ONCE = tuple(c + "_scalars" for c in CLAUSES) + ("sizes", "empty")
# Those that differ in how the runtime gets the block.
SHAPES = ("plain", "depend", "detach", "taskloop", "variable_length", "by_hand",
          "by_hand_undeferred", "mixed")
DEPTHS = (100, 300, 400, 800, 2000, 5000, 10000)
SHALLOW = 300

# (bytes, alignment, the deepest): what is deeper takes gigabytes of stack, bare too.
BLOCKS = ((8, 8, 10000), (24, 8, 10000), (32, 16, 10000), (64, 32, 10000),
          (64, 64, 10000), (4096, 8, 5000), (4096, 64, 2000), (100000, 8, 400))


def stack_megabytes(size, depth):
    """More than twice of what a bare recursion takes."""
    return 8 + depth * (10 * size + 12000) // (1 << 20)


def recursion(kind, threads, size, align, deepest, copied=False, long=False):
    name = "recursion%s-%d-%d" % ("_copied" if copied else "", size, align)
    binary = program("tasks/recursion" + ("_copied.cc" if copied else ".c"),
                     "-DBLOCK=%d" % size, "-DALIGN=%d" % align, "-rdynamic",
                     name=name)
    stack = stack_megabytes(size, deepest)
    case("%s of %d bytes at %d%s, %d threads, to depth %d" %
         (kind, size, align, ", copied" if copied else "", threads, deepest),
         binary, kind, str(threads), str(stack), *(str(d) for d in DEPTHS if d <= deepest),
         env={"OMP_STACKSIZE": "%dM" % stack}, long=long, timeout=60 if long else 30)


for at, (size, align, deepest) in enumerate(BLOCKS):
    usual = (size, align) == (24, 8)
    for copied in (False, True):
        for index, kind in enumerate(KINDS + (ONCE if usual and not copied else ())):
            short = usual and (not copied or kind in SHAPES)
            for threads in (2, 4):
                recursion(kind, threads, size, align, deepest, copied,
                          long=not short or threads != (2, 4)[(index + copied) % 2])
            if not usual and not copied and kind in SHAPES and \
                    (SHAPES.index(kind) + at) % 3 == 0:
                recursion(kind, (2, 4)[index % 2], size, align, SHALLOW)
