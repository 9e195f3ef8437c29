/* SPDX-License-Identifier: MIT
 *
 * What live processes and cores have in common: the lists, and reads through the cache.
 */
#define _GNU_SOURCE
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf-image.h"
#include "page-cache.h"
#include "target.h"
#include "threads.h"

#if defined __x86_64__
enum { OWN_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

bool why_set(struct why *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return false;
}

struct target *target_open(const char *word, struct why *why)
{
    char *end;
    errno = 0;
    long number = strtol(word, &end, 10);
    if (*word && !*end) {
        if (errno || number <= 0 || number > INT_MAX) {
            why_set(why, "%s is no process id.", word);
            return NULL;
        }
        return live_open((pid_t)number, why);
    }
    return core_open(word, why);
}

struct target *target_new(const struct target_ops *ops, void *state)
{
    struct target *target = calloc(1, sizeof *target);
    if (!target)
        return NULL;
    target->ops = ops;
    target->state = state;
    target->word_size = sizeof(void *);
    target->machine = OWN_MACHINE;
    target->cache = page_cache_create(target);
    if (!target->cache) {
        free(target);
        return NULL;
    }
    return target;
}

void target_forget_lists(struct target *target)
{
    for (size_t i = 0; i < target->mapping_count; i++)
        free(target->mappings[i].path);
    free(target->mappings);
    target->mappings = NULL;
    target->mapping_count = 0;
    free(target->lwps);
    target->lwps = NULL;
    target->lwp_count = 0;
}

void target_close(struct target *target)
{
    if (!target)
        return;
    thread_db_destroy(target->thread_db);
    images_forget(target);
    target->ops->close(target);
    target_forget_lists(target);
    page_cache_destroy(target->cache);
    free(target);
}

/* Lists grow by doubling; the capacity is implied by the count. */
static void *grow(void *list, size_t count, size_t size, size_t most)
{
    if (count >= most)
        return NULL;
    if (count == 0)
        return malloc(16 * size);
    if (count < 16 || (count & (count - 1)))
        return list;
    return realloc(list, 2 * count * size);
}

bool target_add_mapping(struct target *target, const struct mapping *mapping)
{
    struct mapping *list =
        grow(target->mappings, target->mapping_count, sizeof *list, TARGET_MAX_MAPPINGS);
    if (!list)
        return false;
    target->mappings = list;
    list[target->mapping_count] = *mapping;
    list[target->mapping_count].path = strdup(mapping->path);
    if (!list[target->mapping_count].path)
        return false;
    target->mapping_count++;
    return true;
}

struct lwp *target_add_lwp(struct target *target, pid_t id)
{
    struct lwp *list = grow(target->lwps, target->lwp_count, sizeof *list, TARGET_MAX_LWPS);
    if (!list)
        return NULL;
    target->lwps = list;
    struct lwp *lwp = &list[target->lwp_count++];
    memset(lwp, 0, sizeof *lwp);
    lwp->lwp = id;
    return lwp;
}

bool target_is_foreign(const struct target *target)
{
    return target->word_size == 8 && target->machine != OWN_MACHINE;
}

struct lwp *target_lwp(struct target *target, pid_t id)
{
    for (size_t i = 0; i < target->lwp_count; i++)
        if (target->lwps[i].lwp == id)
            return &target->lwps[i];
    return NULL;
}

const struct mapping *target_mapping(const struct target *target, uint64_t address)
{
    for (size_t i = 0; i < target->mapping_count; i++) {
        const struct mapping *m = &target->mappings[i];
        if (address >= m->start && address < m->end)
            return m;
    }
    return NULL;
}

int target_read(struct target *target, uint64_t address, void *buffer, size_t length)
{
    return page_cache_read(target->cache, address, buffer, length);
}

int target_write(struct target *target, uint64_t address, const void *buffer, size_t length)
{
    page_cache_drop(target->cache);
    return target->ops->write(target, address, buffer, length);
}

void target_decode_words(const struct target *target, const void *bytes, size_t count,
                         uint64_t *words)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t half;
        if (target->word_size == sizeof half) {
            memcpy(&half, (const char *)bytes + i * sizeof half, sizeof half);
            words[i] = half;
        } else {
            memcpy(&words[i], (const char *)bytes + i * sizeof *words, sizeof *words);
        }
    }
}

int target_read_word(struct target *target, uint64_t address, uint64_t *word)
{
    uint32_t half;
    if (target->word_size != sizeof half)
        return target_read(target, address, word, sizeof *word);
    int error = target_read(target, address, &half, sizeof half);
    if (!error)
        *word = half;
    return error;
}

int target_read_string(struct target *target, uint64_t address, char *buffer, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c;
        int error = target_read(target, address + i, &c, 1);
        if (error)
            return error;
        buffer[i] = c;
        if (!c)
            return 0;
    }
    return ENAMETOOLONG;
}

bool target_stop(struct target *target, struct why *why)
{
    page_cache_drop(target->cache);
    if (!target->ops->stop)
        return why_set(why, "A %s cannot be stopped.", target->ops->kind);
    if (!target->ops->stop(target, why))
        return false;
    threads_refresh(target);
    return true;
}

bool target_resume(struct target *target, struct why *why)
{
    page_cache_drop(target->cache);
    if (!target->ops->resume)
        return why_set(why, "A %s cannot run.", target->ops->kind);
    return target->ops->resume(target, why);
}

enum step_result target_step(struct target *target, struct lwp *lwp)
{
    page_cache_drop(target->cache);
    return target->ops->step ? target->ops->step(target, lwp) : STEP_GONE;
}
