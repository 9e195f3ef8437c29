# SPDX-License-Identifier: MIT
"""What a dialect may answer beyond the questions that every one does; None and empty lists
are what a dialect says that has no such routine. Handles are as in model.py."""

from collections import namedtuple

from ompd.errors import OmpdError

# What is known of a task beyond its handle; None is what is not. `thread`, `region`,
# `parent` and `scheduling` are handles, `flags` a set of names.
TaskFacts = namedtuple("TaskFacts", "kind state flags codeptr serial event dependences "
                                    "thread region parent scheduling")
NO_TASK_FACTS = TaskFacts(*[None] * len(TaskFacts._fields))

# `owner` and `owner_task` are handles, `waiters` a list of thread handles.
LockFacts = namedtuple("LockFacts", "address kind count codeptr frame life owner owner_task "
                       "waiters")
# `state` is a name or None, `region` a handle.
BarrierFacts = namedtuple("BarrierFacts", "region team_size members arrived state kind codeptr")

# `kind` is "libgomp" or "libomp", `recorded` "yes" or why not: "no_hooks", "off", "other",
# "not_called". `threads`, the first and last of the GCC versions that have its layout, and
# `file`, as the target has it, are None where they are not known; "" is the program.
RuntimeFacts = namedtuple("RuntimeFacts", "number kind recorded threads first_version "
                                          "last_version file")


class Optional:
    """The base of a dialect's Query."""

    incomplete = False  # the process has more objects than the library is willing to list
    bulk = False  # facts of all threads come in one call

    def runtimes(self):
        """RuntimeFacts of all runtimes, where the library lists them."""
        return []

    def has_several_runtimes(self):
        """Whether threads have used more than one of them."""
        return False

    def runtime_of(self, thread):
        """The number of the runtime in a team of which the thread is, or None."""
        return None

    def thread_facts(self):
        """(handle, key, {attribute of model.Thread: value}) of all threads, where bulk, with
        what is asked of each. State and wait are left out where more than the thread has to
        be looked at. `region` is a handle."""
        return []

    def kinds(self):
        """{kernel id, or None: (kind, number, handle)} of all threads, where bulk. Those of
        one kind are in the same state, for the same thing, inside the same call of the same
        region; the kind is None where one of these is not known."""
        return {}

    def codeptr(self, thread):
        """Return address of the call the thread is inside the runtime for, 0: in user code."""
        return None

    unread = None  # the OmpdError that says why records that are there cannot be read

    def barrier(self, thread):
        """The kind of the barrier of its team that it has entered and that has not released
        it: "within" the region or at its "end"; "none", or None when that is not known."""
        return None

    def frame(self, thread):
        """Stack pointer of the user code at that call, 0 alike."""
        return None

    def pthread(self, thread):
        return None

    def team_size(self, thread):
        """Threads in its innermost region, 1 outside."""
        return None

    def thread_level(self, thread):
        return None

    def region_codeptr(self, region):
        return None

    def region_kind(self, region):
        return None

    def encountering_task(self, region):
        return None

    def encountering_number(self, region):
        """The number that the thread which met the construct has in the enclosing region."""
        return None

    def task_facts(self, task):
        return NO_TASK_FACTS

    def task_state(self, task):
        return None

    def tasks(self):
        """Handles of all initial and explicit tasks, or None."""
        return None

    def dependences(self):
        """[(predecessor, successor, address, (kind of the one, of the other))]."""
        return []

    def locks(self):
        return []

    def lock(self, address, kind):
        """LockFacts of one whose kind is known; its waiters may not be."""
        raise OmpdError("unsupported", "ompd_ext_get_lock")

    def barriers(self):
        return []

    def cancelled(self, region):
        """Whether a region is cancelled, or None."""
        return None

    def requested(self, region):
        """What the num_threads clause asked for, 0 without one, or None."""
        return None

    def details(self, name, item):
        """{field: number} of what is known of the "team" of a region, or of the "loop" or the
        "stack" of a thread, by the names of ompd-ext.h; why a team is smaller than it was
        asked to be ("shortfall") is a word. Costs reads of its own."""
        return {}

    def forks(self):
        """Forks between the process that began to record and this one, or None."""
        return None

    def verdicts(self, evidence, count, size):
        """(records of verdicts, [(role, index of the evidence)]) of an array of evidence."""
        raise OmpdError("unsupported", "ompd_ext_get_verdicts")

    def icvs(self, scope, handle):
        """[(name, scope, value as a string)] of what belongs to an object; SCOPE is
        "address_space", "thread", "parallel" or "task"."""
        return []

    def control_vars(self):
        """["name=value"], or None."""
        return None

    def tool(self):
        """How a tool inside the process is served: "none", "ompt" (OpenMP 5.x), "ompt_2" (the
        2016 report), "runtime" (by the runtime itself, not by the hooks), or None."""
        return None

    def openmp_version(self):
        """What the runtime says it implements, as text, or None."""
        return None
