/* SPDX-License-Identifier: MIT
 *
 * The library, the processes and devices it works on.
 */
#include "config.h"

#include "libompd/abi-5/abi.h"
#include "libompd/handle/icv.h"
#include "libompd/handle/settings.h"

#define RC(name, name2, value2, name5, value5)                                                     \
    _Static_assert(ompd_rc_##name5 == value5, "tables/rc.def and the header differ");
#include "libompd/tables/rc.def"
#undef RC

ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
    if (!version)
        return ompd_rc_bad_input;
    *version = API_NEWEST;
    return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
    if (!string)
        return ompd_rc_bad_input;
    *string = PACKAGE_STRING ", OMPD of OpenMP 5.0 to 6.0, for GCC's libgomp and LLVM's libomp";
    return ompd_rc_ok;
}

ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
                                 ompd_address_space_context_t *device_context, ompd_device_t kind,
                                 ompd_size_t sizeof_id, void *id,
                                 ompd_address_space_handle_t **device_handle)
{
    static const ompd_device_t kinds[] = {[DEVICE_KIND_HOST] = OMPD_DEVICE_KIND_HOST,
                                          [DEVICE_KIND_CUDA] = OMPD_DEVICE_KIND_CUDA,
                                          [DEVICE_KIND_HSA] = OMPD_DEVICE_KIND_HSA};
    struct space *space;
    struct handle *device;
    if (!device_context || !id || !device_handle)
        return ompd_rc_bad_input;
    enum rc rc = any_space_check(host_handle, &space);
    unsigned which = DEVICE_KIND_HOST;
    while (which <= DEVICE_KIND_HSA && kinds[which] != kind)
        which++;
    if (rc == RC_OK && which > DEVICE_KIND_HSA)
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK)
        rc = device_create(abi_space(host_handle), (enum device_kind)which, sizeof_id, id, &device);
    if (rc == RC_OK)
        *device_handle = (ompd_address_space_handle_t *)device;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
                                          ompd_thread_id_t **kinds, ompd_size_t **thread_id_sizes,
                                          int *count)
{
    if (!kinds || !thread_id_sizes || !count)
        return ompd_rc_bad_input;
    struct space *space;
    enum rc rc = any_space_check(device_handle, &space);
    if (rc == RC_OK)
        rc = host_memory_check(device_handle);
    if (rc != RC_OK)
        return abi_answer(rc);
    /* Clients pass kernel ids as wide as ompd_thread_id_t. */
    const ompd_thread_id_t kind[] = {OMPD_THREAD_ID_PTHREAD, OMPD_THREAD_ID_LWP};
    const ompd_size_t size[] = {space->sizes.sizeof_long, 8};
    enum { KINDS = sizeof kind / sizeof *kind };
    void *kind_memory, *size_memory;
    rc = space->ops->alloc(sizeof kind, &kind_memory);
    if (rc != RC_OK)
        return abi_answer(rc);
    rc = space->ops->alloc(sizeof size, &size_memory);
    if (rc != RC_OK) {
        space->ops->release(kind_memory);
        return abi_answer(rc);
    }
    *kinds = kind_memory;
    *thread_id_sizes = size_memory;
    *count = KINDS;
    for (int i = 0; i < KINDS; i++) {
        (*kinds)[i] = kind[i];
        (*thread_id_sizes)[i] = size[i];
    }
    return ompd_rc_ok;
}

ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
    if (!omp_version)
        return ompd_rc_bad_input;
    uint64_t version;
    enum rc rc = settings_number(address_space, "_OPENMP", &version);
    if (rc == RC_OK)
        *omp_version = (ompd_word_t)version;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
                                      const char **string)
{
    if (!string)
        return ompd_rc_bad_input;
    uint64_t version;
    struct space *space;
    enum rc rc = any_space_check(address_space, &space);
    if (rc == RC_OK)
        rc = settings_number(address_space, "_OPENMP", &version);
    if (rc != RC_OK)
        return abi_answer(rc);
    static const struct {
        uint64_t date;
        const char *name;
    } names[] = {
        {201107, "OpenMP 3.1"}, {201307, "OpenMP 4.0"}, {201511, "OpenMP 4.5"},
        {201811, "OpenMP 5.0"}, {202011, "OpenMP 5.1"}, {202111, "OpenMP 5.2"},
        {202411, "OpenMP 6.0"},
    };
    const char *name = "OpenMP of another date";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].date == version)
            name = names[i].name;
    }
    char *copy;
    rc = string_copy(space->ops, name, &copy);
    if (rc == RC_OK)
        *string = copy;
    return abi_answer(rc);
}
