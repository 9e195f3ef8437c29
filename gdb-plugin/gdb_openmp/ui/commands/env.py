# SPDX-License-Identifier: MIT
"""ompd env"""

import gdb

from gdb_openmp.host import escaped, options
from gdb_openmp.ui import session


class Command(options.Command):
    """Show the control variables with which the program runs.

Usage: ompd env [-json]

One line for each, as OMP_X = value: what the runtime made of its environment,
defaults included.

  -json  an object with a key for each variable"""

    name = "ompd env"
    flags = ("json",)

    def answer(self, given):
        return dict(_pairs())

    def run(self, given, from_tty):
        gdb.write("".join("%s = %s\n" % tuple(map(escaped.shown, pair)) for pair in _pairs()))


def _pairs():
    """[(variable, value)]"""
    session.need_program()
    with session.sentences(), session.snapshot() as snapshot:
        variables = snapshot.control_vars()
    if variables is None:
        raise gdb.GdbError("The runtime of this program has not recorded its control "
                           'variables: "ompd icvs" shows what is known of them.')
    return [tuple(variable.partition("=")[::2]) for variable in variables]
