#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd why -json` against its schema: what the command prints of programs that hang fits, and has no
key that the schema does not describe."""

import json
import os
import tempfile

import ompd_runs
from tap import Tap, skip_all

try:
    import jsonschema
except ImportError:
    skip_all("jsonschema is not installed")
ompd_runs.need_libdw()

SCHEMA = os.path.join(ompd_runs.STAGE, "share/ompd/ompd-why.json")
# Programs of why/, how each is started, and how many threads come to rest.
PROGRAMS = (("why/locks.c", "order", 2), ("why/barriers.c", "mismatch", 4), ("why/tasks.c", "group", 2),
            ("why/barriers.c", "forked", 1))


def closed(schema):
    """The same in which nothing may be that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if found.get("type") == "object" and "properties" in found:
        found["additionalProperties"] = False
    return found


def faults(schema, value):
    return ["%s: %s" % ("/".join(map(str, error.absolute_path)), error.message[:200])
            for error in jsonschema.Draft7Validator(schema).iter_errors(value)]


def main():
    tap = Tap()
    with open(SCHEMA, encoding="utf-8") as stream:
        schema = json.load(stream)
    jsonschema.Draft7Validator.check_schema(schema)
    strict = closed(schema)
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        for source, how, threads in PROGRAMS:
            path = ompd_runs.compiled(directory, source, how, "-O0")
            with ompd_runs.Running(path, how, threads=threads) as one:
                said = ompd_runs.ompd("why", "-json", one.pid)
            value = said.json
            tap.case(faults(strict, value) if isinstance(value, dict) else [said.err or said.out],
                     "%s %s fits the schema" % (source, how))
            for key in ("verdicts", "pid"):
                cut = {k: v for k, v in (value or {}).items() if k != key}
                tap.ok(faults(schema, cut), "%s without %s does not" % (how, key))
    tap.end()


main()
