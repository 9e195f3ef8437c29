/* SPDX-License-Identifier: MIT
 *
 * ICVs and settings by OpenMP 5.x: the library lists what it has, with scopes, and answers
 * for each as a number and as words.
 */
#include "config.h"

#include <string.h>

#include "abi5.h"

/* The kind of handle, whatever the scope is called. ICV_SCOPES: none that this host has. */
static enum icv_scope kind_of(ompd_scope_t scope)
{
    switch (scope) {
    case ompd_scope_global:
    case ompd_scope_address_space:
        return ICV_OF_PROCESS;
    case ompd_scope_thread:
        return ICV_OF_THREAD;
    case ompd_scope_parallel:
        return ICV_OF_REGION;
    case ompd_scope_implicit_task:
    case ompd_scope_task:
        return ICV_OF_TASK;
    default:
        return ICV_SCOPES;
    }
}

static bool is_of_devices(const char *name)
{
    return !strcmp(name, "num-devices-var") || !strcmp(name, "device-num-var");
}

enum answer abi5_load_icvs(struct session *s)
{
    struct abi *abi = s->state;
    ompd_icv_id_t id = 0;
    int more = 1;
    while (more && abi->icv_count < MAX_ICVS) {
        const char *name;
        ompd_scope_t scope;
        ompd_rc_t rc = abi->call.enumerate_icvs(abi->space, id, &id, &name, &scope, &more);
        if (rc != ompd_rc_ok)
            return abi5_answer(rc);
        size_t i = abi->icv_count;
        abi->icvs[i] = (struct icv){name, kind_of(scope), is_of_devices(name)};
        abi->icv_ids[i] = id;
        abi->icv_scopes[i] = scope;
        abi->icv_count++;
    }
    return more ? ANSWER_OTHER : ANSWER_OK;
}

enum answer abi5_number(struct session *s, const char *name, void *handle, ompd_scope_t scope,
                        int64_t *number)
{
    struct abi *abi = s->state;
    for (size_t i = 0; i < abi->icv_count; i++)
        if (!strcmp(abi->icvs[i].name, name))
            return abi5_answer(
                abi->call.get_icv_from_scope(handle, scope, abi->icv_ids[i], number));
    return ANSWER_UNSUPPORTED;
}

const struct icv *abi5_icvs(struct session *s, size_t *count)
{
    struct abi *abi = s->state;
    *count = abi->icv_count;
    return abi->icvs;
}

static void *handle_for(struct abi *abi, size_t icv, void *handle)
{
    return abi->icvs[icv].scope == ICV_OF_PROCESS ? abi->space : handle;
}

enum answer abi5_icv_number(struct session *s, size_t icv, void *handle, int64_t *number)
{
    struct abi *abi = s->state;
    return abi5_answer(abi->call.get_icv_from_scope(
        handle_for(abi, icv, handle), abi->icv_scopes[icv], abi->icv_ids[icv], number));
}

enum answer abi5_icv_text(struct session *s, size_t icv, void *handle, char **text)
{
    struct abi *abi = s->state;
    const char *got;
    ompd_rc_t rc = abi->call.get_icv_string_from_scope(
        handle_for(abi, icv, handle), abi->icv_scopes[icv], abi->icv_ids[icv], &got);
    if (rc == ompd_rc_ok)
        *text = (char *)got;
    return abi5_answer(rc);
}

enum answer abi5_settings(struct session *s, char ***list, size_t *count)
{
    struct abi *abi = s->state;
    const char *const *vector;
    ompd_rc_t rc = abi->call.get_display_control_vars(abi->space, &vector);
    if (rc != ompd_rc_ok)
        return abi5_answer(rc);
    enum answer answer = settings_copy(vector, list, count);
    abi->call.rel_display_control_vars(&vector);
    return answer;
}
