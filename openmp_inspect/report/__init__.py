# SPDX-License-Identifier: MIT
"""What a person or a program is shown."""
