# SPDX-License-Identifier: MIT
# A set-user-ID program that is linked to the hooks: in secure execution the environment
# names no library that is loaded and no file that is written.
. "$top_srcdir/testsuite/common/tap.sh"
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
[ "$(id -u)" = 0 ] || skip_all "only root can make a program set-user-ID root"
command -v setpriv >/dev/null || skip_all "there is no setpriv"
chmod 755 "$scratch"
other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

compile program -Wl,-rpath,"$stage/lib" -L"$stage/lib" \
    -Wl,--no-as-needed -lompd-hooks -lgomp <<'END' || exit 1
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("%d threads, %s, %d\n", n, getauxval(AT_SECURE) ? "secure" : "not secure",
           (int)geteuid());
    return 0;
}
END
cat >tool.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static void __attribute__((constructor)) loaded(void)
{
    if (write(1, "loaded\n", 7) < 0)
        _exit(9);
}
END
$CC -shared -fPIC tool.c -o tool.so || exit 1
cp program secure
chmod 4755 secure
other ./program >/dev/null 2>&1 || other ./secure >/dev/null 2>&1 ||
    skip_all "another user cannot run a program in $scratch"
case $(other ./secure 2>&1) in
*", secure, 0") ;;
*) skip_all "set-user-ID has no effect in $scratch" ;;
esac

mkdir -m 777 open
with() { # PROGRAM
    other env OMP_TOOL_LIBRARIES="$scratch/tool.so" OMP_TOOL_VERBOSE_INIT="$scratch/open/story" \
        OMP_OMPD=on "$1" 2>&1
}
same "as it is: no library is loaded" "$(with ./secure)" "2 threads, secure, 0"
if [ -e open/story ]; then
    result "not ok" "no file is written"
else
    result ok "no file is written"
fi
: >target
chmod 600 target
ln -s ../target open/story
with ./secure >/dev/null
same "nor one that a link leads to" "$(cat target)" ""
rm open/story
same "OMP_TOOL_VERBOSE_INIT=stdout says nothing" \
    "$(other env OMP_TOOL_VERBOSE_INIT=stdout ./secure 2>&1)" "2 threads, secure, 0"

# The same program without more rights does all of it, so the above can fail. Its run-time
# path may lead where another user cannot go.
with="env OMP_TOOL_LIBRARIES=$scratch/tool.so OMP_TOOL_VERBOSE_INIT=$scratch/open/story ./program"
same "without more rights the library is loaded" "$($with 2>&1)" "loaded
2 threads, not secure, 0"
[ -s open/story ] && result ok "and the file written" || result "not ok" "and the file written"

# ompd-run says that it cannot record such a program, where the user may run it.
cp "$stage/bin/ompd-run" .
mkdir -p lib && cp "$hooks" lib/
mkdir -p bin && mv ompd-run bin/
found=$(other bin/ompd-run ./secure 2>&1)
same "ompd-run: a sentence, and it runs" "$found" \
    "ompd-run: ./secure gains privileges on execution (set-user-ID, set-group-ID or capabilities), so nothing is recorded in it.
2 threads, secure, 0"
same "ompd-run: not for root, who gains none" "$(bin/ompd-run ./secure 2>&1)" \
    "2 threads, not secure, 0"
same "ompd-run: not where none can be gained" \
    "$(other setpriv --no-new-privs bin/ompd-run ./secure 2>&1 | grep -c gains)" 0
if command -v setcap >/dev/null && cp program capable && setcap cap_net_raw+ep capable 2>/dev/null; then
    same "ompd-run: capabilities" "$(other bin/ompd-run ./capable 2>&1 | grep -c gains)" 1
else
    skip "ompd-run: capabilities" "there is no setcap, or it has no effect"
fi
finish
