/* SPDX-License-Identifier: MIT
 *
 * Display control variables, ICVs, and what tools have attached.
 */
#include "libompd/abi-5/abi.h"
#include "libompd/handle/icv.h"
#include "libompd/handle/settings.h"

#define SAME_SCOPE(name)                                                                           \
    _Static_assert((int)SCOPE_##name == (int)ompd_scope_##name, "scopes differ")
SAME_SCOPE(global);
SAME_SCOPE(address_space);
SAME_SCOPE(thread);
SAME_SCOPE(parallel);
SAME_SCOPE(implicit_task);
SAME_SCOPE(task);
SAME_SCOPE(teams);
SAME_SCOPE(target);

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
                                        const char *const **control_vars)
{
    if (!control_vars)
        return ompd_rc_bad_input;
    return abi_answer(settings_vector(address_space_handle, control_vars));
}

ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars)
{
    if (!control_vars)
        return ompd_rc_bad_input;
    return abi_answer(settings_release(*control_vars));
}

ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
                              ompd_icv_id_t *next_id, const char **next_icv_name,
                              ompd_scope_t *next_scope, int *more)
{
    if (!next_id || !next_icv_name || !next_scope || !more)
        return ompd_rc_bad_input;
    struct space *space;
    enum rc rc = any_space_check(handle, &space);
    uint64_t version = (uint64_t)abi_version();
    uint64_t count = icv_count(version);
    const char *name;
    enum scope scope;
    if (rc == RC_OK && current >= count)
        rc = RC_BAD_INPUT;
    if (rc == RC_OK)
        rc = icv_name(current + 1, version, &name, &scope);
    char *copy;
    if (rc == RC_OK)
        rc = string_copy(space->ops, name, &copy);
    if (rc == RC_OK) {
        *next_id = current + 1;
        *next_icv_name = copy;
        *next_scope = (ompd_scope_t)scope;
        *more = current + 1 < count;
    }
    return abi_answer(rc);
}

ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
                                  ompd_word_t *icv_value)
{
    if (!icv_value)
        return ompd_rc_bad_input;
    return abi_answer(icv_number(handle, (enum scope)scope, icv_id, icv_value));
}

ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
                                         const char **icv_string)
{
    if (!icv_string)
        return ompd_rc_bad_input;
    char *words;
    enum rc rc = icv_words(handle, (enum scope)scope, icv_id, &words);
    if (rc == RC_OK)
        *icv_string = words;
    return abi_answer(rc);
}

/* The word is one union of a number and a pointer, and which the tool uses is its own
 * affair: it is handed out as both. */
ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
                             ompd_address_t *ptr)
{
    if (!value || !ptr)
        return ompd_rc_bad_input;
    switch (scope) {
    case ompd_scope_thread:
    case ompd_scope_parallel:
    case ompd_scope_implicit_task:
    case ompd_scope_task:
    case ompd_scope_teams:
    case ompd_scope_target:
        break;
    default:
        return ompd_rc_bad_input;
    }
    uint64_t word;
    enum rc rc = tool_data(handle, (enum scope)scope, &word);
    if (rc == RC_OK) {
        *value = (ompd_word_t)word;
        *ptr = (ompd_address_t){ompd_segment_none, word};
    }
    return abi_answer(rc);
}
