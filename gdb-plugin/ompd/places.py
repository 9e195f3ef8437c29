# SPDX-License-Identifier: MIT
"""Places in the program by their addresses, without a frame to look at."""

from ompd import code_owner, names
from ompd.frames import Place


class Places:
    """Lives during one command, as frames.Walker does."""

    def __init__(self):
        self._calls = {}

    def call(self, address):
        """Where the call is that returns to ADDRESS; None in the runtime's own code."""
        if address not in self._calls:
            self._calls[address] = None if code_owner.is_runtime(address) else \
                Place(*names.code_at(address - 1), address, called=True)
        return self._calls[address]
