# SPDX-License-Identifier: MIT
"""The command `ompd`: OpenMP's story of a process or core, without a debugger."""

from openmp_inspect.core import lazy_modules

lazy_modules.of(__name__)
