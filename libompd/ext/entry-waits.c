/* SPDX-License-Identifier: MIT
 *
 * The extension: locks with owners and waiters, and barriers.
 */
#include <string.h>

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
_Static_assert(sizeof(ompd_ext_object_t) == sizeof(struct ref), "objects are references");

static void convert_lock(const void *surveyed, void *result)
{
    const struct surveyed_lock *lock = surveyed;
    const struct lock_facts *facts = &lock->facts;
    ompd_ext_lock_t *out = result;
    if (lock->ref.id && ext_known(&out->known, OMPD_EXT_LOCK_LOCK, KNOWN))
        out->lock = ext_object(lock->ref);
    out->address = facts->address.value;
    out->first_waiter = lock->first_waiter;
    out->waiters = lock->waiters;
    EXT_NUMBER(out, OMPD_EXT_LOCK_KIND, kind, facts->kind);
    EXT_NUMBER(out, OMPD_EXT_LOCK_HINT, hint, facts->hint);
    EXT_NUMBER(out, OMPD_EXT_LOCK_COUNT, count, facts->count);
    EXT_NUMBER(out, OMPD_EXT_LOCK_CODEPTR, codeptr, facts->codeptr);
    EXT_OBJECT(out, OMPD_EXT_LOCK_OWNER, owner, facts->owner);
    EXT_OBJECT(out, OMPD_EXT_LOCK_OWNER_TASK, owner_task, facts->owner_task);
}

static void convert_waiter(const void *surveyed, void *result)
{
    memcpy(result, surveyed, sizeof(ompd_ext_object_t));
}

ompd_rc_t ompd_ext_get_locks(ompd_address_space_handle_t *handle,
                             ompd_size_t element_size, ompd_ext_lock_t **locks,
                             ompd_size_t *count, ompd_ext_object_t **waiters,
                             ompd_size_t *waiter_count)
{
    if (!locks || !count || !waiters || !waiter_count ||
        !ext_size_is_valid(element_size, sizeof(ompd_ext_lock_t)))
        return ompd_rc_bad_input;
    struct array lock_array = {0};
    struct array waiter_array = {0};
    struct instance *instance;
    enum rc rc = space_instance(abi_space(handle), &instance);
    if (rc == RC_OK)
        rc = survey_locks(instance, &lock_array, &waiter_array);
    void *lock_vector, *waiter_vector;
    rc = ext_vector(&lock_array, convert_lock, sizeof **locks, element_size, rc,
                    &lock_vector);
    if (rc_is_answer(rc)) {
        enum rc second = ext_vector(&waiter_array, convert_waiter, sizeof **waiters,
                                    sizeof **waiters, rc, &waiter_vector);
        if (!rc_is_answer(second) && lock_vector)
            abi_ops()->release(lock_vector);
        rc = second;
    }
    if (rc_is_answer(rc)) {
        *locks = lock_vector;
        *count = lock_array.count;
        *waiters = waiter_vector;
        *waiter_count = waiter_array.count;
    }
    array_free(&lock_array);
    array_free(&waiter_array);
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_lock(ompd_address_space_handle_t *handle, uint64_t address,
                            uint32_t kind, ompd_size_t size, ompd_ext_lock_t *lock)
{
    if (!lock || !address || kind < ompd_ext_lock_simple || kind > ompd_ext_lock_atomic ||
        !ext_size_is_valid(size, sizeof *lock))
        return ompd_rc_bad_input;
    struct surveyed_lock surveyed;
    struct instance *instance;
    enum rc rc = space_instance(abi_space(handle), &instance);
    if (rc == RC_OK)
        rc = survey_lock(instance, address, kind, &surveyed);
    if (rc == RC_OK)
        ext_give(&surveyed, convert_lock, sizeof *lock, size, lock);
    return abi_answer(rc);
}

static void convert_barrier(const void *surveyed, void *result)
{
    const struct surveyed_barrier *barrier = surveyed;
    ompd_ext_barrier_t *out = result;
    out->region = ext_object(barrier->region);
    out->members = barrier->members;
    out->arrived = barrier->arrived;
    EXT_NUMBER(out, OMPD_EXT_BARRIER_TEAM_SIZE, team_size, barrier->team_size);
    ompd_word_t state;
    if (barrier->state.known == KNOWN &&
        abi_state(barrier->state.value, &state) == RC_OK &&
        ext_known(&out->known, OMPD_EXT_BARRIER_STATE, KNOWN))
        out->state = (uint32_t)state;
    EXT_NUMBER(out, OMPD_EXT_BARRIER_KIND, kind, barrier->kind);
    EXT_NUMBER(out, OMPD_EXT_BARRIER_GENERATION, generation, barrier->generation);
    EXT_NUMBER(out, OMPD_EXT_BARRIER_CODEPTR, codeptr, barrier->codeptr);
}

ompd_rc_t ompd_ext_get_barriers(ompd_address_space_handle_t *handle,
                                ompd_size_t element_size, ompd_ext_barrier_t **barriers,
                                ompd_size_t *count)
{
    if (!barriers || !count ||
        !ext_size_is_valid(element_size, offsetof(ompd_ext_barrier_t, kind)))
        return ompd_rc_bad_input;
    struct array surveyed = {0};
    struct instance *instance;
    enum rc rc = space_instance(abi_space(handle), &instance);
    if (rc == RC_OK)
        rc = survey_barriers(instance, &surveyed);
    void *vector;
    rc = ext_vector(&surveyed, convert_barrier, sizeof **barriers, element_size, rc,
                    &vector);
    if (rc_is_answer(rc)) {
        *barriers = vector;
        *count = surveyed.count;
    }
    array_free(&surveyed);
    return abi_answer(rc);
}
