#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs that cases.py marks as short, in under a minute.
exec "${PYTHON:-python3}" "${top_srcdir:?}/testsuite/why/run.py" --short
