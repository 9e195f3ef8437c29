/* SPDX-License-Identifier: MIT
 *
 * What the rows of tables/routines.def expand to. Types of the interfaces and their abi_*()
 * have the same names in both. An interface takes its own rows: it defines ROUTINE_2 and
 * ROUTINE_5 as ROUTINE_TAKEN or ROUTINE_LEFT, and includes the table.
 */
#ifndef LIBOMPD_ROUTINES_H
#define LIBOMPD_ROUTINES_H

#define ROUTINE(interface, shape, ...) ROUTINE_##interface(shape, __VA_ARGS__)
#define ROUTINE_BOTH(shape, ...) ROUTINE_##shape(__VA_ARGS__)
#define ROUTINE_TAKEN(shape, ...) ROUTINE_##shape(__VA_ARGS__)
#define ROUTINE_LEFT(shape, ...)

#define ROUTINE_SPACE(routine)                                                                     \
    ompd_rc_t routine(ompd_address_space_context_t *context, ompd_address_space_handle_t **out)    \
    {                                                                                              \
        if (!context || !out)                                                                      \
            return ompd_rc_bad_input;                                                              \
        const struct target_ops *ops = abi_ops();                                                  \
        if (!ops)                                                                                  \
            return ompd_rc_error;                                                                  \
        struct space *space;                                                                       \
        enum rc rc = space_create(ops, context, &space);                                           \
        if (rc == RC_OK)                                                                           \
            *out = (ompd_address_space_handle_t *)space;                                           \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_RELEASE_SPACE(routine)                                                             \
    ompd_rc_t routine(ompd_address_space_handle_t *handle)                                         \
    {                                                                                              \
        return abi_answer(any_space_release(handle));                                              \
    }

#define ROUTINE_HANDLE(routine, from, to, function)                                                \
    ompd_rc_t routine(ompd_##from##_handle_t *handle, ompd_##to##_handle_t **out)                  \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        struct handle *found;                                                                      \
        enum rc rc = function(abi_##from(handle), &found);                                         \
        if (rc == RC_OK)                                                                           \
            *out = (ompd_##to##_handle_t *)found;                                                  \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_MEMBER(routine, kind, function)                                                    \
    ompd_rc_t routine(ompd_parallel_handle_t *region, int number, ompd_##kind##_handle_t **out)    \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        struct handle *member;                                                                     \
        enum rc rc = function(abi_parallel(region), number, &member);                              \
        if (rc == RC_OK)                                                                           \
            *out = (ompd_##kind##_handle_t *)member;                                               \
        return abi_answer(rc);                                                                     \
    }

/* `out`: NULL if only the number of handles is asked for. */
#define ROUTINE_VECTOR(routine, kind, function)                                                    \
    ompd_rc_t routine(ompd_parallel_handle_t *region, ompd_##kind##_handle_t ***out, int *count)   \
    {                                                                                              \
        if (!count)                                                                                \
            return ompd_rc_bad_input;                                                              \
        struct handle **vector;                                                                    \
        enum rc rc = function(abi_parallel(region), out ? &vector : NULL, count);                  \
        if (rc == RC_OK && out)                                                                    \
            *out = (ompd_##kind##_handle_t **)vector;                                              \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_WORD(routine, kind, object, fact, qualifier)                                       \
    ompd_rc_t routine(qualifier ompd_##kind##_handle_t *handle, ompd_tword_t *out)                 \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        struct object##_facts facts;                                                               \
        enum rc rc = facts_of_##object(abi_##kind(handle), &facts);                                \
        return abi_answer_word(rc, &facts.fact, out);                                              \
    }

#define ROUTINE_ICV(routine, kind, icv)                                                            \
    ompd_rc_t routine(const ompd_##kind##_handle_t *handle, ompd_tword_t *out)                     \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        struct icv_facts icvs;                                                                     \
        enum rc rc = icvs_of_##kind(abi_##kind(handle), &icvs);                                    \
        return abi_answer_word(rc, &icvs.icv, out);                                                \
    }

#define ROUTINE_ADDRESS(routine, kind, object, fact)                                               \
    ompd_rc_t routine(ompd_##kind##_handle_t *handle, ompd_address_t *out)                         \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        struct object##_facts facts;                                                               \
        uint64_t address;                                                                          \
        enum rc rc = facts_of_##object(abi_##kind(handle), &facts);                                \
        if (rc == RC_OK)                                                                           \
            rc = fact_value(facts.fact, &address);                                                 \
        if (rc == RC_OK)                                                                           \
            *out = abi_address(address);                                                           \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_NUMBER(routine, kind, type, function)                                              \
    ompd_rc_t routine(ompd_##kind##_handle_t *handle, type *out)                                   \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        uint64_t number;                                                                           \
        enum rc rc = function(abi_##kind(handle), &number);                                        \
        if (rc == RC_OK)                                                                           \
            *out = number;                                                                         \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_FRAME(routine, type, frame_of)                                                     \
    ompd_rc_t routine(ompd_task_handle_t *handle, type *exit, type *enter)                         \
    {                                                                                              \
        if (!exit || !enter)                                                                       \
            return ompd_rc_bad_input;                                                              \
        struct task_facts facts;                                                                   \
        enum rc rc = facts_of_task(abi_task(handle), &facts);                                      \
        uint64_t left, entered;                                                                    \
        if (rc == RC_OK)                                                                           \
            rc = fact_value(facts.exit_frame, &left);                                              \
        if (rc == RC_OK)                                                                           \
            rc = fact_value(facts.enter_frame, &entered);                                          \
        if (rc == RC_OK) {                                                                         \
            *exit = frame_of(left);                                                                \
            *enter = frame_of(entered);                                                            \
        }                                                                                          \
        return abi_answer(rc);                                                                     \
    }

#define ROUTINE_STRING(routine, kind, core_kind)                                                   \
    ompd_rc_t routine(ompd_##kind##_handle_t *handle, char **out)                                  \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        return abi_answer(handle_string(abi_##kind(handle), core_kind, out));                      \
    }

#define ROUTINE_COMPARE(routine, kind, core_kind)                                                  \
    ompd_rc_t routine(ompd_##kind##_handle_t *a, ompd_##kind##_handle_t *b, int *out)              \
    {                                                                                              \
        if (!out)                                                                                  \
            return ompd_rc_bad_input;                                                              \
        return abi_answer(handle_compare(abi_##kind(a), abi_##kind(b), core_kind, out));           \
    }

#define ROUTINE_RELEASE(routine, kind, core_kind)                                                  \
    ompd_rc_t routine(ompd_##kind##_handle_t *handle)                                              \
    {                                                                                              \
        return abi_answer(handle_release(abi_##kind(handle), core_kind));                          \
    }

#endif
