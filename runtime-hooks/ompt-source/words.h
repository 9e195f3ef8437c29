/* SPDX-License-Identifier: MIT
 *
 * The data words of the runtime's regions and tasks. Each but that of a worker's implicit task
 * has the address of our record of the object; while they are shared with a tool (chain.c), that
 * of a record `word`, which has both ours and the tool's. An object whose word is not ours leaves
 * it to the tool.
 *
 * The runtime copies words, and hands out copies on its stack: a word is known by its value.
 */
#ifndef OMPD_HOOKS_OMPT_WORDS_H
#define OMPD_HOOKS_OMPT_WORDS_H

#include "omp-tools-ompt.h"
#include "core/hooks.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

/* Before the first callback: from then on words are shared, or not. */
static inline void words_share(void)
{
    ompd_hooks_root.ompt_shared = 1;
}
static inline void words_unshare(void)
{
    ompd_hooks_root.ompt_shared = 0;
}

/* The record `word` that a word has the address of; NULL: none. */
struct rec_word *word_shared(const ompt_data_t *data);
void word_share(ompt_data_t *data, void *record);

/* The object ends: its word is the tool's alone. */
void word_end(ompt_data_t *data);

/* The record of an object; NULL: it has none. */
static inline void *word_record(const ompt_data_t *data)
{
    if (likely(!ompd_hooks_root.ompt_shared))
        return data->ptr;
    const struct rec_word *word = word_shared(data);
    return word ? (void *)word->record : NULL;
}

/* When an object begins; NULL: it has none. */
static inline void word_set(ompt_data_t *data, void *record)
{
    if (likely(!ompd_hooks_root.ompt_shared))
        data->ptr = record;
    else
        word_share(data, record);
}

/* What the tool is given in place of a word of the runtime. Of a task without a team LLVM's
 * runtime hands out the word of a team at address 0. */
static inline ompt_data_t *word_of_tool(ompt_data_t *data)
{
    const uintptr_t team_bytes = 4096;
    struct rec_word *word = (uintptr_t)data >= team_bytes ? word_shared(data) : NULL;
    return word ? (ompt_data_t *)&word->tool_data : data;
}

#pragma GCC visibility pop

#endif
