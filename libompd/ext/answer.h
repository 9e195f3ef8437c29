/* SPDX-License-Identifier: MIT
 *
 * Between the extension's entry points and the surveys: marks become bits of `known`,
 * arrays become vectors of elements as wide as the debugger asked for.
 */
#ifndef LIBOMPD_EXT_ANSWER_H
#define LIBOMPD_EXT_ANSWER_H

#include "libompd/abi-5/abi.h"
#include "libompd/ext/ompd-ext.h"
#include "libompd/survey/survey.h"

static inline ompd_ext_object_t ext_object(struct ref ref)
{
    return (ompd_ext_object_t){ref.address, ref.id};
}

static inline bool ext_known(uint64_t *known, unsigned bit, enum known mark)
{
    if (mark != KNOWN)
        return false;
    *known |= UINT64_C(1) << bit;
    return true;
}

/* The size that a structure had in version 1, which ended before this field. */
#define EXT_FIRST_SIZE(type, field) offsetof(type, field)

/* Fills a field of a structure, or leaves it 0. */
#define EXT_NUMBER(out, bit, field, fact)                                                          \
    do {                                                                                           \
        if (ext_known(&(out)->known, bit, (fact).known))                                           \
            (out)->field = (fact).value;                                                           \
    } while (0)
#define EXT_OBJECT(out, bit, field, fact)                                                          \
    do {                                                                                           \
        if (!(fact).torn && ext_known(&(out)->known, bit, (fact).known))                           \
            (out)->field = ext_object((fact).ref);                                                 \
    } while (0)

/* The size that a debugger says its structure has. */
static inline bool ext_size_is_valid(ompd_size_t size, size_t first_version)
{
    return size >= first_version && size <= 4096 && size % 8 == 0;
}

typedef void ext_convert(const struct instance *instance, const void *surveyed, void *out);

/* One structure, of which no more than `size` bytes are written. */
void ext_give(const struct instance *instance, const void *surveyed, ext_convert *convert,
              size_t ours, ompd_size_t size, void *out);

/* A vector of what was surveyed with this return code. `ours` is the size of a structure as
 * this library has it. RC_INCOMPLETE is an answer, too, and stays. */
enum rc ext_vector(const struct survey_parts *parts, ext_convert *convert, size_t ours,
                   ompd_size_t size, enum rc rc, void **out, ompd_size_t *count);

/* The same of a survey of all runtimes. */
enum rc ext_survey(struct space *space, survey_function *survey, ext_convert *convert, size_t ours,
                   ompd_size_t size, void **out, ompd_size_t *count);

/* The routine that does only that. */
#define EXT_SURVEY(routine, type, first_size, survey, convert)                                     \
    ompd_rc_t routine(ompd_address_space_handle_t *handle, ompd_size_t element_size,               \
                      type **elements, ompd_size_t *count)                                         \
    {                                                                                              \
        if (!elements || !count || !ext_size_is_valid(element_size, first_size))                   \
            return ompd_rc_bad_input;                                                              \
        void *vector;                                                                              \
        enum rc rc = ext_survey(abi_space(handle), survey, convert, sizeof(type), element_size,    \
                                &vector, count);                                                   \
        if (rc_is_answer(rc))                                                                      \
            *elements = vector;                                                                    \
        return abi_answer(rc);                                                                     \
    }

#endif
