# SPDX-License-Identifier: MIT
"""The code of the program and of what it has loaded: whose it is, what it calls, what it is
named."""
