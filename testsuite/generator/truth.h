/* SPDX-License-Identifier: MIT
 *
 * What a generated program says of its own threads. Each has a row with a stack of words: what it is
 * about to do, or does. A word is written before the construct and removed behind it, so that of a
 * thread that has come to rest the last word is what it waits for. */
#ifndef GENERATOR_TRUTH_H
#define GENERATOR_TRUTH_H

#ifdef __cplusplus
extern "C" {
#endif

enum kind { /* read by truth.py, too */
    NONE,
    REGION, /* in the body of a region */
    REGION_END, /* it has left the body */
    PARALLEL, /* it begins a region, or ends it */
    TASK, /* in the body of an explicit task */
    BODY, /* inside of the construct of the word below */
    GATE,
    BARRIER,
    END_FOR,
    END_SECTIONS,
    END_SINGLE,
    END_SCOPE,
    NOWAIT,
    CRITICAL,
    LOCK,
    NEST_LOCK,
    ORDERED,
    DOACROSS,
    TASKWAIT,
    TASKGROUP,
    TASKLOOP,
    DEPEND,
    TARGET, /* it has a device execute a target region */
    KERNEL, /* in the body of one */
    MAP, /* it maps, or waits for another that does so */
};

enum { ROWS = 512, WORDS = 40, TEAMS = 4096, LINES = 2048, GATES = 256, SCENES = 8 };

struct word {
    volatile long kind, line, object, team, number, held;
};

struct row {
    volatile long tid, changes, depth; /* changes is odd while it is written */
    struct word words[WORDS];
};

struct team {
    volatile long id, parent, parent_number, size, line, ended, primary;
};

/* Tasks by the line of their construct. */
struct tasks {
    volatile long created, begun, ended;
};

extern struct truth {
    struct row rows[ROWS];
    struct team teams[TEAMS];
    struct tasks tasks[LINES];
} truth;

/* Around a parallel region; its body is between enter() and leave(). */
long fork_team(long line);
void join_team(long team);
void enter(long team);
void leave(void);

void say(long kind, long line, long object);
void held(void); /* what the last word asked for has been given */
void done(void);

void created(long line, long count);
void begin_task(long team, long line);
void end_task(long line);

void gate(long which, long line);
void work(long amount);

#ifdef __cplusplus
}
#endif
#endif
