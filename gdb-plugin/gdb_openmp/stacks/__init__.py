# SPDX-License-Identifier: MIT
"""Frames of threads, and the regions and tasks between them."""
