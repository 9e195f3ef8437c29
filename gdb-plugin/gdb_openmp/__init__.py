# SPDX-License-Identifier: MIT
"""OpenMP in gdb, over the OMPD interface. README.md draws the layers."""

from openmp_inspect.core import lazy_modules

lazy_modules.of(__name__)

from openmp_inspect.core.counters import stats  # noqa: E402,F401  (offered to scripts and tests)
