# SPDX-License-Identifier: MIT
"""openmp_inspect/host/interface.py over elfutils' libraries and the kernel."""
