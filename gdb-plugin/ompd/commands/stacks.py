# SPDX-License-Identifier: MIT
"""ompd stacks"""

import gdb

from ompd import frames, options, session, stacktree, story, target, text


class Command(options.Command):
    """Merge the stacks of all threads into one tree.

Usage: ompd stacks [-lines] [THREAD...]

Each leaf says how many threads are there, by which frames they came from main,
and gdb's numbers of the threads. Workers come by the frames of the thread that
met their region. In angle brackets: where in the runtime they are.
  -lines     keep calls from different lines of a function apart
  THREAD...  only these threads, as "1 3-5"; all without"""

    name = "ompd stacks"
    flags = ("lines",)
    takes = 1 << 20
    category = gdb.COMMAND_STACK

    def run(self, given, from_tty):
        inferior = session.need_program()
        known = {thread.num: thread for thread in target.threads(inferior)}
        chosen = text.numbers(given.words, known, "thread") if given.words else sorted(known)
        with session.sentences(), frames.selection_kept():
            told = story.current()
            remark = told.remark()
            tree = stacktree.Tree()
            for number in chosen:
                tree.add(stacktree.path(told, known[number], given.lines), number)
            gdb.write(text.count(len(chosen), "thread") + "\n")
            for line in stacktree.lines(tree) + remark:
                gdb.write(line + "\n")
