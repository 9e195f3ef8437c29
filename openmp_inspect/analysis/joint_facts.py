# SPDX-License-Identifier: MIT
"""What all threads together show of each: who of a team has arrived, who is in a section, who is
still being created."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.wait_decision import ALONE, Joint

if TYPE_CHECKING:
    from typing import Dict, Optional
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis.finding import Finding
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.wait_decision import Decision
    from openmp_inspect.analysis.wait_state import Arrivals, Holder


class JointFacts:
    """By ThreadRows, of those about which others say more than they do: `findings` and `places`;
    `holders` of what they wait for; `arrivals` where they wait, None where no number is right."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self.findings: Dict[ThreadRow, Finding] = {}
        self.places: Dict[ThreadRow, Place] = {}
        self.holders: Dict[ThreadRow, Holder] = {}
        self.arrivals: Dict[ThreadRow, Optional[Arrivals]] = {}

    def add(self, row: ThreadRow, found: Finding) -> None:
        """Others show FOUND of a thread."""
        self.findings[row] = self._decision.one(found)

    def finding(self, row: ThreadRow) -> Finding:
        return self.findings.get(row, row.finding)

    def joint(self, row: ThreadRow) -> Joint:
        """What else decides about its WaitState."""
        if row not in self.holders and row not in self.arrivals:
            return ALONE
        return Joint(self.holders.get(row), self.arrivals.get(row), row not in self.arrivals)
