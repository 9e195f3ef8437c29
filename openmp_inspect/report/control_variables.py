# SPDX-License-Identifier: MIT
"""Variables of the environment, as the runtime has understood them: "ompd env"."""

from __future__ import annotations

from openmp_inspect.core import screen
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import icv_table
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.report import explanations

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.core.escaped import Name


def facts(here: Space, changed: bool = False) -> Dict[str, str]:
    """{variable: value}; CHANGED: of those that differ from the default, or may. UserError where
    they are not known."""
    return {variable.raw: value.raw for variable, value, _ in _asked(here, changed)}


def lines(here: Space, changed: bool = False) -> List[str]:
    """A line for each; UserError likewise."""
    return ["%s = %s%s" % (variable, value, icv_table.UNJUDGED if differs is None else "")
            for variable, value, differs in _asked(here, changed)] or \
        ["No variable differs from its default." if changed else
         "No variable is set in the environment of this program."]


def _asked(here: Space, changed: bool) -> List[Tuple[Name, Name, Optional[bool]]]:
    """[(variable, value, whether it was changed, None if that is not known)]"""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        variables = snapshot.control_vars()
        processors = icv_table.processors(here.process, icv_table.without_aliases(snapshot.icvs()))
    if variables is None:
        raise UserError("The runtime of this program has not recorded its control "
                        'variables: "%s" shows what is known of them.' %
                        screen.current().typed("ompd icvs"))
    if not changed:
        return [(name, value, True) for name, value in variables]
    return list(icv_table.changed_variables(variables, processors))
