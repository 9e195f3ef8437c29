/* SPDX-License-Identifier: MIT
 *
 * The extension: the runtimes of a process.
 */
#include "libompd/ext/answer.h"
#include "libompd/handle/icv.h"

_Static_assert((int)ompd_ext_recorded_yes == (int)RECORDED_YES &&
                   (int)ompd_ext_recorded_no_hooks == (int)RECORDED_NO_HOOKS &&
                   (int)ompd_ext_recorded_off == (int)RECORDED_OFF &&
                   (int)ompd_ext_recorded_other == (int)RECORDED_OTHER &&
                   (int)ompd_ext_recorded_not_called == (int)RECORDED_NOT_CALLED,
               "reasons are those of the survey");

static void convert_runtime(const struct instance *instance, const void *surveyed, void *result)
{
    const struct surveyed_runtime *runtime = surveyed;
    ompd_ext_runtime_t *out = result;
    (void)instance;
    out->number = runtime->place;
    out->kind = runtime->is_kmp ? ompd_ext_runtime_libomp : ompd_ext_runtime_libgomp;
    out->recorded = runtime->recorded;
    EXT_NUMBER(out, OMPD_EXT_RUNTIME_ENTRY, entry, runtime->entry);
    EXT_NUMBER(out, OMPD_EXT_RUNTIME_THREADS, threads, runtime->threads);
    EXT_NUMBER(out, OMPD_EXT_RUNTIME_FIRST_VERSION, first_version, runtime->first_version);
    EXT_NUMBER(out, OMPD_EXT_RUNTIME_LAST_VERSION, last_version, runtime->last_version);
    EXT_NUMBER(out, OMPD_EXT_RUNTIME_DAMAGED, damaged, runtime->damaged);
}

ompd_rc_t ompd_ext_get_runtimes(ompd_address_space_handle_t *handle, ompd_size_t element_size,
                                ompd_ext_runtime_t **runtimes, ompd_size_t *count)
{
    if (!runtimes || !count ||
        !ext_size_is_valid(element_size, EXT_FIRST_SIZE(ompd_ext_runtime_t, damaged)))
        return ompd_rc_bad_input;
    struct survey_parts parts = {.count = 1};
    enum rc rc = survey_runtimes(abi_space(handle), &parts.part[0].elements);
    void *vector;
    rc = ext_vector(&parts, convert_runtime, sizeof **runtimes, element_size, rc, &vector, count);
    if (rc_is_answer(rc))
        *runtimes = vector;
    survey_parts_free(&parts);
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_runtime_file(ompd_address_space_handle_t *handle, uint32_t number,
                                    const char **file)
{
    if (!file)
        return ompd_rc_bad_input;
    struct space *space = abi_space(handle);
    enum rc rc = space_check(space);
    if (rc == RC_OK && (number >= INSTANCES_MAX || !space->instances[number].serial))
        rc = RC_BAD_INPUT;
    if (rc == RC_OK && !space->instances[number].image.file)
        rc = RC_UNAVAILABLE;
    char *copy;
    if (rc == RC_OK)
        rc = string_copy(space->ops, space->instances[number].image.file, &copy);
    if (rc == RC_OK)
        *file = copy;
    return abi_answer(rc);
}
