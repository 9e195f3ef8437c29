# SPDX-License-Identifier: MIT
"""Who is in a critical section where not all stacks can be looked at. What else is said of these hung
programs is in hung.rows."""

import harness

t = harness.begin(__file__, program="hung.c", timeout=200)
import json  # noqa: E402

from openmp_inspect.analysis import critical_holder  # noqa: E402


def rows():
    return {row["OMP"]: (row["State"], row["Waits for"]) for row in t.threads()}


with t.attached(t.program, "critical", threads=3):
    found, first = rows(), {row["number"]: row for row in json.loads(t.run("ompd threads -json"))}
    t.equal([first[n]["owner"] for n in range(3)], [first[2]["id"]] * 2 + [None], "as JSON")
    critical_holder.MOST_STACKS = 1
    t.equal(rows(), found, "who waits for it need not be looked at")
    critical_holder.MOST_STACKS = 64
with t.attached(t.program, "crossed", threads=3):
    critical_holder.MOST_STACKS = 2
    t.equal({omp: waits for omp, (_, waits) in rows().items()},
            {"0/3": "unnamed", "1/3": '"update"', "2/3": "-"},
            "nobody is told where not all can be looked at")
t.done()
