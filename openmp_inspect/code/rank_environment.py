# SPDX-License-Identifier: MIT
"""Rank, size and job of a process of a parallel program, by the variables that launchers set."""

from __future__ import annotations

import os
import re

from openmp_inspect.core import escaped, json_output
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.code import start_environment

if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Sequence, Union
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.core.escaped import Name

# To add a launcher: the variable of the rank in its MPI_COMM_WORLD, and those of the size, of which
# the first that is set counts. An MPI's own stand before those of the launcher that it runs below:
# in a batch script SLURM_PROCID is 0 for all that mpirun starts.
_RANKS = (
    ("OMPI_COMM_WORLD_RANK", ("OMPI_COMM_WORLD_SIZE",)),  # Open MPI
    ("MV2_COMM_WORLD_RANK", ("MV2_COMM_WORLD_SIZE",)),  # MVAPICH
    ("PMI_RANK", ("PMI_SIZE",)),  # Hydra: MPICH and Intel MPI; Cray PALS
    ("FLUX_TASK_RANK", ("FLUX_JOB_SIZE",)),  # Flux
    ("PMIX_RANK", ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")),  # others by PMIx
    ("SLURM_PROCID", ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")),  # Slurm
)
_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PMIX_NAMESPACE")
_NODE = "SLURMD_NODENAME"
_NAMES = frozenset([name for rank, sizes in _RANKS for name in (rank, *sizes)] + [*_JOBS, _NODE])

_NUMBER = regex(r"[0-9]{1,9}")
_NAME = regex(r"[\w.@:/\[\]-]{1,128}", re.ASCII)


class Rank(NamedTuple):
    rank: Optional[int]
    size: Optional[int]
    job: Optional[Name]
    node: Optional[Name]


def of_variables(variables: Dict[str, str]) -> Rank:
    """The Rank by an environment, which may hold anything: what is not known is None."""
    name = escaped.name(_first(_NAME, [variables.get(one) for one in _JOBS]))
    node = escaped.name(_first(_NAME, [variables.get(_NODE)]))
    for of_rank, of_size in _RANKS:
        rank = _first(_NUMBER, [variables.get(of_rank)])
        if rank is not None:
            size = _first(_NUMBER, [variables.get(one) for one in of_size])
            known = size is not None and int(size) > int(rank)
            return Rank(int(rank), int(size or 0) if known else None, name, node)
    return Rank(None, None, name, node)


def _first(pattern: re.Pattern[str], values: Sequence[Optional[str]]) -> Optional[str]:
    return next((value for value in values if value is not None and pattern.fullmatch(value)), None)


def of_process(here: Space) -> Rank:
    """That of a process or core."""
    return of_variables(start_environment.variables(here, _NAMES.__contains__) or {})


def identity(process: Process) -> Dict[str, Union[int, str, None]]:
    """The keys of an object for JSON that say which process or core it is about."""
    path = process.core_file
    return {"pid": process.pid, "core": path and os.path.basename(path)}


def facts(here: Space) -> Dict[str, Any]:
    """Those that say which of many processes."""
    process, rank = here.process, of_process(here)
    program = process.program
    return {"host": os.uname().nodename if process.origin == interface.LIVE else
            json_output.exact(rank.node),
            "rank": rank.rank, "size": rank.size, "job": json_output.exact(rank.job),
            "program": os.path.basename(program) if program else None,
            "threads": len(process.threads())}
