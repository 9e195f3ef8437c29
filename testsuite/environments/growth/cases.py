# SPDX-License-Identifier: MIT
#
# Nothing grows with the number of constructs: thousands in "make check", a million in the long
# run, of threads a fiftieth.

from table import case, program

MEMORY = program("growth/memory.c")
for kind, short, long in (("regions", 50, 1000), ("sized-regions", 2, 20), ("tasks", 30, 1000),
                          ("orphans", 50, 1000), ("depends", 30, 1000), ("locks", 100, 1000),
                          ("threads", 4, 20), ("settings", 100, 1000),
                          ("work-sharing", 30, 1000)):
    for suffix, thousands in (("", short), (", long", long)):
        case("growth: %s%s" % (kind, suffix), MEMORY, kind, str(thousands),
             env={"OMP_WAIT_POLICY": "passive"}, long=bool(suffix),
             timeout=600 if suffix else 60)
