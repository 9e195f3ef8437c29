/* SPDX-License-Identifier: MIT
 *
 * How a program keeps a table of its own threads: each takes an entry when it is met and
 * gives it back when it ends. For churn-target.c and gomp-truth-target.c.
 */
#ifndef HOST_TRUTH_ENTRY_H
#define HOST_TRUTH_ENTRY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IN_ORDER() __asm__ volatile("" ::: "memory")

/* The head of every entry; its meaning is in churn-truth.h. */
struct truth_head {
    volatile uint32_t lwp;    /* 0: not used */
    volatile uint32_t stable; /* 0: counts for nothing */
};

static pthread_key_t truth_leaving;

static void truth_give_back(void *entry)
{
    struct truth_head *head = entry;
    head->stable = 0;
    IN_ORDER();
    __atomic_store_n(&head->lwp, 0, __ATOMIC_SEQ_CST);
}

/* Before any thread takes an entry. */
static inline void truth_start(void)
{
    pthread_key_create(&truth_leaving, truth_give_back);
}

/* Waits for one to be free. */
static inline void *truth_take(void *table, size_t stride, int count)
{
    uint32_t lwp = (uint32_t)syscall(SYS_gettid);
    for (int i = 0;; i = (i + 1) % count) {
        struct truth_head *head = (struct truth_head *)((char *)table + stride * (size_t)i);
        uint32_t none = 0;
        if (__atomic_compare_exchange_n(&head->lwp, &none, lwp, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            pthread_setspecific(truth_leaving, head);
            return head;
        }
    }
}

#endif
