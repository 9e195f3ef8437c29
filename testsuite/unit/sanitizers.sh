# SPDX-License-Identifier: MIT
# Sanitized programs, and those under valgrind, report under ompd-run what they report
# without, whichever library is the first.
. "$top_srcdir/testsuite/common/tap.sh"
run=$stage/bin/ompd-run
cat >bug.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int shared;
static volatile int raced;
/* An order of the two that ThreadSanitizer does not know. */
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
static UNSEEN void first(void)
{
    raced = 1;
}
static UNSEEN void second(void)
{
    while (!raced)
        ;
}
static void *racer(void *unused)
{
    shared++;
    first();
    return unused;
}
int main(int argc, char **argv)
{
    int sum = 0;
    volatile int big = 0x7fffffff;
    char *volatile block = malloc(10);
    pthread_t thread;
    switch (argv[1][0]) {
    case 'o': /* overflow */
        block[10] = (char)argc;
        break;
    case 'c': /* overflow in an intercepted function */
        strcpy(block, "longer than ten");
        break;
    case 'u': /* use after free */
        free(block);
        return block[3];
    case 'd': /* double free */
        free(block);
        break;
    case 'l': /* leak */
        block = NULL;
        return 0;
    case 'i': /* signed overflow */
        big += argc;
        break;
    case 'r': /* race */
        pthread_create(&thread, NULL, racer, NULL);
        second();
        shared++;
        pthread_join(thread, NULL);
        free(block);
        return 0; /* what libgomp does looks like races, too */
    }
    free(block);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    printf("%d threads\n", sum);
    return 0;
}
END

# What is alike in two runs of one program. glibc has no frame pointers: behind its frame some
# unwinders take the strings of the environment for frames, as many as they may.
constant() {
    sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/==[0-9]+==/==PID==/; s/\(pid=[0-9]+\)/(PID)/
        s/tid=[0-9]+, (running|finished)/TID/g
        /in __libc_start_call_main |libc\.so\.6\+ADDRESS/,/^$/{/\(<unknown module>\)$/d}
        /^ *(=>)?ADDRESS:/d; s/[0-9]+ Aborted/Aborted/'
}
# reports NAME CASES WITH -- COMMAND...: WITH is what the bare report must contain, if any.
reports() {
    name=$1
    cases=$2
    shift 2
    for bug in $cases; do
        bare=$(timeout 60 "$@" ${bug%%:*} 2>&1; echo "status $?")
        hooked=$(timeout 60 "$run" "$@" ${bug%%:*} 2>&1; echo "status $?")
        case $bare in
        *"${bug#*:}"*) ;;
        *)
            skip "$name, ${bug%%:*}" "it reports no ${bug#*:} here"
            continue
            ;;
        esac
        same "$name, ${bug%%:*}" "$(printf '%s\n' "$hooked" | constant)" \
            "$(printf '%s\n' "$bare" | constant)"
    done
}
built() { # NAME COMPILER FLAGS...
    name=$1
    shift
    if "$@" -g -O0 -w -fopenmp bug.c -o bug >log 2>&1 && ./bug n >/dev/null 2>&1; then
        return 0
    fi
    skip "$name" "there is no such program here"
    return 1
}
address="o:heap-buffer-overflow c:heap-buffer-overflow u:heap-use-after-free d:double-free
    l:LeakSanitizer n:threads"
for flags in "" -static-libasan; do
    # shellcheck disable=SC2086
    built "gcc, ASan $flags" $CC -fsanitize=address $flags &&
        reports "gcc, ASan $flags" "$address" ./bug
done
built "gcc, UBSan" "$CC" -fsanitize=undefined && reports "gcc, UBSan" "i:overflow n:threads" ./bug
built "gcc, LSan" "$CC" -fsanitize=leak && reports "gcc, LSan" "l:LeakSanitizer n:threads" ./bug
built "gcc, ASan and UBSan" "$CC" -fsanitize=address,undefined &&
    reports "gcc, ASan and UBSan" "i:overflow $address" ./bug
"$CC" -g -O0 -w -fopenmp -fsanitize=thread bug.c -o bug 2>/dev/null &&
    reports "gcc, TSan" "r:race" ./bug
if resources=$(clang -print-resource-dir 2>/dev/null); then
    for flags in -static-libsan "-shared-libasan -Wl,-rpath,$resources/lib/linux"; do
        # shellcheck disable=SC2086
        built "clang, ASan ${flags%% *}" clang -fsanitize=address $flags &&
            reports "clang, ASan ${flags%% *}" "$address" ./bug
    done
    clang -g -O0 -w -fopenmp -fsanitize=thread bug.c -o bug 2>/dev/null &&
        reports "clang, TSan" "r:race" ./bug
else
    skip "clang" "there is none"
fi

# The user's options stay; who asks for the check gets it.
"$CC" -g -w -fopenmp -fsanitize=address bug.c -o bug 2>log && {
    found=$(ASAN_OPTIONS=detect_leaks=0 "$run" ./bug l 2>&1)
    same "options of the user" "$found" ""
    found=$(ASAN_OPTIONS=verify_asan_link_order=1 "$run" ./bug n 2>&1)
    like "options of the user come behind ours" "$found" "*does not come first*"
    printf '#!/bin/sh\n./bug n\n' >script
    chmod +x script
    same "through a script" "$("$run" ./script 2>&1)" "2 threads"
}

if command -v valgrind >/dev/null; then
    "$CC" -g -O0 -w -fopenmp bug.c -o bug
    reports valgrind "o:Invalid c:Invalid u:Invalid d:Invalid n:threads" valgrind -q ./bug
    same "ompd-run under valgrind" "$(valgrind -q --trace-children=yes "$run" ./bug n 2>&1)" \
        "2 threads"
else
    skip valgrind "there is none"
fi
finish
