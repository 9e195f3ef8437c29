# SPDX-License-Identifier: MIT
"""Variables of the environment that no runtime of the process takes: their values have not the form
that chapter "Environment Variables" of the specification gives them, or their names are nearly
those of variables that have one, or they are another runtime's. LLVM's runtime takes more than that.

    OMP_NUM_THREADS=abc    ignored by both            OMP_DYNAMIC=yes     ignored by libgomp
    OMP_PROC_BIND=ture     ignored by both            OMP_NUM_THREAD=4    OMP_NUM_THREADS is meant
    OMP_STACKSIZE=4Q       ignored by both            OMP_SCHEME=blue     some program's own
    KMP_BLOCKTIME=0        ignored by libgomp         GOMP_SPINCOUNT=1    ignored by LLVM's
"""

from __future__ import annotations

import difflib

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Collection, Dict, List, Optional

    Form = Callable[[str, bool], bool]  # value in lower case; whether LLVM's runtime reads it

GOMP, KMP = "gomp", "kmp"
_OTHER = {False: " (GCC's does)", True: " (LLVM's does)"}  # as a Form has it
_TRUE = ("true", "on", "1", ".true.", ".t.", "yes", "enabled")
_FALSE = ("false", "off", "0", ".false.", ".f.", "no", "disabled")
_NEAR = 0.85  # of 1, where names are equal
_DEVICES = regex(r"_(ALL|DEV(_\d+)?)\Z")
_PLACES = regex(r"(threads|cores|sockets|ll_caches|numa_domains)\s*(\(\s*\d+\s*\))?\Z")
_KMP_PLACES = regex(r"[a-z_0-9]*(dice|dies|modules|tiles|caches|types|num_domains)\b")
_LISTED = regex(r"[\s\d{}:,!+-]+\Z")


def _form(plain: str, of_kmp: Optional[str] = None) -> Form:
    """Of a regular expression; LLVM's runtime takes OF_KMP besides."""
    gomp = regex(r"(?:%s)\Z" % plain)
    kmp = gomp if of_kmp is None else regex(r"(?:%s|%s)\Z" % (plain, of_kmp))
    return lambda value, lenient: (kmp if lenient else gomp).match(value) is not None


def _words(*words: str, of_kmp: Collection[str] = ()) -> Form:
    """Of one of some WORDS, which LLVM's runtime takes abbreviated, too."""
    return lambda value, lenient: value in words or lenient and value != "" and any(
        word.startswith(value) for word in (*words, *of_kmp))


def _is_place_list(value: str, lenient: bool) -> bool:
    return bool(_PLACES.match(value)) or lenient and bool(_KMP_PLACES.match(value)) or \
        bool(_LISTED.match(value)) and value.count("{") == value.count("}")


def _of_kmp(form: Form) -> Form:
    """FORM of a variable that LLVM's runtime alone reads."""
    return lambda value, lenient: lenient and form(value, True)


def _of_gomp(form: Form) -> Form:
    """FORM of a variable that libgomp alone reads."""
    return lambda value, lenient: not lenient and form(value, False)


_POSITIVE = r"\+?0*[1-9]\d{0,17}"
_COUNT, _NATURAL = _form(_POSITIVE), _form(r"\+?\d{1,18}")
_SIZE = _form(r"\d{1,18}\s*[bkmg]?", r"\d{1,18}\s*[kmgtpezy]?b?")
_SWITCH = _words("true", "false", of_kmp=_TRUE + _FALSE)
_BINDING = r"(?:master|primary|close|spread)"
_FORMS: Dict[str, Form] = {
    "OMP_NUM_THREADS": _form(r"%s(\s*,\s*%s)*" % (_POSITIVE, _POSITIVE), r"[\d\s,]*[1-9][\d\s,]*"),
    "OMP_THREAD_LIMIT": _COUNT, "OMP_NUM_TEAMS": _COUNT, "OMP_TEAMS_THREAD_LIMIT": _COUNT,
    "OMP_MAX_ACTIVE_LEVELS": _NATURAL, "OMP_MAX_TASK_PRIORITY": _NATURAL,
    "OMP_DEFAULT_DEVICE": _NATURAL,
    "OMP_DYNAMIC": _SWITCH, "OMP_NESTED": _SWITCH, "OMP_CANCELLATION": _SWITCH,
    "OMP_DISPLAY_AFFINITY": _SWITCH,
    "OMP_DISPLAY_ENV": _words("true", "false", "verbose", of_kmp=_TRUE + _FALSE),
    "OMP_PROC_BIND": _form(r"true|false|%s(\s*,\s*%s)*" % (_BINDING, _BINDING)),
    "OMP_PLACES": _is_place_list,
    "OMP_STACKSIZE": _SIZE,
    "OMP_WAIT_POLICY": _words("active", "passive"),
    "OMP_SCHEDULE": _form(r"((non)?monotonic\s*:\s*)?(static|dynamic|guided|auto)(\s*,\s*\d+)?",
                          r"(static|guided)_\w+(,\d+)?|trapezoidal(,\d+)?"),
    "OMP_TARGET_OFFLOAD": _words("mandatory", "disabled", "default"),
    "GOMP_STACKSIZE": _SIZE, "GOMP_CPU_AFFINITY": _form(r"[\d\s,:-]+"),
    "GOMP_SPINCOUNT": _of_gomp(_form(r"[-+]?\d{1,18}\s*[kmgt]?|infinite|infinity")),
    "GOMP_DEBUG": _of_gomp(_NATURAL),
    "KMP_BLOCKTIME": _of_kmp(_form(r"[\d.]+\s*(us|ms|[smhd]?)|inf.*")),
    "KMP_LIBRARY": _of_kmp(_words("serial", "throughput", "turnaround", "dedicated", "multiuser")),
    "KMP_STACKSIZE": _of_kmp(_SIZE),
    **{"KMP_" + name: _of_kmp(_NATURAL) for name in (
        "ALL_THREADS", "DEVICE_THREAD_LIMIT", "HOT_TEAMS_MAX_LEVEL", "HOT_TEAMS_MODE",
        "TEAMS_THREAD_LIMIT")},
    **{"KMP_" + name: _of_kmp(_SWITCH) for name in (
        "DUPLICATE_LIB_OK", "HANDLE_SIGNALS", "SETTINGS", "VERSION", "WARNINGS")},
}
_KMP_NAMES = tuple("KMP_" + name for name in """
    ABORT_DELAY ADAPTIVE_LOCK_PROPS AFFINITY ALIGN_ALLOC ALL_THREADPRIVATE ATOMIC_MODE A_DEBUG
    B_DEBUG CONSISTENCY_CHECK CPUINFO_FILE C_DEBUG DEBUG DEBUG_BUF DEBUG_BUF_ATOMIC
    DEBUG_BUF_CHARS DEBUG_BUF_LINES DETERMINISTIC_REDUCTION DIAG DISP_NUM_BUFFERS DUMP_CATALOG
    DYNAMIC_MODE D_DEBUG ENABLE_TASK_THROTTLING E_DEBUG FORCE_MONOTONIC_DYNAMIC_SCHEDULE
    FORCE_REDUCTION FOREIGN_THREADS_THREADPRIVATE FORKJOIN_BARRIER FORKJOIN_BARRIER_PATTERN
    FORKJOIN_FRAMES FORKJOIN_FRAMES_MODE FOR_TCHECK FOR_TPROFILE F_DEBUG GTID_MODE HW_SUBSET
    IGNORE_MPPBEG IGNORE_MPPEND INHERIT_FP_CONTROL INITIAL_THREAD_BIND INIT_AT_FORK
    ITT_PREPARE_DELAY LOAD_BALANCE_INTERVAL LOCK_KIND MALLOC_POOL_INCR MAX_ACTIVE_LEVELS
    MAX_TASK_PRIORITY MONITOR_STACKSIZE MWAIT_HINTS NESTING_MODE NUM_LOCKS_IN_BLOCK PAR_RANGE
    PLACE_THREADS PLAIN_BARRIER PLAIN_BARRIER_PATTERN REDUCTION_BARRIER
    REDUCTION_BARRIER_PATTERN SCHEDULE SPIN_BACKOFF_PARAMS STACKOFFSET STACKPAD STORAGE_MAP
    TASKING TASKLOOP_MIN_TASKS TASK_STEALING_CONSTRAINT TEAMS_PROC_BIND TOPOLOGY_METHOD TPAUSE
    USER_LEVEL_MWAIT USE_YIELD
    """.split())
NAMES = (*_FORMS, *_KMP_NAMES, "OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT",
         "OMP_DEBUG", "OMP_ALLOCATOR", "OMP_AFFINITY_FORMAT", "OMP_THREADS_RESERVE", "OMP_AVAILABLE_DEVICES",
         "OMP_OMPD")


def found(settings: Dict[str, str], runtimes: Collection[str]) -> List[str]:
    """Words for each that none of the RUNTIMES, GOMP and KMP, takes, in the order of SETTINGS; where
    no runtime is known yet, for those that neither does."""
    readers = [one == KMP for one in runtimes] or [False, True]
    said = []
    for name, value in settings.items():
        form = _FORMS.get(name)
        word = value.strip().lower()
        if form is not None and not any(form(word, lenient) for lenient in readers):
            said.append("%s=%s%s" % (name, value, _other_reader(form, word)))
        elif form is None and name.startswith("KMP_") and True not in readers:
            said.append("%s=%s%s" % (name, value, _OTHER[True]))
        elif form is None and name.startswith(("OMP_", "KMP_", "GOMP_")) and \
                _DEVICES.sub("", name) not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1, _NEAR)
            if near:
                said.append("%s (%s?)" % (name, near[0]))
    return said


def _other_reader(form: Form, word: str) -> str:
    """That a runtime which is not in the process takes this, if so."""
    return next((_OTHER[lenient] for lenient in (False, True) if form(word, lenient)), "")
