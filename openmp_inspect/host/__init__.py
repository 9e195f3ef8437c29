# SPDX-License-Identifier: MIT
"""What a debugger must answer, and what is kept of its answers."""
