# SPDX-License-Identifier: MIT
"""Labels that repeat behind frame after frame, as those of each task in a recursion do."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks.labelled_stack import Label

if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence


class Repeats:
    """From the second time on one label stands for all behind a frame, with the count. One label
    alone needs none. Numbers of tasks may differ; with any other number nothing is folded."""

    def __init__(self) -> None:
        self._last: List[Any] = []
        self._times = 0

    def folded(self, labels: Sequence[Optional[Label]]) -> Optional[Label]:
        """The one for LABELS, which follow the next frame that any follow; None: they stay. A None
        among them is a row that is no label."""
        if not labels:
            return None
        found = [label for label in labels if label is not None and not set(label.facts) - {"task"}]
        shown = [(label.words, label.place and (label.place.file, label.place.line))
                 for label in found]
        self._times = self._times + 1 if shown == self._last else 1
        self._last = shown
        places = [label.place for label in found if label.place is not None and label.place.line]
        facts = [label.facts for label in found if label.facts]
        if self._times == 1 or len(labels) == 1 or len(found) < len(labels) or len(places) > 1 or \
                len(facts) > 1:
            return None
        return Label(", ".join(label.said for label in found),
                     {**(facts[0] if facts else {}), "times": self._times},
                     places[0] if places else None)
