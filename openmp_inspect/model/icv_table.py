# SPDX-License-Identifier: MIT
"""Internal control variables: what they mean, and what GCC's runtime sets them to when
nobody says otherwise."""

from __future__ import annotations

from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Tuple, Union
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.query import Icv


class Setting(NamedTuple):
    name: str
    value: Name


# Name -> (meaning, defaults). No defaults: it is no setting, but says where a task or thread
# is. "procs" is the number of processors.
_KNOWN: Dict[str, Tuple[str, Optional[Tuple[str, ...]]]] = {
    "active-levels-var": ("active regions around it", None),
    "affinity-format-var": ("how affinity is shown",
                            ("level %L thread %i affinity %A",)),
    "available-devices-var": ("devices that may be used", None),
    "bind-var": ("how threads are bound to places", ("false",)),
    "cancel-var": ("whether cancellation is on", ("false",)),
    "debug-var": ("support of debuggers", ("disabled",)),
    "def-allocator-var": ("default memory allocator", ("omp_default_mem_alloc",)),
    "def-sched-var": ("schedule of loops", ("static",)),
    "default-device-var": ("default device", ("0",)),
    "display-affinity-var": ("whether affinity is shown", ("false",)),
    "dyn-var": ("whether teams may be smaller", ("false",)),
    "explicit-task-var": ("whether it is an explicit task", None),
    "final-task-var": ("whether it is a final task", None),
    "implicit-task-var": ("whether it is an implicit task", None),
    "league-size-var": ("teams of the league", None),
    "levels-var": ("parallel regions around it", None),
    "max-active-levels-var": ("regions that may nest",
                              ("1", "2147483647")),
    "max-task-priority-var": ("highest priority of tasks", ("0",)),
    "nteams-var": ("most teams of a league", ("0",)),
    "nthreads-var": ("threads of the next region", ("procs",)),
    "num-devices-var": ("devices", None),
    "num-procs-var": ("processors", None),
    "place-partition-var": ("places it may run on", ("",)),
    "run-sched-var": ("schedule of loops at run time", ("dynamic,1", "dynamic")),
    "stacksize-var": ("stack of new threads in bytes", ("0",)),
    "target-offload-var": ("whether devices are used", ("default",)),
    "team-size-var": ("threads of its team", None),
    "teams-thread-limit-var": ("most threads of such a team", ("0",)),
    "thread-limit-var": ("most threads",
                         ("2147483647", "4294967295")),
    "thread-num-var": ("its number in its team", None),
    "tool-var": ("support of tools", ("enabled",)),
    "tool-libraries-var": ("tools to be loaded", ("",)),
    "tool-verbose-init-var": ("where loading them is reported", ("disabled",)),
    "wait-policy-var": ("how waiting threads wait", ("undefined", "unspecified", "passive")),
}
_UNKNOWN = ("", None)
_ALIAS = "ompd-"
UNJUDGED = " (default: the number of processors)"

# Variable of the environment -> the ICV that has its defaults, or these. Not here is what says
# with what a program runs, and is no setting, and OMP_NESTED: OMP_MAX_ACTIVE_LEVELS says more.
# Those of LLVM's runtime are only listed when they are set.
_VARIABLES: Dict[str, Union[str, Tuple[str, ...]]] = {
    "GOMP_CPU_AFFINITY": ("",),
    "GOMP_DEBUG": ("0",),
    "GOMP_STACKSIZE": ("0",),
    "OMP_AFFINITY_FORMAT": "affinity-format-var",
    "OMP_ALLOCATOR": ("omp_default_mem_alloc", ""),  # libgomp of GCC 10 does not say
    "OMP_CANCELLATION": "cancel-var",
    "OMP_DEBUG": "debug-var",
    "OMP_DEFAULT_DEVICE": "default-device-var",
    "OMP_DISPLAY_AFFINITY": "display-affinity-var",
    "OMP_DISPLAY_ENV": ("false",),
    "OMP_DYNAMIC": "dyn-var",
    "OMP_MAX_ACTIVE_LEVELS": "max-active-levels-var",
    "OMP_MAX_TASK_PRIORITY": "max-task-priority-var",
    "OMP_NUM_TEAMS": "nteams-var",
    "OMP_NUM_THREADS": "nthreads-var",
    "OMP_PLACES": "place-partition-var",
    "OMP_PROC_BIND": "bind-var",
    "OMP_SCHEDULE": "run-sched-var",
    "OMP_STACKSIZE": "stacksize-var",
    "OMP_TARGET_OFFLOAD": "target-offload-var",
    "OMP_TEAMS_THREAD_LIMIT": "teams-thread-limit-var",
    "OMP_THREAD_LIMIT": "thread-limit-var",
    "OMP_TOOL": "tool-var",
    "OMP_TOOL_LIBRARIES": "tool-libraries-var",
    "OMP_TOOL_VERBOSE_INIT": "tool-verbose-init-var",
    "OMP_WAIT_POLICY": "wait-policy-var",
}
_SPINS = {"ACTIVE": "30000000000"}  # without GOMP_SPINCOUNT, by OMP_WAIT_POLICY
_USUAL_SPINS = "300000"


def meaning(name: str) -> str:
    """What a variable means, in a few words; "" where that is not known."""
    return _KNOWN.get(name, _UNKNOWN)[0]


def is_changed(name: str, value: Name, processors: Optional[str]) -> Optional[bool]:
    """Whether VALUE is a setting that differs from the default; None where that cannot be known.
    PROCESSORS: how many the process may use, as text, or None."""
    return _differs(value.raw, _KNOWN.get(name, _UNKNOWN)[1], processors)


def changed_variables(variables: Iterable[Tuple[Name, Name]],
                      processors: Optional[str]) -> Iterator[Tuple[Name, Name, Optional[bool]]]:
    """(variable of the environment, value, what is_changed() would say) of those that differ from
    the default, or may."""
    values = {variable.raw: value.raw for variable, value in variables}
    for variable, value in values.items():
        defaults = _VARIABLES.get(variable, () if variable.startswith("KMP_") else None)
        if variable == "GOMP_SPINCOUNT":
            defaults = (_SPINS.get(values.get("OMP_WAIT_POLICY", "").upper(), _USUAL_SPINS),)
        elif isinstance(defaults, str):
            defaults = _KNOWN[defaults][1]
        changed = _differs(value, defaults, processors)
        if changed is None or changed and _differs(value.lower(), defaults, processors):
            yield Name(variable), Name(value), changed


def _differs(value: str, default: Optional[Tuple[str, ...]],
             processors: Optional[str]) -> Optional[bool]:
    if default is None:
        return False
    if default == ("procs",) and processors is None:
        return None
    return value not in [processors if word == "procs" else word for word in default]


def without_aliases(variables: Iterable[Icv]) -> List[Setting]:
    """Variables with their values; those that have a name of the standard as well are left out
    under the name they have in OMPD."""
    return [Setting(name, value) for name, _scope, value in variables
            if not name.startswith(_ALIAS)]


def processors(process: Process, settings: Iterable[Setting]) -> Optional[str]:
    """How many processors the process may use, as text: by the one of its SETTINGS that says so, or
    by what is known of a live process; or None."""
    known = next((one.value for one in settings if one.name == "num-procs-var"), None)
    allowed = process.allowed_processors() if known is None else None
    return str(len(allowed)) if allowed is not None else None if known is None else known.raw
