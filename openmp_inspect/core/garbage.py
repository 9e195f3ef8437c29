# SPDX-License-Identifier: MIT
"""Python's search for garbage in cycles, which takes as long as everything else where 10^5
objects are made that are all of use."""

from __future__ import annotations

import contextlib
import gc

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Nothing is searched for meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
