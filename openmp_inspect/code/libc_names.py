# SPDX-License-Identifier: MIT
"""Functions of libc by their names: as programs call them, which of them mostly wait, and which
are a part of libc in a static program without debug information."""

from __future__ import annotations

import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional

_PREFIX = regex(r"^(?!__cxa_)(__GI_)?_*(libc_)?(?=[a-z])")
_SUFFIX = regex(r"(64)?(_nocancel|_cancel)?(@@?[\w.]+)?(\.(constprop|isra|part)\.\d+)*$")
_BLOCKING = regex(
    r"(pthread_(mutex_(timed|clock)?lock|(timed|clock)?join(_np)?|cond_(timed|clock)?wait|"
    r"rwlock_(timed|clock)?(rd|wr)lock|barrier_wait)|mtx_lock|thrd_(join|sleep)|cnd_(timed)?wait|"
    r"sem_(timed|clock)?wait|read|p?poll|p?select|epoll_p?wait|accept4?|recv(from|msg)?|"
    r"(clock_)?nanosleep|u?sleep|pause|sigsuspend|sigwait\w*|wait(pid|id|[34])?|flock|lockf)\Z")
_OF_CHILDREN = regex(r"wait(pid|id|[34])?\Z")
_NAPS = regex(r"(thrd_sleep|(clock_)?nanosleep|u?sleep)\Z")
_TIMED = regex(r"(pthread|mtx|cnd|sem)_\w*(timed|clock)|std::\w+::\w+_(for|until)\Z")
# What POSIX lets a handler of a signal end; of a bare system call, as in std::atomic::wait(),
# nobody knows.
_POSTED = regex(r"(sem_wait|syscall|std::(atomic|barrier|latch|counting_semaphore)::\w+)\Z")
# Functions of libstdc++ that wait by a system call of their own, as programs know them. Those that
# several of these are made of come first: an older frame has a better name.
ATOMIC_WAIT, FUTURE_WAIT = "std::atomic::wait", "std::future::wait"
_SEMAPHORE = "std::counting_semaphore::"
CXX_INNER = "syscall", ATOMIC_WAIT, FUTURE_WAIT
_CXX_WAITS = {"__cxa_guard_acquire": "__cxa_guard_acquire",
              "std::__atomic_futex_unsigned": FUTURE_WAIT,
              "std::__future_base::_State_baseV2::wait_for": "std::future::wait_for",
              "std::__future_base::_State_baseV2::wait_until": "std::future::wait_until",
              "std::__future_base::": FUTURE_WAIT,
              "std::__atomic_semaphore::_M_try_acquire_for": _SEMAPHORE + "try_acquire_for",
              "std::__atomic_semaphore::_M_try_acquire_until": _SEMAPHORE + "try_acquire_until",
              "std::__atomic_semaphore": _SEMAPHORE + "acquire",
              "std::__platform_semaphore": _SEMAPHORE + "acquire",
              "std::counting_semaphore": _SEMAPHORE + "acquire",
              "std::__detail::": ATOMIC_WAIT, "std::__atomic_": ATOMIC_WAIT,
              "std::atomic": ATOMIC_WAIT, "std::latch::": "std::latch::wait",
              "std::__tree_barrier": "std::barrier::wait", "std::barrier": "std::barrier::wait"}
# Functions of glibc by which programs know others.
_INNER = {"pthread_clockjoin_ex": "pthread_join", "new_sem_wait": "sem_wait",
          "new_sem_wait_slow": "sem_wait", "do_system": "system"}
# glibc 2.41 does every system call that is a cancellation point in the same functions.
_HELPERS = regex(r"__(internal_)?syscall_cancel(_arch)?\Z")
_START = regex(r"__libc_start_(call_)?main(_impl)?(@|\Z)")
_OWN = regex(r"_*(pthread_|lll_|futex_(abstimed_|lock_pi)|do_futex_wait\b|start_thread$|"
             r"clone\d*$)")


def plain(name: str) -> str:
    """pthread_join for ___pthread_join, and for what all joins are in; read for __GI___read."""
    bare = _SUFFIX.sub("", _PREFIX.sub("", name))
    return _INNER.get(bare, bare)


def shown(name: str) -> str:
    """The name of a function of libc as a person reads it. Of those whose names with an underscore
    are others, that is certain for few."""
    bare = plain(name)
    return bare if is_blocking(bare) else re.sub(r"^__GI_(?=\w)", "", name)


def is_blocking(bare: str) -> bool:
    """Whether a function with this plain name mostly waits, for where the kernel cannot be
    asked."""
    return bool(_BLOCKING.match(bare))


def is_nap(name: Optional[str]) -> bool:
    """Whether the function of this name waits for the time alone, and so does who polls."""
    return name is not None and bool(_NAPS.match(plain(name)))


def is_timed(name: Optional[str]) -> bool:
    """Whether what the function of this name waits for ends by itself, with time."""
    return is_nap(name) or name is not None and bool(_TIMED.match(plain(name)))


def waits_for_child(name: Optional[str]) -> bool:
    """Whether the function of this name waits for another process to end."""
    return name is not None and bool(_OF_CHILDREN.match(plain(name)))


def cxx_wait(name: Optional[str]) -> Optional[str]:
    """The function of the C++ library, as programs know it, that waits in the one of this NAME, or
    None."""
    return None if name is None else next(
        (words for start, words in _CXX_WAITS.items() if name.startswith(start)), None)


def is_posted(name: Optional[str]) -> bool:
    """Whether a handler of a signal may end what the function of this name waits for."""
    return name is not None and bool(_POSTED.match(plain(name)))


def is_helper(name: str) -> bool:
    """Whether it is a function in which many others of libc do their system calls."""
    return bool(_HELPERS.match(name))


def is_start(name: str) -> bool:
    """Whether it is a function that calls main()."""
    return bool(_START.match(name))


def is_own(name: str) -> bool:
    """Whether a function without debug information in a program is one of libc, linked in."""
    return bool(_OWN.match(name)) or is_helper(name) or is_blocking(plain(name))
