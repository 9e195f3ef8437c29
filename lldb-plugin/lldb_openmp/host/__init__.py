# SPDX-License-Identifier: MIT
"""lldb, as openmp_inspect asks it."""
