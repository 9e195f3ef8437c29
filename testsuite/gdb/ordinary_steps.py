# SPDX-License-Identifier: MIT
"""Stops and steps in one thread after the other, while teams come and go.
ordinary.py says how they are compared. {NAME} is the line of the mark of that name, {program}
the program."""

import ordinary
from ordinary import ANY

ordinary.compare({
    "breakpoints, step, next, until, finish": """
        break {begin}
        run
        next
        next
        step
        finish
        tbreak {after}
        continue
        step
        until
        finish
        next""",
    "step into a region": """
        break {call}
        run
        step
        next
        step
        info breakpoints""",
    "next over a region": """
        tbreak {call}
        run
        next
        next
        next""",
    "conditions": """
        break {critical} if number == 2
        run
        up 0
        finish
        continue""",
    "ignore counts" + ANY: """
        break {task}
        ignore 2 2
        run
        info breakpoints
        delete 2
        continue""",
    "watchpoints": """
        break {after}
        run
        watch total
        continue
        continue""",
    "a breakpoint in every thread" + ANY: """
        break {critical}
        run
        continue
        continue
        continue
        delete 2
        continue""",
})
