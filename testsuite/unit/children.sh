# SPDX-License-Identifier: MIT
# What the children of a program under ompd-run get: the hooks, until a process has an
# OpenMP runtime, and from there on the environment that they would have had without us.
#
# In an environment of its own: it is compared, and printed where it differs.
[ -n "$CLEAN" ] || exec env -i CLEAN=1 PATH="$PATH" stage="$stage" top_srcdir="$top_srcdir" \
    top_builddir="$top_builddir" CC="$CC" PYTHON="$PYTHON" sh "$0"
. "$top_srcdir/testsuite/common/tap.sh"
run=$stage/bin/ompd-run
source=$top_srcdir/testsuite/unit/children.c
export PLUGIN="$scratch/plugin.so"

compile linked <"$source" || exit 1
$CC -O1 "$source" -o late -ldl -lpthread || exit 1
cat >plugin.c <<'END'
#include <omp.h>
int team;
void use(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        team = omp_get_num_threads();
}
END
$CC -fopenmp -shared -fPIC plugin.c -o plugin.so || exit 1
compile team <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("%d threads, %s\n", n, dlsym(RTLD_DEFAULT, "omp_ompd_enable") ? "hooked" : "bare");
    return 0;
}
END
echo 'int unused;' >other.c
$CC -shared -fPIC other.c -o other.so

# The same environment as without ompd-run, whatever the user had there.
for user in "A=1" "LD_PRELOAD=$scratch/other.so" "LD_PRELOAD=$scratch/other.so:$scratch/other.so" \
    "LD_PRELOAD=" "OMP_OMPD=off" "OMP_OMPD=" "OMP_OMPD=on" "ASAN_OPTIONS=" \
    "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0" "LD_PRELOAD=$hooks"; do
    for program in ./linked ./late; do
        for how in fork vfork spawn exec; do
            same "$program, $how, $(printf %s "$user" | sed "s|$scratch|.|g; s|$stage|.|")" \
                "$(env "$user" "$run" $program late $how env 2>&1 | sort)" \
                "$(env "$user" $program late $how env 2>&1 | sort)"
        done
    done
done

# --history adds another word to OMP_OMPD.
for user in A=1 OMP_OMPD=off OMP_OMPD= OMP_OMPD=history; do
    same "--history, $user" "$(env "$user" "$run" --history ./linked x spawn env 2>&1 | sort)" \
        "$(env "$user" ./linked x spawn env 2>&1 | sort)"
done

# The runtime comes when there are threads, or after variables of the program's own.
for when in late-thread late-append; do
    same "$when: the environment" "$("$run" ./late $when spawn env 2>&1 | sort)" \
        "$(./late $when spawn env 2>&1 | sort)"
done
# Then nothing can be moved; empty variables mean the same to those who read them.
found=$("$run" ./late late-thread-append spawn env 2>&1 | sort)
same "late, threads and variables: ours are empty" "$(printf '%s\n' "$found" |
    grep -E '^(LD_PRELOAD|OMP_OMPD|ASAN_OPTIONS|OMPD_RUN)')" "ASAN_OPTIONS=
LD_PRELOAD=
OMPD_RUN=
OMP_OMPD="
same "late, threads and variables: the others" "$(printf '%s\n' "$found" |
    grep -vE '^(LD_PRELOAD|OMP_OMPD|ASAN_OPTIONS|OMPD_RUN)=$')" \
    "$(./late late-thread-append spawn env | sort)"
same "late, threads and variables: children are bare" \
    "$("$run" ./late late-thread-append spawn ./team 2>&1)" "2 threads, bare"
same "what the program itself sets is its own" \
    "$("$run" ./late late-own spawn printenv LD_PRELOAD)" ""
"$run" ./late late-own spawn printenv LD_PRELOAD >/dev/null
same "and stays set" $? 0

# A library that has threads before the hooks start.
cat >early.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *sleeper(void *unused)
{
    pause();
    return unused;
}
static void __attribute__((constructor)) early(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
}
END
$CC -shared -fPIC early.c -o early.so -lpthread
$CC "$source" -o early -Wl,--no-as-needed "$scratch/early.so" -ldl -lpthread
same "threads of another constructor" "$("$run" ./early late spawn env 2>&1 | sort)" \
    "$(./early late spawn env | sort)"
same "threads of another constructor, and ours are not the last" \
    "$("$run" env B=2 ./early late spawn ./team 2>&1)" "2 threads, bare"

# Another runtime than libgomp.
if clang -fopenmp "$source" -o foreign -ldl 2>/dev/null && ./foreign x none >/dev/null 2>&1; then
    same "LLVM's runtime" "$("$run" ./foreign x spawn env 2>&1 | sort)" \
        "$(./foreign x spawn env | sort)"
else
    skip "LLVM's runtime" "clang has none here"
fi

# Other threads meanwhile.
i=0
many=
while [ $i -lt 40 ]; do
    many="$many VAR$i=$i"
    i=$((i + 1))
done
i=0
while [ $i -lt 20 ]; do
    # shellcheck disable=SC2086
    found=$("$run" env $many ./late race none 2>&1)
    [ "$found" = "found all" ] || break
    i=$((i + 1))
done
same "other threads use the environment meanwhile" "$found" "found all"

# Scripts and launchers hand the hooks on; the program's own children are bare.
printf '#!/bin/sh\n./team; ./linked x spawn ./team\n' >script
printf 'all:\n\t@./script\n' >Makefile
chmod +x script
both="2 threads, hooked
2 threads, bare"
same "a script" "$("$run" ./script 2>&1)" "$both"
same "sh -c" "$("$run" sh -c './script; :' 2>&1)" "$both"
same "bash" "$("$run" bash -c 'export A=1; ./script; :' 2>&1)" "$both"
same "env, nice, timeout" "$("$run" env B=2 nice timeout 60 ./script 2>&1)" "$both"
same "make" "$(MAKEFLAGS='' MAKELEVEL='' "$run" make -s 2>&1)" "$both"
same "a program without a runtime" "$("$run" ./late none spawn ./script 2>&1)" "$both"
same "a script that preloads something more" "$("$run" sh -c \
    "LD_PRELOAD=$scratch/other.so:\$LD_PRELOAD ./linked x spawn printenv LD_PRELOAD" 2>&1)" \
    "$scratch/other.so"
same "a script that switches the recording off" "$("$run" sh -c \
    "OMP_OMPD=off ./linked x spawn printenv OMP_OMPD" 2>&1)" "off"
same "one ompd-run inside another" "$("$run" sh -c "'$run' ./script; ./script" 2>&1)" "$both
$both"
same "one inside another: the environment" "$("$run" "$run" ./linked x spawn env 2>&1 | sort)" \
    "$(./linked x spawn env 2>&1 | sort)"

# A program that executes itself again is another one; the forks of one stay recorded.
same "a program that executes another" "$("$run" ./linked x exec ./team 2>&1)" "2 threads, bare"
compile daemon <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int ends[2], n = 0;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        close(ends[0]);
#pragma omp parallel num_threads(2) reduction(+ : n)
        n++;
        const char *tracking = dlsym(RTLD_DEFAULT, "ompd_hooks_root");
        printf("%d threads, %s\n", n, tracking ? "hooked" : "bare");
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    close(ends[1]);
    return read(ends[0], &byte, 1) != 0;
}
END
same "a daemon" "$("$run" ./daemon 2>&1)" "2 threads, hooked"

# --follow-children.
same "--follow-children" "$("$run" --follow-children ./script 2>&1)" "2 threads, hooked
2 threads, hooked"
same "--follow-children and runs inside" \
    "$("$run" --follow-children sh -c "'$run' ./script" 2>&1)" "2 threads, hooked
2 threads, hooked"

# Python keeps a copy of what it was started with, so it is asked to hand on the real one.
cat >launch.py <<'END'
import ctypes, os, subprocess, sys
if len(sys.argv) > 1:
    ctypes.CDLL(os.environ["PLUGIN"]).use()
code = "import ctypes, os; ctypes.CDLL(os.environ['PLUGIN']).use();" \
    "print(hasattr(ctypes.CDLL(None), 'omp_ompd_enable'))"
subprocess.run([sys.executable, "-c", code])
END
same "python that starts python" "$("$run" "$PYTHON" launch.py 2>&1)" "True"
same "python with a runtime that starts python" "$("$run" "$PYTHON" launch.py x 2>&1)" "False"

# 32-bit children.
reason=$(no_32_bit)
if [ -n "$reason" ]; then
    skip "32-bit children" "$reason"
else
    $CC -m32 -fopenmp team.c -o team32
    same "a 32-bit program" "$("$run" ./team32 2>&1)" "2 threads, hooked"
    same "a 32-bit child of a script" "$("$run" sh -c './team32; ./team' 2>&1)" \
        "2 threads, hooked
2 threads, hooked"
    same "a 32-bit child of a program" "$("$run" ./linked x spawn ./team32 2>&1)" \
        "2 threads, bare"
fi
finish
