# SPDX-License-Identifier: MIT
"""What `set debug ompd on`, or OMPD_DEBUG=1 where there is no such setting, prints."""

from __future__ import annotations

import os
import sys

enabled = False


def ignored(is_fatal: bool = False) -> None:
    """Called in an except clause that goes on with a default, or gives up if IS_FATAL: prints a
    line to sys.stderr, which a debugger may make its own, while debugging is on. It says what
    failed, the routine of an OMPD library or the function of ours, and why; of what is fatal the
    class of the exception, too. Characters that a terminal might obey are escaped: the target may
    have chosen them."""
    if not enabled:
        return
    _, error, trace = sys.exc_info()
    reason = str(error) or type(error).__name__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace and not hasattr(error, "routine"):  # as an OmpdError has, and says
        code = trace.tb_frame.f_code
        reason = "%s (%s:%s): %s" % (code.co_name, os.path.basename(code.co_filename), trace.tb_lineno,
                                     "%s: %s" % (type(error).__name__, error) if is_fatal else reason)
    sys.stderr.write("[ompd] %s\n" % "".join(
        sign if sign.isprintable() else ascii(sign)[1:-1] for sign in reason))
