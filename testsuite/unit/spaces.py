#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a Space keeps of a process: one snapshot at a stop, whose handles are given back once, and
never while a command uses them."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
# pylint: disable=wrong-import-position
from tap import Tap  # noqa: E402
from openmp_inspect.core.errors import OmpdError  # noqa: E402
from openmp_inspect.host import fake  # noqa: E402
from openmp_inspect.bindings import spaces  # noqa: E402
from openmp_inspect.model import snapshot as model  # noqa: E402
from openmp_inspect.model.snapshot import Snapshot  # noqa: E402


class Session:
    """Counts what is asked for and given back."""

    def __init__(self):
        self.queries = self.released = 0

    def query(self):
        self.queries += 1
        return self

    def release(self):
        self.released += 1

    def close(self):
        self.released = -1000  # what is given back now was not valid any more


def made():
    """(a Space that commands are about, the Session that it opens)"""
    session = Session()
    here = spaces.Space(fake.Process({}), "here")
    here.still = True
    spaces.open_by(lambda _: session)
    return here, session


def fails(kind):
    """A command that ends with an exception of this KIND."""
    try:
        with Snapshot.of(here):
            raise kind("", "") if kind is OmpdError else kind()
    except kind:
        pass


tap = Tap()
here, session = made()
with Snapshot.of(here) as first, Snapshot.of(here) as nested:
    tap.equal(nested, first, "commands inside of commands have one snapshot")
with Snapshot.of(here) as second:
    tap.equal(second, first, "as have those that follow at one stop")
tap.equal((session.queries, session.released), (1, 0), "and nothing is given back between them")

with Snapshot.of(here) as before:
    here.forget()
    with Snapshot.of(here) as after:
        tap.ok(after is not before, "where memory changes meanwhile there is another one")
    tap.equal(session.released, 0, "the command that has the first one may still use it")
tap.equal(session.released, 1, "until it ends")
here.forget()
tap.equal(session.released, 2, "the other one is given back when the program runs on")

for kind in (OmpdError, KeyboardInterrupt):
    session.queries = session.released = 0
    fails(kind)
    tap.equal((session.queries, session.released), (1, 1),
              "after %s nothing is kept" % kind.__name__)

rows = []
for _ in range(2):
    with here.in_use():
        rows += [here.made("rows", object), here.made("rows", object)]
tap.equal((rows[0] is rows[1], rows[2] is rows[3], rows[1] is rows[2]), (True, True, False),
          "what a command makes lives as long as that")
tap.ok(here.made("rows", object) is not here.made("rows", object), "and is not kept without one")

with Snapshot.of(here) as many:
    many._tasks.update((n, None) for n in range(model._MOST_TASKS + 1))  # pylint: disable=W0212
with Snapshot.of(here) as fewer:
    tap.ok(fewer is not many, "very many tasks are not kept")

session.released = 0
with Snapshot.of(here):
    here.close()
    tap.ok(session.released < 0, "a process that ends meanwhile has its session closed")
tap.equal(session.released, -1000, "and what was found out is given back before that, once")
tap.end()
