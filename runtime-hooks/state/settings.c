/* SPDX-License-Identifier: MIT
 *
 * The environment variables in effect as a block of strings NAME=VALUE: those that are
 * set unchanged, the others as OMP_DISPLAY_ENV would print them.
 */
#include "core/environment.h"
#include "state/globals.h"
#include "core/hooks.h"
#include "core/runtimes.h"
#include "records/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The block is written twice: the first pass has no room and computes the size. */
struct text {
    char *bytes;
    size_t room, used;
};

static char *block;
static size_t block_size;

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t left = text->used < text->room ? text->room - text->used : 0;
    int length = vsnprintf(left ? text->bytes + text->used : NULL, left, format, list);
    va_end(list);
    if (length > 0)
        text->used += (size_t)length;
}

static void end_entry(struct text *text)
{
    if (text->used < text->room)
        text->bytes[text->used] = 0;
    text->used++;
}

static const char *yes_or_no(uint32_t value)
{
    return value ? "TRUE" : "FALSE";
}

static void schedule(struct text *text, const struct rec_icvs *icvs)
{
    static const char *const kinds[] = {"STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    uint32_t kind = icvs->schedule - 1;
    if (kind >= sizeof(kinds) / sizeof(kinds[0]))
        return;
    bool is_static = kind == 0;
    if (icvs->schedule_monotonic && !is_static)
        add(text, "MONOTONIC:");
    if (!icvs->schedule_monotonic && is_static)
        add(text, "NONMONOTONIC:");
    add(text, "%s", kinds[kind]);
    if (kind < 3 && icvs->schedule_chunk != !is_static)
        add(text, ",%u", icvs->schedule_chunk);
}

static void bind(struct text *text, const struct rec_icvs *icvs)
{
    static const char *const kinds[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
    if (icvs->bind < sizeof(kinds) / sizeof(kinds[0]))
        add(text, "%s", kinds[icvs->bind]);
}

static void allocator(struct text *text, const struct rec_icvs *icvs)
{
    static const char *const kinds[] = {"default", "large_cap", "const", "high_bw",
                                        "low_lat", "cgroup",    "pteam", "thread"};
    uint64_t kind = icvs->default_allocator - 1;
    if (kind < sizeof(kinds) / sizeof(kinds[0]))
        add(text, "omp_%s_mem_alloc", kinds[kind]);
}

/* libgomp's spin count by OMP_WAIT_POLICY. */
static unsigned long long spin_count(const struct rec_globals *values)
{
    static const unsigned long long of_policy[] = {0, 30000000000, 300000};
    return of_policy[values->wait_policy];
}

/* SETTING(name, statement that adds the value) for each variable. */
#define SETTINGS                                                                                   \
    SETTING("OMP_DYNAMIC", add(text, "%s", yes_or_no(icvs->dynamic)))                              \
    SETTING("OMP_NESTED", add(text, "%s", yes_or_no(icvs->max_active_levels > 1)))                 \
    SETTING("OMP_NUM_THREADS", add(text, "%u", icvs->nthreads))                                    \
    SETTING("OMP_SCHEDULE", schedule(text, icvs))                                                  \
    SETTING("OMP_PROC_BIND", bind(text, icvs))                                                     \
    SETTING("OMP_PLACES", )                                                                        \
    SETTING("OMP_STACKSIZE", add(text, "%llu", (unsigned long long)values->stacksize))             \
    SETTING("OMP_WAIT_POLICY", add(text, "PASSIVE"))                                               \
    SETTING("OMP_THREAD_LIMIT",                                                                    \
            add(text, "%u", icvs->thread_limit == INT_MAX ? UINT_MAX : icvs->thread_limit))        \
    SETTING("OMP_MAX_ACTIVE_LEVELS", add(text, "%u", icvs->max_active_levels))                     \
    SETTING("OMP_NUM_TEAMS", add(text, "%u", values->nteams))                                      \
    SETTING("OMP_TEAMS_THREAD_LIMIT", add(text, "%u", values->teams_thread_limit))                 \
    SETTING("OMP_CANCELLATION", add(text, "%s", yes_or_no(values->cancel)))                        \
    SETTING("OMP_DEFAULT_DEVICE", add(text, "%d", (int)icvs->default_device))                      \
    SETTING("OMP_MAX_TASK_PRIORITY", add(text, "%u", values->max_task_priority))                   \
    SETTING("OMP_DISPLAY_AFFINITY", add(text, "%s", yes_or_no(values->display_affinity)))          \
    SETTING("OMP_AFFINITY_FORMAT",                                                                 \
            add(text, "%s", values->affinity_format ? (const char *)values->affinity_format : "")) \
    SETTING("OMP_ALLOCATOR", allocator(text, icvs))                                                \
    SETTING("OMP_TARGET_OFFLOAD", add(text, "DEFAULT"))                                            \
    SETTING("OMP_DISPLAY_ENV", add(text, "FALSE"))                                                 \
    SETTING("OMP_TOOL", add(text, "enabled"))                                                      \
    SETTING("OMP_TOOL_LIBRARIES", )                                                                \
    SETTING("OMP_TOOL_VERBOSE_INIT", add(text, "disabled"))                                        \
    SETTING("OMP_DEBUG", add(text, "disabled"))                                                    \
    SETTING("OMP_OMPD", add(text, "on"))                                                           \
    SETTING("GOMP_CPU_AFFINITY", )                                                                 \
    SETTING("GOMP_STACKSIZE", add(text, "%llu", (unsigned long long)values->stacksize))            \
    SETTING("GOMP_SPINCOUNT", add(text, "%llu", spin_count(values)))                               \
    SETTING("GOMP_DEBUG", add(text, "0"))

static bool ours(const char *variable)
{
    return strncmp(variable, "OMP_", 4) == 0 || strncmp(variable, "GOMP_", 5) == 0 ||
           strncmp(variable, "OMPT_", 5) == 0;
}

/* The date that OMP_DISPLAY_ENV prints. No function returns it, so the text is searched
 * for in the runtime's constants. */
static char version[sizeof "201511"];

static void find_version(const char *text, size_t bytes, void *unused)
{
    (void)unused;
    static const char label[] = "_OPENMP = '";
    const char *found = memmem(text, bytes, label, strlen(label));
    if (!found)
        return;
    found += strlen(label);
    size_t left = bytes - (size_t)(found - text);
    if (left > strlen("201511") && found[6] == '\'' && strspn(found, "0123456789") == 6)
        memcpy(version, found, 6);
}

static void write_all(struct text *text, const struct rec_globals *values,
                      const struct rec_icvs *icvs)
{
    if (*version) {
        add(text, "_OPENMP=%s", version);
        end_entry(text);
    }
    for (char **variable = environ; variable && *variable; variable++) {
        if (ours(*variable) && strchr(*variable, '=')) {
            add(text, "%s", *variable);
            end_entry(text);
        }
    }
#define SETTING(name, value)                                                                       \
    if (!getenv(name)) {                                                                           \
        add(text, "%s=", name);                                                                    \
        value;                                                                                     \
        end_entry(text);                                                                           \
    }
    if (!icvs)
        return;
    SETTINGS
#undef SETTING
}

void settings_start(const struct rec_globals *values, const struct runtime *real,
                    const struct rec_icvs *icvs, unsigned openmp)
{
    static bool has_values;
    if (block && (has_values || !icvs))
        return;
    has_values = icvs != NULL;
    if (openmp)
        snprintf(version, sizeof(version), "%u", openmp % 1000000);
    else
        runtime_constants(real, find_version, NULL);
    struct text text = {0};
    write_all(&text, values, icvs);
    text.bytes = memory_pages(text.used);
    if (!text.bytes)
        return;
    text.room = text.used;
    text.used = 0;
    write_all(&text, values, icvs);
    block = text.bytes;
    block_size = text.used < text.room ? text.used : text.room;
    ompd_hooks_root.settings = (uintptr_t)block;
    publish_order();
    ompd_hooks_root.settings_bytes = (uint32_t)block_size;
}

uintptr_t settings_value(const char *name)
{
    size_t length = strlen(name);
    if (!block || !getenv(name))
        return 0;
    for (const char *entry = block; entry < block + block_size; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return (uintptr_t)(entry + length + 1);
    return 0;
}
