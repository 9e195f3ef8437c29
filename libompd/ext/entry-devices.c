/* SPDX-License-Identifier: MIT
 *
 * The extension: devices, and what is mapped to them.
 */
#include "libompd/ext/answer.h"

_Static_assert((int)ompd_ext_device_unused == (int)DEVICE_STATE_UNUSED &&
                   (int)ompd_ext_device_ready == (int)DEVICE_STATE_READY &&
                   (int)ompd_ext_device_finalised == (int)DEVICE_STATE_FINALISED,
               "states are those of the readers");

static void convert_device(const struct instance *instance, const void *surveyed, void *result)
{
    const struct device_facts *facts = surveyed;
    ompd_ext_device_t *out = result;
    out->number = facts->number;
    out->runtime = instance->place;
    EXT_NUMBER(out, OMPD_EXT_DEVICE_STATE, state, facts->state);
    EXT_NUMBER(out, OMPD_EXT_DEVICE_NAME, name, facts->name);
    EXT_NUMBER(out, OMPD_EXT_DEVICE_PLUGIN, plugin, facts->plugin);
    if (ext_known(&out->known, OMPD_EXT_DEVICE_DESCRIPTOR, KNOWN))
        out->descriptor = facts->descriptor;
}

static void convert_mapping(const struct instance *instance, const void *surveyed, void *result)
{
    const struct mapping_facts *facts = surveyed;
    ompd_ext_mapping_t *out = result;
    out->device = facts->device;
    out->runtime = instance->place;
    out->host = facts->host;
    out->bytes = facts->bytes;
    EXT_NUMBER(out, OMPD_EXT_MAPPING_ADDRESS, address, facts->address);
    EXT_NUMBER(out, OMPD_EXT_MAPPING_REFERENCES, references, facts->references);
    EXT_NUMBER(out, OMPD_EXT_MAPPING_HELD, held, facts->held);
    EXT_NUMBER(out, OMPD_EXT_MAPPING_FOREVER, forever, facts->forever);
    EXT_NUMBER(out, OMPD_EXT_MAPPING_SOURCE, source, facts->source);
    EXT_NUMBER(out, OMPD_EXT_MAPPING_CODEPTR, codeptr, facts->codeptr);
}

static ompd_rc_t answer(ompd_address_space_handle_t *handle, bool mappings, ext_convert *convert,
                        size_t first, size_t ours, ompd_size_t size, void **out, ompd_size_t *count)
{
    struct survey_parts parts;
    if (!out || !count || !ext_size_is_valid(size, first))
        return ompd_rc_bad_input;
    enum rc rc = survey_devices(abi_space(handle), mappings, &parts);
    void *vector;
    rc = ext_vector(&parts, convert, ours, size, rc, &vector, count);
    if (rc_is_answer(rc))
        *out = vector;
    survey_parts_free(&parts);
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_devices(ompd_address_space_handle_t *handle, ompd_size_t element_size,
                               ompd_ext_device_t **devices, ompd_size_t *count)
{
    return answer(handle, false, convert_device, EXT_FIRST_SIZE(ompd_ext_device_t, descriptor),
                  sizeof **devices, element_size, (void **)devices, count);
}

ompd_rc_t ompd_ext_get_mappings(ompd_address_space_handle_t *handle, ompd_size_t element_size,
                                ompd_ext_mapping_t **mappings, ompd_size_t *count)
{
    return answer(handle, true, convert_mapping, EXT_FIRST_SIZE(ompd_ext_mapping_t, codeptr),
                  sizeof **mappings, element_size, (void **)mappings, count);
}
