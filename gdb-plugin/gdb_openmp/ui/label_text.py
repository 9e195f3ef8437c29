# SPDX-License-Identifier: MIT
"""Labels of stacks as sentences."""

from __future__ import annotations

from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import escaped, text

if TYPE_CHECKING:
    from gdb_openmp.stacks.labelled_stack import Label


def sentence(label: Label) -> str:
    """A labelled_stack.Label with its facts, as `#pragma omp parallel, region 7, thread 2 of
    4`."""
    words = escaped.shown(label.words)
    facts = label.facts
    if label.kind == "other":  # its words go on with them
        named = ["task %d" % facts["task"]] if "task" in facts else []
        if "thread" in facts:
            named.append("thread %s" % text.thread(facts["thread"]))
        return "%s %s%s" % (words, " of ".join(named), label.more)
    if "region" in facts:
        words += ", region %d" % facts["region"]
    if "task" in facts:
        words += ", task %d" % facts["task"]
    if "thread_num" in facts and "num_threads" in facts:
        words += ", thread %(thread_num)d of %(num_threads)d" % facts
    elif "num_threads" in facts:
        words += ", %(num_threads)d threads" % facts
    return words + label.more
