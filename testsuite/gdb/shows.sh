# SPDX-License-Identifier: MIT
#
# The demo, which checks itself.
if [ -z "$GDB" ]; then
    echo "1..0 # SKIP gdb is not installed"
    exit 0
fi
if "$top_srcdir/testsuite/gdb/demo" "$stage" 2>&1 </dev/null | sed 's/^/# /;$a\' >demo.$$ &&
    grep -q '^# That is all' demo.$$; then
    echo "ok 1 - the demo shows what it says"
else
    echo "not ok 1 - the demo shows what it says"
    cat demo.$$
fi
rm -f demo.$$
echo 1..1
