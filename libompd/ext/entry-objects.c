/* SPDX-License-Identifier: MIT
 *
 * The extension: its version, the debugger's stops, and objects as handles.
 */
#include "libompd/ext/answer.h"
#include "libompd/handle/icv.h"

ompd_rc_t ompd_ext_get_version(ompd_word_t *version)
{
    if (!version)
        return ompd_rc_bad_input;
    *version = OMPD_EXT_VERSION;
    return ompd_rc_ok;
}

ompd_rc_t ompd_ext_set_stop(ompd_address_space_handle_t *handle, uint64_t stop)
{
    enum rc rc = space_check(abi_space(handle));
    if (rc == RC_OK)
        abi_space(handle)->stop = stop;
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_recording(ompd_address_space_handle_t *handle, ompd_word_t *recording)
{
    if (!recording)
        return ompd_rc_bad_input;
    bool records;
    enum rc rc = space_records(abi_space(handle), &records);
    if (rc == RC_OK)
        *recording = records;
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_tool(ompd_address_space_handle_t *handle, ompd_word_t *tool)
{
    static const ompd_ext_tool_t name[] = {
        [TOOL_INTERFACE_NONE] = ompd_ext_tool_none,
        [TOOL_INTERFACE_OMPT] = ompd_ext_tool_ompt,
        [TOOL_INTERFACE_OMPT_2] = ompd_ext_tool_ompt_2,
        [TOOL_INTERFACE_RUNTIME] = ompd_ext_tool_runtime,
    };
    if (!tool)
        return ompd_rc_bad_input;
    enum tool_interface found;
    enum rc rc = tool_of_space(abi_space(handle), &found);
    if (rc == RC_OK)
        *tool = name[found];
    return abi_answer(rc);
}

static enum rc make_handle(ompd_address_space_handle_t *handle, enum handle_kind kind,
                           const ompd_ext_object_t *object, struct handle **out)
{
    return handle_of_object(abi_space(handle), kind, (struct ref){object->address, object->id},
                            out);
}

ompd_rc_t ompd_ext_get_thread_handle(ompd_address_space_handle_t *handle,
                                     const ompd_ext_object_t *object,
                                     ompd_thread_handle_t **thread_handle)
{
    if (!object || !thread_handle)
        return ompd_rc_bad_input;
    struct handle *made;
    enum rc rc = make_handle(handle, HANDLE_THREAD, object, &made);
    if (rc == RC_OK)
        *thread_handle = (ompd_thread_handle_t *)made;
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_parallel_handle(ompd_address_space_handle_t *handle,
                                       const ompd_ext_object_t *object,
                                       ompd_parallel_handle_t **parallel_handle)
{
    if (!object || !parallel_handle)
        return ompd_rc_bad_input;
    struct handle *made;
    enum rc rc = make_handle(handle, HANDLE_PARALLEL, object, &made);
    if (rc == RC_OK)
        *parallel_handle = (ompd_parallel_handle_t *)made;
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_task_handle(ompd_address_space_handle_t *handle,
                                   const ompd_ext_object_t *object,
                                   ompd_task_handle_t **task_handle)
{
    if (!object || !task_handle)
        return ompd_rc_bad_input;
    struct handle *made;
    enum rc rc = make_handle(handle, HANDLE_TASK, object, &made);
    if (rc == RC_OK)
        *task_handle = (ompd_task_handle_t *)made;
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_object(void *handle, ompd_scope_t scope, ompd_ext_object_t *object)
{
    bool is_object = scope == ompd_scope_thread || scope == ompd_scope_parallel ||
                     scope == ompd_scope_implicit_task || scope == ompd_scope_task;
    if (!object || !is_object)
        return ompd_rc_bad_input;
    struct instance *instance;
    enum rc rc = scope_check(handle, (enum scope)scope, &instance);
    if (rc == RC_OK && handle_check(handle, HANDLE_IMPLICIT) == RC_OK)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        *object = ext_object(((const struct handle *)handle)->ref);
    return abi_answer(rc);
}
