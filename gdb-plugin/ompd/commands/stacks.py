# SPDX-License-Identifier: MIT
"""ompd stacks"""

import gdb

from ompd import frames, session, stacktree, story, target, text


class Command(gdb.Command):
    """Merge the stacks of all threads into one tree.

Usage: ompd stacks [-lines] [THREAD...]

Each leaf says how many threads are there, by which frames they came from main,
and gdb's numbers of the threads. Workers come by the frames of the thread that
met their region. In angle brackets: where in the runtime they are.
  -lines     keep calls from different lines of a function apart
  THREAD...  only these threads, as "1 3-5"; all without"""

    def __init__(self):
        super().__init__("ompd stacks", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        inferior = session.need_program()
        words = argument.split()
        lines = "-lines" in words
        words = [word for word in words if word != "-lines"]
        known = {thread.num: thread for thread in target.threads(inferior)}
        chosen = text.numbers(" ".join(words), known, "thread") if words else sorted(known)
        with session.sentences(), frames.selection_kept():
            told = story.current()
            remark = told.remark()
            tree = stacktree.Tree()
            for number in chosen:
                tree.add(stacktree.path(told, known[number], lines), number)
            gdb.write(text.count(len(chosen), "thread") + "\n")
            for line in stacktree.lines(tree) + remark:
                gdb.write(line + "\n")
