# SPDX-License-Identifier: MIT
"""OMPD libraries over ctypes, and what they may ask of the debugger."""
