# SPDX-License-Identifier: MIT
"""Native threads by their ids, and thread-local symbols, for libraries that ask."""

import gdb

from gdb_openmp.core import debug
from gdb_openmp.host import inferiors, symbols, thread_ids

def thread_of(space, kind, number):
    """The gdb thread of the selected inferior, which SPACE is about, whose id of this KIND
    ("lwp" or "pthread") is NUMBER, or None. A library may ask for every thread, so they are
    gone through once a stop."""
    known = space.natives.get(kind)
    if known is None:
        id_of = {"lwp": thread_ids.lwp, "pthread": thread_ids.pthread}.get(kind)
        if id_of is None:
            return None
        known = space.natives[kind] = {
            id_of(thread): thread for thread in inferiors.threads(gdb.selected_inferior())}
    return known.get(number)


def address(space, lwp, name):
    """Where a thread-local symbol is in the thread with this kernel id, or None.

    Asking gdb takes milliseconds. In a library that was loaded with the program the
    distance from the thread pointer is the same for all threads, so once two threads have
    agreed the others are not asked."""
    thread = thread_of(space, "lwp", lwp)
    if thread is None:
        return None
    pointer = thread_ids.pthread(thread)
    known = space.distances.setdefault(name, {})
    if pointer is not None and len(known) >= 2 and len(set(known.values())) == 1:
        return (pointer + next(iter(known.values()))) % (1 << 64)
    with inferiors.selection_kept():
        try:
            thread.switch()
        except gdb.error:
            debug.ignored()
            return None
        found = symbols.address(name)
    if found is not None and pointer is not None and len(known) < 2:
        known[lwp] = (found - pointer) % (1 << 64)
    return found
