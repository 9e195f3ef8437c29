# SPDX-License-Identifier: MIT
"""Labels of stacks as sentences."""

from gdb_openmp.host import escaped, text


def sentence(label):
    """A labelled_stack.Label with its facts, as `#pragma omp parallel, region 7, thread 2 of
    4`."""
    words = escaped.shown(label.words)
    facts = label.facts
    if label.kind == "other":  # its words go on with them
        named = ["%s %s" % (name, say(facts[name]))
                 for name, say in (("task", str), ("thread", text.thread)) if name in facts]
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
