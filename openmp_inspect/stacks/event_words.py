# SPDX-License-Identifier: MIT
"""What is said of a thread that `ompd catch` has stopped."""

from __future__ import annotations

from openmp_inspect.core import escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import labels

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.catch_kinds import How
    from openmp_inspect.stacks.stitched_stack import StitchedStacks


def of_body(process: Process, construct: Optional[str], body: Optional[int], unknown: str) -> str:
    """The region or task of a CONSTRUCT whose BODY a function of the runtime was called with."""
    return unknown if body is None else labels.of_body(process, construct or "", body)


def of_object(stacks: StitchedStacks, kind: str, address: Optional[int]) -> str:
    """The lock or critical section at an ADDRESS, by name where there is one; or the KIND."""
    if address is None:
        return kind
    if kind == "lock":
        return text.worded("lock %s" % (stacks.object_at(address) or "%#x" % address))
    known = symbol_names.critical(stacks.process, address)
    return 'critical "%s"' % escaped.shown(known) if known else "critical"


def sentence(how: How, who: str, noun: str, place: str) -> str:
    """WHO is a thread; NOUN is of_body(), of_object(), or a kind; PLACE, " at heat.c:28", or
    nothing, is left out behind a directive, which has its own."""
    place = "" if noun.startswith(("#", "!")) else place
    if how.way == "last":
        return "the whole team is at the barrier%s, %s came last" % (place, who)
    if how.verb.startswith("has"):
        return "%s: %s%s %s" % (who, noun, place, how.verb)
    return "%s %s %s%s" % (who, how.verb, noun, place)
