# SPDX-License-Identifier: MIT
"""What goes wrong below the commands, and the one sentence a person is told about it."""

from ompd import code_owner, parameters, target


class OmpdError(Exception):
    """An OMPD routine answered something other than ok. `kind` is the return code without
    its prefix, for instance "needs_state_tracking"; `routine` is what was called."""

    def __init__(self, kind, routine):
        super().__init__("%s: %s" % (routine, kind))
        self.kind = kind
        self.routine = routine


class NoLibrary(Exception):
    """There is no OMPD library for this program; the text says what to do. `fatal`: and
    nothing about OpenMP could be said even with one."""

    def __init__(self, message, fatal=False):
        super().__init__(message)
        self.fatal = fatal


_SHORT = {
    "unavailable": "not known",
    "stale_handle": "just ended",
    "needs_state_tracking": "not tracked",
    "target_read_error": "unreadable",
    "error": "inconsistent",
}

_SENTENCES = {
    "needs_state_tracking":
        'Tracking is off in this program: type "ompd on" before "run", or start it with '
        "ompd-run.",
    "incompatible":
        "The OpenMP runtime of this program is of a version that this OMPD library does not "
        "know.",
    "target_read_error":
        "The program's memory cannot be read (has it died, or is the core truncated?).",
    "error":
        "The OpenMP records of this program make no sense: its memory may be damaged.",
    "nomem": "The OMPD library ran out of memory.",
    "unsupported": "The OMPD library of this program does not offer this.",
}


_OTHER_HOOKS = \
    "The hooks in this program are of a version that this OMPD library does not know: use " \
    "the plugin that was installed with them."

_FOREIGN_TRACKING = \
    'Tracking is off in this program: type "set environment OMP_DEBUG enabled" before "run", ' \
    "or start it with OMP_DEBUG=enabled."
_FOREIGN = "The runtime of this program does not keep this."


def short(error):
    """A few words for one cell of a table."""
    return _SHORT.get(error.kind, error.kind.replace("_", " "))


def sentence(error):
    """One sentence with the way out."""
    if error.kind == "needs_state_tracking" and code_owner.foreign_runtime():
        return _FOREIGN_TRACKING if parameters.library() else _FOREIGN
    if error.kind == "incompatible" and target.symbol_address("ompd_hooks_root") is not None:
        return _OTHER_HOOKS
    return _SENTENCES.get(error.kind) or "The OMPD library failed: %s answered %s." % (
        error.routine, error.kind.replace("_", " "))


def explain(error):
    """One sentence for an OmpdError, a NoLibrary or a gdb.MemoryError."""
    if isinstance(error, NoLibrary):
        return str(error)
    if isinstance(error, OmpdError):
        return sentence(error)
    return _SENTENCES["target_read_error"]
