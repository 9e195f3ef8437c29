# SPDX-License-Identifier: MIT
""""ompd locals" where the source cannot be read, and where a primary thread is not in its task yet.
What it shows else is in locals.rows."""

import re

import harness

t = harness.begin(__file__, program="scopes.c")

from openmp_inspect.source import clauses  # noqa: E402
from openmp_inspect.model.objects import Region  # noqa: E402

t.run("ompd on")
t.stop_at("inside")
clauses.read, read = lambda path, line: None, clauses.read
found = dict(re.findall(r"^  (?!encloser's)(\S+ +\w+) = (.*)$", t.run("ompd locals"), re.M))
found = {" ".join(name.split()): value for name, value in found.items()}
t.equal([found.get(name) for name in ("private first", "private sum", "private mine", "shared common")],
        ["4", "2", "4", "5"], "no source: the classes")
clauses.read = read
t.stop_at("in_task", "continue")
if not harness.CLANG:
    whole = Region.implicit_tasks
    Region.implicit_tasks = property(lambda region: whole.__get__(region)[-1:])
    t.like(t.run("ompd locals"), r"^around it tasks \(\) at scopes\.c:\d+, in thread \d:$",
           "before the master is in its own")
t.run("kill")
t.done()
