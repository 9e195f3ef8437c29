# SPDX-License-Identifier: MIT
"""Beneath everything: neither gdb nor OpenMP."""
