# SPDX-License-Identifier: MIT
"""A library that calls the runtime past the hooks: what they have recorded of owners may be false, so
that nothing follows from it for certain."""

import harness

t = harness.begin(__file__, program="deepbind.c")
library = t.build("deepbind.c", "lib deep.so", "-DLIBRARY -shared -fPIC")
PAST = "what lib deep.so does with locks, which calls the runtime itself"


def why():
    """(id and certainty of the first verdict, what is not known, what is printed)"""
    found = t.json("why")
    first = found["verdicts"][0]
    return (first["id"], first["certainty"]), found["unknown"], t.noted("ompd why")


for more, name in (((), "RTLD_DEEPBIND"), (("within",), "bound to the hooks")):
    with t.attached(t.program, library, *more, threads=2, recorded=True):
        for kind in t.live_and_core():
            told, unknown, printed = why()
            t.equal((told, PAST in unknown, "~holds lock" in printed),
                    (("lock-holder-waits", "possible"), False, False) if more or harness.CLANG else
                    (("lock-self", "likely"), True, True), name + kind)
t.done()
