# SPDX-License-Identifier: MIT
"""What is in the process: runtimes, entry points, code and its names."""
