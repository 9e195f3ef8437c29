#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lldb, gdb and the command, on a program of each kind.
exec "${PYTHON:-python3}" "${top_srcdir:?}/testsuite/lldb/against_command.py" --short
