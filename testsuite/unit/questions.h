/* SPDX-License-Identifier: MIT
 *
 * The routines of an interface as the unit tests ask them: about a thread, its region and its
 * implicit task.
 */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "fake-target.h"
#include "testsuite/common/ompd-routines.h"

/* What is asked about. */
struct subject {
    void *context, *space, *thread, *region, *task;
    unsigned char lwp[8]; /* of the thread, in the target's byte order */
};

/* A routine, or one of several ways to ask it. */
struct question {
    const char *name;
    const char *of; /* the routine */
    enum kind takes;
    int reads; /* as struct routine has it */
    const char *icv;
    struct args args; /* but handles, and what is the same in all */
    const struct routine *routine;
};

extern struct question questions[];
extern unsigned question_count;

/* Lists those of the table that are asked, and more ways; unit_begin() does. */
void questions_begin(const struct question *ways, unsigned count);

/* A thread of the program, its region and its task; what most tests ask about. */
struct unit;
struct subject subject_of(const struct unit *unit, unsigned thread);
static inline struct subject subject_begin(const struct unit *unit)
{
    return subject_of(unit, 1);
}
void subject_end(struct subject *subject);

/* Returns an ompd_rc_t. */
int ask(const struct question *question, const struct subject *subject, struct outs *outs);

/* Gives back what an answer has. */
void outs_release(const struct question *question, struct outs *outs);

/* What failed callbacks become. */
struct failures {
    int read, other;
};
/* Fails each callback in turn: the right code comes back, nothing is leaked, nothing is
 * published. Returns the number of callbacks when none fails. */
unsigned fail_each_callback(const struct question *question, const struct subject *subject,
                            struct failures failures);

/* Asks each question about what is no good: `stale` comes back and nothing is published, and nothing
 * is read unless the `objects` have ended, about which only some ask. Returns how many did. */
unsigned ask_all_stale(const struct subject *subject, bool objects, int stale);

/* Asks each question without a place for each answer in turn: `bad_input` comes back before anything
 * is read and nothing is published, or the routine goes without, or it has fewer. Returns how many
 * are not gone without. */
unsigned ask_all_without_outs(const struct subject *subject, int bad_input);

/* After a call: no more was read than the table says. */
void check_reads(const struct question *question);

#endif
