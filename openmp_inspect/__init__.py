# SPDX-License-Identifier: MIT
"""What there is to know of an OpenMP program at a stop, without a debugger. README.md draws the
layers."""

from openmp_inspect.core import lazy_modules

lazy_modules.of(__name__)
