/* SPDX-License-Identifier: MIT
 *
 * The extension: locks with owners and waiters, and barriers.
 */
#include "libompd/ext/answer.h"

_Static_assert((int)ompd_ext_lock_simple == (int)LOCK_KIND_SIMPLE &&
                   (int)ompd_ext_lock_nest == (int)LOCK_KIND_NEST &&
                   (int)ompd_ext_lock_critical == (int)LOCK_KIND_CRITICAL &&
                   (int)ompd_ext_lock_atomic == (int)LOCK_KIND_ATOMIC,
               "kinds are those of the facts");
_Static_assert((int)ompd_ext_barrier_none == (int)BARRIER_NONE &&
                   (int)ompd_ext_barrier_within == (int)BARRIER_WITHIN &&
                   (int)ompd_ext_barrier_end == (int)BARRIER_END,
               "kinds are those of the facts");

static void convert_lock(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct surveyed_lock *lock = surveyed;
    const struct lock_facts *facts = &lock->facts;
    ompd_ext_lock_t *out = result;
    if (lock->ref.id && ext_known(&out->known, OMPD_EXT_LOCK_LOCK, KNOWN))
        out->lock = (ompd_ext_object_t){lock->ref.address, lock->ref.id};
    out->address = facts->address.value;
    out->first_waiter = lock->first_waiter;
    out->waiters = lock->waiters;
    EXT_NUMBER(out, OMPD_EXT_LOCK_KIND, kind, facts->kind);
    EXT_NUMBER(out, OMPD_EXT_LOCK_HINT, hint, facts->hint);
    EXT_NUMBER(out, OMPD_EXT_LOCK_COUNT, count, facts->count);
    EXT_NUMBER(out, OMPD_EXT_LOCK_CODEPTR, codeptr, facts->codeptr);
    EXT_NUMBER(out, OMPD_EXT_LOCK_FRAME, frame, facts->frame);
    EXT_NUMBER(out, OMPD_EXT_LOCK_LIFE, life, facts->life);
    EXT_OBJECT(out, OMPD_EXT_LOCK_OWNER, owner, facts->owner);
    EXT_OBJECT(out, OMPD_EXT_LOCK_OWNER_TASK, owner_task, facts->owner_task);
}

static void convert_waiter(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    *(ompd_ext_object_t *)result = ext_object(*(const struct ref *)surveyed);
}

ompd_rc_t ompd_ext_get_locks(ompd_address_space_handle_t *handle, ompd_size_t element_size,
                             ompd_ext_lock_t **locks, ompd_size_t *count,
                             ompd_ext_object_t **waiters, ompd_size_t *waiter_count)
{
    if (!locks || !count || !waiters || !waiter_count ||
        !ext_size_is_valid(element_size, EXT_FIRST_SIZE(ompd_ext_lock_t, frame)))
        return ompd_rc_bad_input;
    struct survey_parts listed, waiting;
    enum rc rc = survey_all_locks(abi_space(handle), &listed, &waiting);
    void *lock_vector, *waiter_vector;
    ompd_size_t lock_count;
    rc = ext_vector(&listed, convert_lock, sizeof **locks, element_size, rc, &lock_vector,
                    &lock_count);
    if (rc_is_answer(rc)) {
        enum rc second = ext_vector(&waiting, convert_waiter, sizeof **waiters, sizeof **waiters,
                                    rc, &waiter_vector, waiter_count);
        if (!rc_is_answer(second) && lock_vector)
            abi_ops()->release(lock_vector);
        rc = second;
    }
    if (rc_is_answer(rc)) {
        *locks = lock_vector;
        *count = lock_count;
        *waiters = waiter_vector;
    }
    survey_parts_free(&listed);
    survey_parts_free(&waiting);
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_lock(ompd_address_space_handle_t *handle, uint64_t address, uint32_t kind,
                            ompd_size_t size, ompd_ext_lock_t *lock)
{
    if (!lock || !address || kind < ompd_ext_lock_simple || kind > ompd_ext_lock_atomic ||
        !ext_size_is_valid(size, EXT_FIRST_SIZE(ompd_ext_lock_t, frame)))
        return ompd_rc_bad_input;
    struct surveyed_lock surveyed;
    struct instance *instance;
    enum rc rc = survey_lock_anywhere(abi_space(handle), address, kind, &surveyed, &instance);
    if (rc == RC_OK)
        ext_give(instance, &surveyed, convert_lock, sizeof *lock, size, lock);
    return abi_answer(rc);
}

static void convert_barrier(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct surveyed_barrier *barrier = surveyed;
    ompd_ext_barrier_t *out = result;
    out->region = ext_object(barrier->region);
    out->members = barrier->members;
    out->arrived = barrier->arrived;
    EXT_NUMBER(out, OMPD_EXT_BARRIER_TEAM_SIZE, team_size, barrier->team_size);
    ompd_word_t state;
    if (barrier->state.known == KNOWN && abi_state(barrier->state.value, &state) == RC_OK &&
        ext_known(&out->known, OMPD_EXT_BARRIER_STATE, KNOWN))
        out->state = (uint32_t)state;
    EXT_NUMBER(out, OMPD_EXT_BARRIER_KIND, kind, barrier->kind);
    EXT_NUMBER(out, OMPD_EXT_BARRIER_GENERATION, generation, barrier->generation);
    EXT_NUMBER(out, OMPD_EXT_BARRIER_CODEPTR, codeptr, barrier->codeptr);
}

EXT_SURVEY(ompd_ext_get_barriers, ompd_ext_barrier_t, offsetof(ompd_ext_barrier_t, kind),
           survey_barriers, convert_barrier)
