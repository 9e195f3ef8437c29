# SPDX-License-Identifier: MIT
"""What is typed and printed."""
