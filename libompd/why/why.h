/* SPDX-License-Identifier: MIT
 *
 * Why a program makes no progress: evidence in, verdicts out. Pure: no memory of the target
 * is read, and nothing is allocated but through the debugger's callbacks.
 *
 * Evidence is nodes (threads, things that are waited for, tasks) and edges between them
 * (who waits for what, what needs whom). A node that nothing lets proceed is stuck; stuck
 * nodes that wait for none but each other are a root cause. Each question is asked in three
 * views, which trust more and more of the evidence.
 */
#ifndef LIBOMPD_WHY_H
#define LIBOMPD_WHY_H

#include "libompd/array.h"
#include "libompd/core.h"

/* In falling order of trust. */
enum why_witness {
    WITNESS_RECORDED = 1,
    WITNESS_RUNTIME,
    WITNESS_LIBC,
    WITNESS_KERNEL,
    WITNESS_STACKS, /* this one and those behind it are inferences */
    WITNESS_SOURCE,
    WITNESS_END
};

enum why_evidence_kind {
    EVIDENCE_PROCESS = 1,
    EVIDENCE_THREAD,
    EVIDENCE_THING,
    EVIDENCE_TASK,
    EVIDENCE_WAITS,
    EVIDENCE_NEEDS,
    EVIDENCE_TEAM,
    EVIDENCE_MEMBER,
    EVIDENCE_POLLS, /* a thread that does not wait tests a lock again and again */
    EVIDENCE_END
};

/* `what` of a thread. */
enum why_doing {
    DOING_WORKS = 1,
    DOING_WAITS,
    DOING_ASLEEP,  /* in the kernel, for something outside of the process, or for a while */
    DOING_MPI,     /* in a call of MPI */
    DOING_IDLE,    /* waits in the runtime's pool for work; inferred: in that of another library */
    DOING_ENDLESS, /* in a loop without an exit */
    DOING_ENDED,
    DOING_ABSENT, /* never was in this process */
    DOING_CRASHED,
    DOING_UNKNOWN, /* a member that is being born, or ends, or cannot be read */
    DOING_END
};

/* `what` of a thing. */
enum why_thing {
    THING_LOCK = 1,
    THING_NEST_LOCK,
    THING_CRITICAL,
    THING_ATOMIC,
    THING_MUTEX,
    THING_BARRIER,
    THING_REGION_END,
    THING_TASKWAIT,
    THING_TASKGROUP,
    THING_ORDERED,
    THING_EVENT,
    THING_JOIN,
    THING_OTHER,
    THING_ITERATION, /* of a doacross loop: that it is posted */
    THING_SHARE,     /* iterations or sections that nobody has begun; needs the team's members */
    THING_TEAM,      /* threads that a team lacks; the same */
    THING_SEMAPHORE, /* which a signal handler may post, by POSIX */
    THING_END
};

/* `what` of a task. */
enum why_progress {
    PROGRESS_CREATED = 1, /* has not begun */
    PROGRESS_BEGUN,
    PROGRESS_DETACHED, /* its body has ended, its event is not fulfilled */
    PROGRESS_END
};

enum {
    FLAG_CONFIRMED = 1,   /* of a wait, or an idle thread: what would end it has not happened; of
                           * polls: they went on between two looks, without success; of a need of
                           * what has not begun: the thread reads what others may write */
    FLAG_HELD = 2,        /* of a thing: its own memory says that it is not free */
    FLAG_WHOEVER = 4,     /* of a thing or task: any thread may end it, nobody knows which */
    FLAG_COMPLETE = 8,    /* of the process: all its threads are listed */
    FLAG_RETURNED = 16,   /* of a need: the function that acquired the thing has returned */
    FLAG_DESTROYED = 32,  /* of a thing */
    FLAG_SAME_PLACE = 64, /* of a thread: so it was a while ago; of one that waits: in this wait; of
                           * the process: it was looked at a while ago */
    FLAG_MOVED = 128,     /* of a thread: not; of one that waits: not in this wait */
    FLAG_OVERFLOW = 256,  /* of a crashed thread */
    FLAG_UNCAUGHT = 512,  /* the same: an exception */
    FLAG_RECORDED = 1024, /* of the process: owners would be known */
    FLAG_CANCELLED = 2048,   /* of a barrier: its region is cancelled */
    FLAG_UNMADE = 4096,      /* of a lock: nobody was seen to initialise it */
    FLAG_FORKED = 8192,      /* of the process: it is a child of fork */
    FLAG_THROTTLED = 16384,  /* of a task: so many wait that its creator executes one */
    FLAG_REPEATS = 32768,    /* of a thread: it ran, and came back to the same values */
    FLAG_INITIAL = 65536,    /* of a crashed thread: the one that the process began with */
    FLAG_SUSPENDED = 131072, /* of a need: a task acquired it that its thread has suspended */
    FLAG_ONE_CALL = 262144,  /* of a need: the call that acquired the thing is the one that waits */
    FLAG_HANDLED = 524288,   /* of the process: it may have handlers of signals */
    FLAG_ALONE = 1048576,    /* of a team: the members but one are not in this process */
    FLAG_LOOPS = 2097152, /* of a thread: by its code it is in a loop that only reads the same words
                             * of memory, which another thread may write */
    FLAG_PLAIN = 4194304, /* of a crashed thread: no runtime has made it */
    FLAG_MIXED = 8388608, /* of a barrier: threads have come to it at different directives */
    FLAG_TORN = 16777216, /* of the process: some of it is of another moment, as it ran on */
    FLAG_STRAY = 33554432, /* of a thread: it runs on the stack of another one, which does, too */
    FLAG_INSIDE =
        67108864, /* of a team: between two looks all of its threads were inside the runtime */
    FLAG_RUNNING = 134217728, /* of the process: it, or some thread, runs while it is looked at; of
                               * a thread: what it does is not known for that reason */
};

struct why_evidence {
    uint32_t kind;    /* enum why_evidence_kind */
    uint32_t witness; /* enum why_witness */
    uint32_t what;
    uint32_t flags;
    uint64_t id;     /* of the node; of an edge: the one that waits, or needs; the team */
    uint64_t other;  /* of an edge: what it waits for, whom it needs, or the member; of a thing or
                     * task: the team whose members may end it in a way that nobody can foresee */
    uint64_t number; /* the debugger's */
};

enum why_kind {
    KIND_NOTHING,
    KIND_SLOW,
    KIND_SPIN,
    KIND_STUCK,
    KIND_DEADLOCK,
    KIND_CRASH,
    KIND_WAITING
};
enum why_certainty { CERTAINTY_NONE, CERTAINTY_POSSIBLE, CERTAINTY_LIKELY, CERTAINTY_CERTAIN };

#define VERDICT(name, id, kind, sentence) VERDICT_##name,
enum why_verdict_name {
#include "libompd/why/verdicts.def"
    VERDICT_END
};
#define CAUSE(name, sentence) CAUSE_##name,
enum why_cause {
#include "libompd/why/verdicts.def"
    CAUSE_END
};
#define NEXT(name, type, what_for) NEXT_##name,
enum why_next {
#include "libompd/why/verdicts.def"
    NEXT_END
};

enum why_role {
    ROLE_WAITS = 1, /* a wait that is part of the cause */
    ROLE_HOLDS,     /* a need, likewise */
    ROLE_AT,        /* the thread or task that it is about */
    ROLE_OTHER      /* a wait of a thread that waits for these */
};

struct why_link {
    uint32_t role;
    uint32_t evidence; /* index of what the debugger handed in */
};

struct why_verdict {
    uint32_t name;      /* enum why_verdict_name */
    uint32_t kind;      /* enum why_kind */
    uint32_t certainty; /* enum why_certainty */
    uint32_t cause;     /* enum why_cause */
    uint32_t next;      /* bits 1 << enum why_next */
    uint32_t threads;   /* that are part of the cause, or wait */
    uint32_t others;    /* that wait for these */
    uint32_t links;
    uint64_t first_link;
    uint64_t subject; /* id of the node that it is about, or 0 */
};

enum { WHY_EVIDENCE_MAX = 1 << 22 };

/* Verdicts, the root cause first, and the links of each in one array; the caller frees
 * both, which are empty on failure. Takes n log n steps for n pieces of evidence.
 * RC_BAD_INPUT: more than WHY_EVIDENCE_MAX, or one that no enumeration knows.
 *
 * Evidence that contradicts itself makes nothing stuck: what is waited for and is not
 * there, or who is said to work and to wait, counts as getting on. */
enum rc why_judge(const struct target_ops *ops, const struct why_evidence *evidence, size_t count,
                  struct array *verdicts, struct array *links);

#endif
