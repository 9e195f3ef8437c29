# SPDX-License-Identifier: MIT
"""OpenMP in gdb, over the OMPD interface. README.md draws the layers."""

from gdb_openmp.core.counters import stats  # noqa: F401  (offered to scripts and tests)
