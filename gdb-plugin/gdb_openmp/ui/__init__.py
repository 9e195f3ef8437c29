# SPDX-License-Identifier: MIT
"""What is typed, and what is printed."""
