/* SPDX-License-Identifier: MIT
 *
 * A program that gives up, by a seccomp filter, every system call that its OpenMP does
 * not need, and is killed by any other: confined first|later [errno]. "first": before the
 * runtime is used at all; "later": when it has been used; "counter": nothing but the processor's
 * counter, where that can be given up. What is allowed is what the
 * bare run was seen to call after that point (strace), each with what it is for.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "check.h"
#include "work.h"

static const int allowed[] = {
    SYS_clone3,
    SYS_clone,
    SYS_rseq,
    SYS_set_robust_list, /* threads are created, */
    SYS_rt_sigaction,    /* the first one; */
    SYS_madvise,
    SYS_exit,
    SYS_exit_group, /* and end; */
    SYS_rt_sigprocmask,
    SYS_futex,
    SYS_sched_yield, /* they wait; */
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_brk, /* stacks and the heap; */
    SYS_sched_getaffinity,
    SYS_write, /* the size of a team; output; */
    SYS_fstat,
    SYS_newfstatat,
    SYS_getrandom, /* the first use of stdout, malloc */
};

enum { N = sizeof(allowed) / sizeof(*allowed) };

static int confine(unsigned otherwise)
{
    struct sock_filter program[N + 5];
    int at = 0;
    program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                 offsetof(struct seccomp_data, nr));
    for (int i = 0; i < N; i++)
        program[at++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], (unsigned char)(N - i), 0);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {(unsigned short)at, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "later") == 0)
        CHECK(small_work(2));
    if (strcmp(argv[1], "counter") == 0)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    else if (confine(argc > 2 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS)) {
        puts("no seccomp here");
        return 77;
    }
    for (int i = 0; i < 3; i++)
        CHECK(small_work(3));
    return check_result("confined");
}
