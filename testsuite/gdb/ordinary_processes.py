# SPDX-License-Identifier: MIT
"""Processes that begin, end, become others, or are several.
ordinary.py says how they are compared. {NAME} is the line of the mark of that name, {program}
the program."""

import ordinary

ordinary.compare({
    "run twice": """
        break {first}
        run
        run
        continue""",
    "kill and start": """
        break {first}
        run
        kill
        start
        continue
        kill""",
    "signals": """
        set args signal
        handle SIGUSR1 stop nopass
        run
        backtrace -no-filters 1
        continue""",
    "exec": """
        set args exec
        break {begin}
        run
        continue
        continue""",
    "fork, the parent": """
        set args fork
        set follow-fork-mode parent
        break {child}
        break {parent}
        run
        continue""",
    "fork, the child": """
        set args fork
        set follow-fork-mode child
        break {child}
        break {parent}
        run
        continue""",
    "fork, both": """
        set args fork
        set detach-on-fork off
        break {child}
        tbreak {forks}
        run
        next
        info inferiors
        inferior 2
        continue
        inferior 1""",
    "two inferiors": """
        tbreak {first}
        run
        add-inferior -exec {program}
        inferior 2
        tbreak {after}
        run
        inferior 1
        tbreak {after}
        continue
        info inferiors""",
    "attach and detach": """
        attach
        info inferiors
        break {wait}
        continue
        detach""",
})
