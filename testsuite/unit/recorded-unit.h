/* SPDX-License-Identifier: MIT
 *
 * What the units of a process that records share: the program of both.h as one, and its threads.
 */
#ifndef RECORDED_UNIT_H
#define RECORDED_UNIT_H

#include "both.h"
#include "fake-records.h"
#include "libompd/survey/survey.h"

extern struct fake *fake;

void begin_one(void);
/* A team of four of which nobody is in a nested region. */
void begin_flat(void);
void end_one(void);
void put_barrier(unsigned thread, unsigned entered, unsigned bits, unsigned state);
struct surveyed_thread *find(const struct array *threads, unsigned gomp);
struct array all_threads(enum rc expected);
/* The facts of one thread, asked for alone and among all; they are the same. */
struct thread_facts facts_of(unsigned gomp);

#endif
