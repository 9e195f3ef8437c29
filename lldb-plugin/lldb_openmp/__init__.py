# SPDX-License-Identifier: MIT
"""OpenMP in lldb, over the OMPD interface. README.md draws the layers."""
