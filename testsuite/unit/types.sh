#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The type hints of the plugin, held by mypy: every function of what is checked has them, and
# they agree. Checked is what is installed. Modules of host, program and stacks that import gdb
# have no hints, and to the type checker gdb's objects are Any: calls of these are not checked.
top=${top_srcdir:?}
stage=${stage:?}
. "$top/testsuite/common/tap.sh"

packages="core source model" # they call nothing without hints
mixed="host program stacks analysis" # some modules of theirs, or what they call, import gdb
# Those of analysis that have no hints yet.
left="checks construct_evidence evidence evidence_items task_rows verdict_words verdicts"

if ! command -v mypy >/dev/null; then
    skip_all "mypy is not installed"
fi

# The oldest Python that the plugin runs in, as far as this mypy knows it.
oldest=--python-version=3.8
mypy $oldest -c pass >/dev/null 2>&1 || oldest=

cat >"$scratch/mypy.ini" <<'END'
[mypy]
[mypy-gdb.*]
follow_imports = skip
follow_imports_for_stubs = True
ignore_missing_imports = True
END

check() { # FILE|OPTION...
    (cd "$stage/share/ompd/gdb" &&
        mypy --strict $oldest --config-file="$scratch/mypy.ini" --no-error-summary \
            --cache-dir="$scratch/cache" "$@" 2>&1)
}

check_callers() { # OPTION...: of modules that call some which have no hints
    check --allow-untyped-calls --no-check-untyped-defs --follow-imports=silent "$@"
}

without_gdb() { # PACKAGE: options that name its modules
    (cd "$stage/share/ompd/gdb" &&
        grep -LE '^(import gdb$|from gdb\.)' "gdb_openmp/$1"/[!_]*.py |
        grep -vE "/($(echo $left | tr ' ' '|'))\.py$" |
        sed 's/^/-m /; s/\.py$//; y,/,.,')
}

for package in $packages; do
    report "types of $package" "$(check -p "gdb_openmp.$package")"
done
report "types of bindings" "$(check_callers -p gdb_openmp.bindings)"
for package in $mixed; do
    # shellcheck disable=SC2046
    report "types of what needs no gdb in $package" "$(check_callers $(without_gdb $package))"
done

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
