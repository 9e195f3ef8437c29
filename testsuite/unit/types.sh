#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The type hints of the plugin, held by mypy: every function has them, and they agree. Checked is
# what is installed. To the type checker gdb's and lldb's objects are Any, also where stubs of them
# are installed, as with Debian's python3-typeshed: what is found does not depend on these.
top=${top_srcdir:?}
stage=${stage:?}
. "$top/testsuite/common/tap.sh"

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
[mypy-lldb.*]
follow_imports = skip
follow_imports_for_stubs = True
ignore_missing_imports = True
END

check() { # FILE|OPTION...
    (cd "$stage/share/ompd/gdb" && MYPYPATH=../python:../lldb \
        mypy --strict --allow-subclassing-any $oldest --config-file="$scratch/mypy.ini" \
            --no-error-summary --cache-dir="$scratch/cache" "$@" 2>&1)
}

report "types of the plugins" \
    "$(check -p openmp_inspect -p ompd_command -p gdb_openmp -p lldb_openmp)"

# That attributes computed once have a type, named tuples the types of their fields, and that what
# the target has named is no text for people before it is escaped.
cat >"$scratch/wrong.py" <<'END'
from openmp_inspect.bindings.query import Query, State
from openmp_inspect.bindings.spaces import Space
from openmp_inspect.core import screen, text
from openmp_inspect.core.elf import Segment
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.report import thread_paths

def wrong(space: Space) -> None:
    Segment("note", 0, 0)
    Snapshot(space).threads[0].path[0].number.bit_length()
    State("idle", 0).name + 1
    stitched_stack.of(space).walker.construct(0).line + 1
    thread_paths.find((1,), {}, None).numbers[0]
    function = stitched_stack.of(space).walker.construct(0).function
    text.table([[function, "-"]])
    text.remark(function)
    screen.current().write("in " + function)

class Half(Query):
    pass

Half()
END
like "what is wrong is found" "$(check "$scratch/wrong.py")" '*:10: *\[arg-type\]*
*:11: *\[union-attr\]*
*:12: *\[operator\]*
*:13: *\[operator\]*
*:14: *\[index\]*
*:16: *\[list-item\]*
*:17: *\[arg-type\]*
*:18: *\[operator\]*
*:23: *\[abstract\]*'
finish
