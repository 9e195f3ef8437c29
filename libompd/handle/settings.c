/* SPDX-License-Identifier: MIT
 *
 * Settings: the block of strings that the reader has copied, with a vector before it.
 */
#include <stdalign.h>
#include <string.h>

#include "libompd/handle/settings.h"
#include "libompd/runtime/reader.h"

static const uint64_t vector_magic = UINT64_C(0x6f6d70642d736574);

/* One allocation: this, the vector, the strings. The allocator is remembered because a
 * vector is given back without its address space. */
struct vector {
    uint64_t magic;
    const struct target_ops *ops;
    const char *strings[];
};

static enum rc fetch(const void *handle, char **text, size_t *bytes)
{
    struct instance *instance;
    enum rc rc = any_space_runtime(handle, &instance);
    if (rc != RC_OK)
        return rc;
    if (!instance->reader->settings)
        return RC_UNSUPPORTED;
    return instance->reader->settings(instance, text, bytes);
}

enum rc settings_vector(const void *handle, const char *const **out)
{
    char *text;
    size_t bytes;
    struct space *space;
    enum rc rc = any_space_check(handle, &space);
    if (rc == RC_OK)
        rc = fetch(handle, &text, &bytes);
    if (rc != RC_OK)
        return rc;
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += text[i] == '\0';
    size_t before = sizeof(struct vector) + (count + 1) * sizeof(char *);
    void *memory;
    rc = space->ops->alloc(before + bytes, &memory);
    if (rc == RC_OK) {
        struct vector *vector = memory;
        char *copy = (char *)memory + before;
        memcpy(copy, text, bytes);
        size_t n = 0;
        /* An empty string is not a setting. */
        for (char *at = copy; at < copy + bytes; at += strlen(at) + 1) {
            if (*at)
                vector->strings[n++] = at;
        }
        vector->strings[n] = NULL;
        vector->magic = vector_magic;
        vector->ops = space->ops;
        *out = vector->strings;
    }
    space->ops->release(text);
    return rc;
}

enum rc settings_release(const char *const *strings)
{
    if (!strings || (uintptr_t)strings % alignof(struct vector) != 0)
        return RC_BAD_INPUT;
    struct vector *vector =
        (struct vector *)((char *)(uintptr_t)strings - offsetof(struct vector, strings));
    if (vector->magic != vector_magic)
        return RC_BAD_INPUT;
    vector->magic = 0;
    vector->ops->release(vector);
    return RC_OK;
}

/* Digits, in quotes or not, and nothing else. */
static bool parse(const char *value, uint64_t *out)
{
    bool quoted = *value == '\'';
    value += quoted;
    uint64_t number = 0;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && at - value < 19; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    if (at == value || strcmp(at, quoted ? "'" : "") != 0)
        return false;
    *out = number;
    return true;
}

enum rc settings_number(const void *handle, const char *name, uint64_t *out)
{
    char *text;
    size_t bytes;
    struct space *space;
    enum rc rc = any_space_check(handle, &space);
    if (rc == RC_OK)
        rc = fetch(handle, &text, &bytes);
    if (rc != RC_OK)
        return rc;
    size_t length = strlen(name);
    rc = RC_UNSUPPORTED;
    for (char *at = text; at < text + bytes && rc != RC_OK; at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=' && parse(at + length + 1, out))
            rc = RC_OK;
    }
    space->ops->release(text);
    return rc;
}
