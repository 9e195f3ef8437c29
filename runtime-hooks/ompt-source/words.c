/* SPDX-License-Identifier: MIT
 *
 * The memory of shared data words; see words.h.
 *
 * A word is freed when the runtime ends its object, of which it may keep copies. So free ones
 * are reused as late as possible: first in, first out.
 */
#include "ompt-source/words.h"
#include "core/lock.h"
#include "records/memory.h"

#define BATCH 64            /* from the shared queue to a thread, and back */
#define RESERVE (2 * BATCH) /* stay free */
#define FIRST_CHUNK ((size_t)16 * 1024)
#define CHUNKS 24

struct cell {
    struct rec_word word; /* kept when it is free */
    struct cell *next;
} __attribute__((aligned(32)));

struct queue {
    struct cell *first, *last;
    unsigned count;
};

static struct chunk {
    uintptr_t start;
    size_t size, used;
} chunks[CHUNKS];
static unsigned chunk_count;
static struct queue of_process;
static __thread struct queue of_thread;

static void append(struct queue *queue, struct cell *cell)
{
    cell->next = NULL;
    if (queue->count++)
        queue->last->next = cell;
    else
        queue->first = cell;
    queue->last = cell;
}

static struct cell *remove_first(struct queue *queue)
{
    struct cell *cell = queue->first;
    queue->first = cell->next;
    queue->count--;
    return cell;
}

/* The hooks' lock is held. */
static struct cell *new_cell(void)
{
    struct chunk *chunk = chunk_count ? &chunks[chunk_count - 1] : NULL;
    if (!chunk || chunk->used == chunk->size) {
        size_t size = chunk ? 2 * chunk->size : FIRST_CHUNK;
        void *pages = chunk_count < CHUNKS ? memory_pages(size) : NULL;
        if (!pages)
            return NULL;
        chunk = &chunks[chunk_count];
        *chunk = (struct chunk){(uintptr_t)pages, size, 0};
        __atomic_store_n(&chunk_count, chunk_count + 1, __ATOMIC_RELEASE);
    }
    struct cell *cell = (struct cell *)(chunk->start + chunk->used);
    chunk->used += sizeof(*cell);
    return cell;
}

static void NOINLINE refill(void)
{
    hooks_lock();
    for (unsigned i = 0; i < BATCH; i++) {
        struct cell *cell = of_process.count > RESERVE ? remove_first(&of_process) : new_cell();
        if (!cell)
            break;
        append(&of_thread, cell);
    }
    hooks_unlock();
}

static void NOINLINE give_batch(void)
{
    hooks_lock();
    for (unsigned i = 0; i < BATCH; i++)
        append(&of_process, remove_first(&of_thread));
    hooks_unlock();
}

/* A tool that has a word for itself may leave anything in it. But it never sees the address of
 * a record `word`, only that of the second field. */
struct rec_word *word_shared(const ompt_data_t *data)
{
    uintptr_t value = (uintptr_t)data->ptr;
    unsigned count = __atomic_load_n(&chunk_count, __ATOMIC_ACQUIRE);
    for (unsigned i = count; i-- > 0;)
        if (value - chunks[i].start < chunks[i].size)
            return (value - chunks[i].start) % sizeof(struct cell) ? NULL
                                                                   : (struct rec_word *)value;
    return NULL;
}

/* What an older object has left in the memory of this one is nobody's. */
void word_share(ompt_data_t *data, void *record)
{
    if (record && of_thread.count <= BATCH / 2)
        refill();
    if (record && of_thread.count) {
        struct rec_word *word = &remove_first(&of_thread)->word;
        *word = (struct rec_word){(uintptr_t)record, 0};
        data->ptr = word;
    } else if (word_shared(data)) {
        data->value = 0;
    }
}

void word_end(ompt_data_t *data)
{
    struct rec_word *word = data ? word_shared(data) : NULL;
    if (!word || !word->record)
        return;
    data->value = word->tool_data;
    word->record = 0;
    append(&of_thread, (struct cell *)word);
    if (of_thread.count >= 4 * BATCH)
        give_batch();
}
