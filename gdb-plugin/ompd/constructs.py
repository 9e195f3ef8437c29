# SPDX-License-Identifier: MIT
"""Constructs whose body the compiler makes a function: what the runtime is called with."""

import collections

import gdb

from ompd import calls, gdbtext, names, space, target

# body: which argument is the address of the body. runs: when, and by whom: "here", by the
# calling thread before the call returns; "within", by any thread before; "later", by any
# thread, perhaps long after; "after", by the calling thread when the call has returned.
Opening = collections.namedtuple("Opening", "directive body runs")


def _opening(directive, body=0, runs="here"):
    return Opening(directive, body, runs)


_SCHEDULES = ("static", "dynamic", "guided", "runtime", "nonmonotonic_dynamic",
              "nonmonotonic_guided", "nonmonotonic_runtime", "maybe_nonmonotonic_runtime")

OPENINGS = {
    "GOMP_parallel": _opening("parallel"),
    "GOMP_parallel_reductions": _opening("parallel"),
    "GOMP_parallel_sections": _opening("parallel sections"),
    "GOMP_teams_reg": _opening("teams"),
    "GOMP_task": _opening("task", runs="later"),
    "GOMP_taskloop": _opening("taskloop", runs="within"),
    "GOMP_taskloop_ull": _opening("taskloop", runs="within"),
    "GOMP_target": _opening("target", 1),
    "GOMP_target_ext": _opening("target", 1, runs="within"),
    "GOMP_parallel_start": _opening("parallel", runs="after"),
    "GOMP_parallel_sections_start": _opening("parallel sections", runs="after"),
    "__kmpc_fork_call": _opening("parallel", 2),
    "__kmpc_fork_teams": _opening("teams", 2),
}
for _schedule in _SCHEDULES:
    OPENINGS["GOMP_parallel_loop_" + _schedule] = _opening("parallel for")
for _schedule in _SCHEDULES[:4]:
    OPENINGS["GOMP_parallel_loop_%s_start" % _schedule] = _opening("parallel for", runs="after")

_addresses = (None, {})  # of one Space: its token, openings by address
_libraries = (None, {})  # alike: name of a function -> the library that has it first


def openings():
    """Address -> Opening, of those that the selected program has; they are looked up anew
    when libraries have come or gone."""
    global _addresses
    token = space.current().token
    if _addresses[0] != token:
        found = {}
        for name, opening in OPENINGS.items():
            address = target.symbol_address(name)
            if address:
                found.setdefault(address, opening)
        _addresses = token, found
    return _addresses[1]


def is_outermost(frame):
    """Whether FRAME, in a function of the runtime, is the one that user code calls: of
    functions with one name that of the library which comes first. The hooks may leave by a
    jump, so that the stack does not show them."""
    global _libraries
    token = space.current().token
    if _libraries[0] != token:
        _libraries = token, {}
    name = (gdbtext.frame_name(frame) or "").partition("@")[0]
    known = _libraries[1]
    if name not in known:
        address = target.symbol_address(name)
        known[name] = None if address is None else gdbtext.library_at(address)
    return known[name] == gdbtext.library_at(frame.pc())


def directive_of_call(names_called):
    """The directive that functions of the runtime are called for, or None."""
    for name in names_called:
        if name in OPENINGS:
            return OPENINGS[name].directive
        if name == "GOMP_parallel_end":  # the runtime enters it by a jump
            return "parallel"
    return None


def body_of_call(frame):
    """The address of the body with which FRAME has called the runtime, as far as its code
    tells, or None."""
    opening = OPENINGS.get(calls.called(frame))
    if opening is None or opening.body != 0:
        return None
    return calls.checked_argument_at(frame.architecture().name(), frame.pc(), _is_body)


def _is_body(address):
    """Whether GCC made the function at ADDRESS of a construct."""
    symbol, offset = names.symbol_at(address)
    return offset == 0 and symbol is not None and "_omp_fn" in symbol
