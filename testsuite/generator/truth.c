/* SPDX-License-Identifier: MIT
 *
 * The truth that a generated program keeps (truth.h), and its main(): each scene runs in a thread of
 * its own.
 *
 * Usage: PROGRAM runs | frozen [GATE TIME ...] [MODULE], where a thread that comes to a GATE as the
 * TIMEth stays there, with a TIME below 0 also all that come later. Frozen scenes run twice, others
 * until they are killed. MODULE is a path: another program, as a library, whose scenes are played, too. */
#define _GNU_SOURCE
#include "truth.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct truth truth;

static __thread struct row *mine;
static pthread_key_t ending;
static long last_team;
static struct {
    volatile long came, stays;
} gates[GATES];
static int runs;

static void give_back(void *row)
{
    ((struct row *)row)->depth = 0;
    __atomic_store_n(&((struct row *)row)->tid, 0, __ATOMIC_SEQ_CST);
}

static struct row *own_row(void)
{
    long tid = mine ? mine->tid : syscall(SYS_gettid);
    for (int i = 0; !mine; i = (i + 1) % ROWS) {
        long unused = 0;
        if (__atomic_compare_exchange_n(&truth.rows[i].tid, &unused, tid, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            mine = &truth.rows[i];
            pthread_setspecific(ending, mine);
        }
    }
    return mine;
}

static struct row *change(void)
{
    struct row *row = own_row();
    row->changes++;
    return row;
}

static struct word *last(struct row *row)
{
    static struct word none;
    return row->depth ? &row->words[row->depth - 1] : &none;
}

static void push(struct row *row, struct word word)
{
    if (row->depth == WORDS)
        abort();
    memcpy((void *)&row->words[row->depth], (void *)&word, sizeof word);
    row->depth++;
}

void say(long kind, long line, long object)
{
    struct row *row = change();
    push(row, (struct word){kind, line, object, last(row)->team, last(row)->number, 0});
    row->changes++;
}

void held(void)
{
    struct row *row = change();
    last(row)->held = 1;
    row->changes++;
}

void done(void)
{
    struct row *row = change();
    row->depth--;
    row->changes++;
}

long fork_team(long line)
{
    struct row *row = own_row();
    struct team *team;
    long id;
    do {
        id = __atomic_add_fetch(&last_team, 1, __ATOMIC_SEQ_CST);
        team = &truth.teams[id % TEAMS];
    } while (team->id && !team->ended);
    *team = (struct team){id, last(row)->team, last(row)->number, 0, line, 0, row->tid};
    say(PARALLEL, line, id);
    return id;
}

void join_team(long team)
{
    struct row *row = change();
    truth.teams[team % TEAMS].ended = 1;
    while (last(row)->kind != PARALLEL || last(row)->object != team)
        row->depth--;
    row->depth--;
    row->changes++;
}

/* A worker has nothing below a region. One that executes another iteration of a combined construct is
 * in the same region again. */
void enter(long team)
{
    struct team *in = &truth.teams[team % TEAMS];
    struct row *row = change();
    in->size = omp_get_num_threads();
    if (last(row)->kind == REGION_END && last(row)->team == team)
        row->depth--;
    else if (row->tid != in->primary)
        row->depth = 0;
    push(row, (struct word){REGION, in->line, 0, team, omp_get_thread_num(), 0});
    row->changes++;
}

void leave(void)
{
    struct row *row = change();
    last(row)->kind = REGION_END;
    row->changes++;
}

void created(long line, long count)
{
    __atomic_add_fetch(&truth.tasks[line].created, count, __ATOMIC_SEQ_CST);
}

void begin_task(long team, long line)
{
    struct row *row = change();
    push(row, (struct word){TASK, line, 0, team, omp_get_thread_num(), 0});
    __atomic_add_fetch(&truth.tasks[line].begun, 1, __ATOMIC_SEQ_CST);
    row->changes++;
}

void end_task(long line)
{
    __atomic_add_fetch(&truth.tasks[line].ended, 1, __ATOMIC_SEQ_CST);
    done();
}

void work(long amount)
{
    for (volatile long i = 0; i < amount; i++)
        ;
}

void gate(long which, long line)
{
    long stays = gates[which].stays,
         came = stays ? __atomic_add_fetch(&gates[which].came, 1, __ATOMIC_SEQ_CST) : 0;
    if (stays && (came == labs(stays) || (stays < 0 && came > -stays))) {
        say(GATE, line, which);
        for (;;)
            pause();
    }
    work(20);
}

void prepare(void); /* initializes locks */
__attribute__((weak)) void prepare_devices(void);
#define SCENE(n) __attribute__((weak)) void scene_##n(void);
SCENE(0) SCENE(1) SCENE(2) SCENE(3) SCENE(4) SCENE(5) SCENE(6) SCENE(7)
static void (*const scenes[SCENES])(void) = {scene_0, scene_1, scene_2, scene_3,
                                             scene_4, scene_5, scene_6, scene_7};

static void *play(void *scene)
{
    for (int round = 0; runs || round < 2; round++)
        ((void (*)(void))scene)();
    for (;;)
        pause();
    return NULL;
}

static void start(void (*scene)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, play, (void *)scene);
}

/* Plays all scenes but the first one. */
void begin(int argc, char **argv)
{
    runs = strcmp(argv[1], "runs") == 0;
    prepare();
    if (prepare_devices)
        prepare_devices();
    for (int i = 2; i + 1 < argc; i += 2)
        gates[atoi(argv[i])].stays = atoi(argv[i + 1]);
    pthread_key_create(&ending, give_back);
    for (int i = 1; i < SCENES && scenes[i]; i++)
        start(scenes[i]);
}

int main(int argc, char **argv)
{
    void *module = strchr(argv[argc - 1], '/') ? dlopen(argv[--argc], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module)
        ((void (*)(int, char **))dlsym(module, "begin"))(argc, argv);
    begin(argc, argv);
    play((void *)scenes[0]);
}
