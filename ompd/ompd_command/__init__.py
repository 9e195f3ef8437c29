# SPDX-License-Identifier: MIT
"""The command `ompd`: OpenMP's story of a process or core, without a debugger."""
