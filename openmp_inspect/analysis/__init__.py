# SPDX-License-Identifier: MIT
"""What the program does and waits for, from all that is known."""
