/* SPDX-License-Identifier: MIT
 *
 * longjmp within the bodies of constructs, over frames that used the runtime, and
 * getcontext and swapcontext between stacks inside a region.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include "check.h"
#include "work.h"

static int landed;

static void jump_from(jmp_buf *to, int depth)
{
    if (depth == 0) {
#pragma omp critical
        landed++;
        longjmp(*to, 1);
    }
#pragma omp taskwait
    jump_from(to, depth - 1);
}

static void jump_once(int depth)
{
    jmp_buf back;
    if (setjmp(back) == 0)
        jump_from(&back, depth);
}

static ucontext_t outside, inside;

static void other_stack(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp critical
        landed++;
#pragma omp task if (0)
        landed++;
        swapcontext(&inside, &outside);
    }
}

static void switch_stacks(void)
{
    enum { STACK = 1 << 18 };
    char *stack = malloc(STACK);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = STACK;
    inside.uc_link = &outside;
    makecontext(&inside, other_stack, 0);
    for (int i = 0; i < 3; i++) {
        swapcontext(&outside, &inside);
#pragma omp taskwait
    }
    swapcontext(&outside, &inside);
    free(stack);
}

int main(void)
{
    jump_once(10);
    CHECK(landed == 1);
#pragma omp parallel num_threads(3)
    {
        jump_once(10);
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++)
            jump_once(3);
#pragma omp single
        for (int i = 0; i < 300; i++)
#pragma omp task
            jump_once(5);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 50; i++)
#pragma omp task if (0)
            jump_once(5);
    }
    CHECK(landed == 1 + 3 + 30 + 300 + 50);
    CHECK(small_work(3));
    landed = 0;
    switch_stacks();
    CHECK(landed == 6);
#pragma omp parallel num_threads(2)
#pragma omp master
    switch_stacks();
    CHECK(landed == 12);
    CHECK(small_work(3));
    return check_result("jumps");
}
