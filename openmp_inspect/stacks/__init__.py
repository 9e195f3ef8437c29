# SPDX-License-Identifier: MIT
"""What is on the stacks: frames, the constructs between them, what threads are inside of."""
