#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The type hints of the plugin's packages without gdb, held by mypy: every function has them,
# and they agree. Checked is what is installed.
top=${top_srcdir:?}
stage=${stage:?}
. "$top/testsuite/common/tap.sh"

packages="core source model"

if ! command -v mypy >/dev/null; then
    skip_all "mypy is not installed"
fi

# The oldest Python that the plugin runs in, as far as this mypy knows it.
oldest=--python-version=3.7
mypy $oldest -c pass >/dev/null 2>&1 || oldest=

check() { # FILE|OPTION...
    (cd "$stage/share/ompd/gdb" &&
        mypy --strict $oldest --no-error-summary --cache-dir="$scratch/cache" "$@" 2>&1)
}

for package in $packages; do
    report "types of $package" "$(check -p "gdb_openmp.$package")"
done
report "types of bindings/query.py" "$(check -m gdb_openmp.bindings.query)"

# That attributes computed once have a type, and named tuples the types of their fields.
cat >"$scratch/wrong.py" <<'END'
from gdb_openmp.bindings.query import Query, State
from gdb_openmp.core.elf import Segment
from gdb_openmp.model.snapshot import Session, Snapshot

def wrong(session: Session) -> None:
    Segment("note", 0, 0)
    Snapshot(session).threads[0].path[0].number.bit_length()
    State("idle", 0).name + 1

class Half(Query):
    pass

Half()
END
like "what is wrong is found" "$(check "$scratch/wrong.py")" '*:6: *\[arg-type\]*
*:7: *\[union-attr\]*
*:8: *\[operator\]*
*:13: *\[abstract\]*'
finish
