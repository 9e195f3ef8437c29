# SPDX-License-Identifier: MIT
"""What type hints need at run time, without the import of `typing`, which takes 3 ms."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False  # a type checker takes it for True

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # pylint: disable=useless-import-alias
    from typing_extensions import Literal

    ByteOrder = Literal["big", "little"]
else:
    class _FieldsOfAnnotations(type):
        def __new__(mcs, name, bases, body):
            fields = body.pop("__annotations__")
            given = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=given)
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    # As typing.NamedTuple: the class of a subclass is a named tuple of what it annotates. A
    # module that derives from it needs `from __future__ import annotations`.
    NamedTuple = type.__new__(_FieldsOfAnnotations, "NamedTuple", (), {})
