# SPDX-License-Identifier: MIT
"""What gdb's Python lacks, or says otherwise from version to version."""
