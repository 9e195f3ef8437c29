#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command beside gdb, on a program of each kind.
exec "${PYTHON:-python3}" "${top_srcdir:?}/testsuite/command/against_gdb.py" --short
