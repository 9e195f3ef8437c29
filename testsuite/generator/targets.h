/* SPDX-License-Identifier: MIT
 *
 * What a generated program says of ranges of `pool' that it maps, each to one device. A change is
 * between begin_map() and end_map(), which also a kernel calls, for what its construct maps. */
#ifndef GENERATOR_TARGETS_H
#define GENERATOR_TARGETS_H

enum { RANGES = 64, OF_TASKS = 12, LONGEST = 256 };

extern char pool[RANGES * LONGEST];

extern struct range { /* read by truth.py, too */
    volatile long host, bytes, device;
    volatile long count, ever, copy;
    volatile long maybe;   /* as many more or fewer: it is changed, or tasks may have ended */
    volatile long entered; /* how often, without a structured region */
} ranges[RANGES];

void begin_map(long range);
void end_map(long range, long count);
void in_kernel(long range, long copy);
void end_enter(long range);
long begin_exit(long range); /* 0: it is not to be done */
void associate(long range);

/* Of a deferred target task, with a range of its own. */
void will_map(long range);
void in_task(long range, long copy);
void leave_task(long range);

#endif
