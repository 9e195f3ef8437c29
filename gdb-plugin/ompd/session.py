# SPDX-License-Identifier: MIT
"""How every command begins: is there a program to look at, and what can be known of it?"""

import contextlib

import gdb

from ompd import callbacks, errors, model, space, target


def need_program():
    """Raises GdbError unless the selected inferior is a stopped process or a core."""
    inferior = gdb.selected_inferior()
    threads = target.threads(inferior) if inferior.pid else []
    if not threads:
        raise gdb.GdbError(
            'There is no process: type "run", attach to one, or open a core file first.')
    if all(thread.is_running() for thread in threads):
        raise gdb.GdbError('The program is running: type "interrupt" to stop it first.')
    return inferior


@contextlib.contextmanager
def snapshot():
    """A model.Snapshot of the selected inferior. NoLibrary or OmpdError if there is none."""
    with model.Snapshot(space.current().session) as result:
        yield result


@contextlib.contextmanager
def sentences():
    """Errors inside become gdb's own, in one sentence."""
    try:
        yield
        callbacks.raise_pending()
    except errors.NoLibrary as error:
        raise gdb.GdbError(str(error)) from None
    except errors.OmpdError as error:
        raise gdb.GdbError(errors.sentence(error)) from None
    except gdb.MemoryError:
        raise gdb.GdbError(errors.sentence(
            errors.OmpdError("target_read_error", ""))) from None
