/* SPDX-License-Identifier: MIT
 *
 * Address spaces of devices. All that is read is the host's memory, which knows devices by number. One
 * that executes the host's code there answers as the host does, but for what may be set for a device
 * alone; of others only what all address spaces share, and the number, is known.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

/* Why something is not answered. */
#define IN_ITS_MEMORY "This is in the memory of a device, which is not read.\n"
#define ITS_THREADS "Which threads execute the code of a device is not in the memory of the host.\n"
#define NO_SUCH_DEVICE "No device has this number.\n"
#define OTHER_KIND "The device with this number is of another kind.\n"
#define UNKNOWN_KIND "It is not known what kind of device has this number.\n"
#define NOT_IN_USE "The program has not used this device, or does not any more.\n"
#define NOT_FOUND "Where this version of the runtime has its devices is not known.\n"
#define SEVERAL "Several runtimes have a device with this number.\n"

static enum rc refuse(const struct space *space, enum rc rc, const char *reason)
{
    if (space->ops->log)
        space->ops->log(reason);
    return rc;
}

/* The reference of such a handle is no object: its address is the number, its id the kind. */
static uint64_t number_of(const struct handle *device)
{
    return device->ref.address;
}

static bool is_device(const void *handle)
{
    return handle_check(handle, HANDLE_DEVICE) == RC_OK;
}

static bool has_host_memory(const struct handle *device)
{
    return device->ref.id == DEVICE_KIND_HOST;
}

struct search {
    uint64_t number, count;
    struct device_facts facts; /* of the one with the number, once that was counted */
};

static bool visit_device(void *arg, const struct device_facts *facts)
{
    struct search *search = arg;
    search->count++;
    if (facts->number == search->number)
        search->facts = *facts;
    return true;
}

static enum rc find(struct instance *instance, struct search *search)
{
    struct instance *own = reader_own_memory(instance);
    enum rc rc = own ? own->reader->each_device(own, visit_device, search) : RC_UNSUPPORTED;
    return rc == RC_INCOMPLETE ? RC_NONSENSE : rc;
}

/* RC_UNAVAILABLE: no runtime has looked for devices. */
static enum rc find_in_all(struct space *space, uint64_t number, struct instance **out,
                           struct device_facts *facts)
{
    enum rc rc = RC_UNSUPPORTED, own = rc;
    *out = NULL;
    for (unsigned place = 0; place < INSTANCES_MAX; place++) {
        struct instance *instance = &space->instances[place];
        struct search search = {.number = number};
        if (!instance->serial || !instance->image.entry)
            continue; /* records only */
        own = find(instance, &search);
        if (own != RC_OK && own != RC_UNAVAILABLE)
            break;
        if (rc != RC_OK)
            rc = own;
        if (own != RC_OK || number >= search.count)
            continue;
        if (*out)
            return refuse(space, RC_UNSUPPORTED, SEVERAL);
        *out = instance;
        *facts = search.facts;
    }
    if (own != RC_OK && own != RC_UNAVAILABLE)
        rc = own;
    return rc == RC_UNSUPPORTED   ? refuse(space, rc, NOT_FOUND)
           : rc == RC_UNAVAILABLE ? refuse(space, rc, NOT_IN_USE)
                                  : rc;
}

enum rc device_create(struct space *space, enum device_kind kind, size_t size, const void *bytes,
                      struct handle **out)
{
    struct instance *instance;
    struct device_facts facts = {0};
    uint64_t number, found;
    enum rc rc = is_device(space) ? RC_OTHER_HANDLE : space_check(space);
    if (rc == RC_OK && size != sizeof(uint32_t) && size != sizeof(uint64_t))
        rc = RC_BAD_INPUT;
    if (rc != RC_OK)
        return rc;
    number = target_decode(space, bytes, (unsigned)size);
    instances_refresh(space);
    rc = find_in_all(space, number, &instance, &facts);
    if (rc != RC_OK)
        return rc;
    if (!instance)
        return refuse(space, RC_BAD_INPUT, NO_SUCH_DEVICE);
    rc = fact_value(facts.kind, &found);
    if (rc != RC_OK)
        return rc == RC_UNSUPPORTED ? refuse(space, rc, UNKNOWN_KIND) : rc;
    if (found != (uint64_t)kind)
        return refuse(space, RC_BAD_INPUT, OTHER_KIND);
    if (facts.state.known == KNOWN && facts.state.value != DEVICE_STATE_READY)
        return refuse(space, RC_UNAVAILABLE, NOT_IN_USE);
    return handle_create(instance, HANDLE_DEVICE, (struct ref){number, found}, out);
}

enum rc any_space_check(const void *handle, struct space **space)
{
    if (is_device(handle)) {
        *space = ((const struct handle *)handle)->space;
        return RC_OK;
    }
    *space = (struct space *)(uintptr_t)handle;
    return space_check(*space);
}

enum rc host_memory_check(const void *handle)
{
    const struct handle *device = is_device(handle) ? handle : NULL;
    return !device || has_host_memory(device)
               ? RC_OK
               : refuse(device->space, RC_UNSUPPORTED, IN_ITS_MEMORY);
}

static enum rc runtime_of_device(const struct handle *device, struct instance **out)
{
    enum rc rc = reader_wake(device->instance);
    if (rc == RC_OK && !device->instance->reader)
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK)
        *out = device->instance;
    return rc;
}

enum rc any_space_runtime(const void *handle, struct instance **out)
{
    enum rc rc = host_memory_check(handle);
    if (rc != RC_OK)
        return rc;
    return is_device(handle) ? runtime_of_device(handle, out)
                             : space_instance((struct space *)(uintptr_t)handle, out);
}

enum rc any_space_lacks(const void *handle)
{
    return is_device(handle)
               ? refuse(((const struct handle *)handle)->space, RC_UNSUPPORTED, IN_ITS_MEMORY)
               : RC_UNSUPPORTED;
}

/* That of a device is released even if its runtime is gone. */
enum rc any_space_release(void *handle)
{
    enum rc rc = space_check(handle);
    if (rc != RC_OK)
        return handle_release(handle, HANDLE_DEVICE);
    space_destroy(handle);
    return rc;
}

enum rc thread_of_any_space(void *handle, enum os_thread_kind kind, size_t size, const void *os_id,
                            struct handle **out)
{
    return is_device(handle) ? refuse(((struct handle *)handle)->space, RC_UNSUPPORTED, ITS_THREADS)
                             : thread_of_os_id(handle, kind, size, os_id, out);
}

/* Those of a device that the process does not have once, but each device. */
enum rc globals_of_any_space(const void *handle, struct global_facts *out)
{
    static const struct fact not_held = {.known = NOT_HELD};
    struct instance *instance;
    if (!is_device(handle))
        return globals_of_space((struct space *)(uintptr_t)handle, out);
    const struct handle *device = handle;
    enum rc rc = runtime_of_device(device, &instance);
    if (rc == RC_OK)
        rc = instance->reader->globals ? instance->reader->globals(instance, out) : RC_UNSUPPORTED;
    if (rc != RC_OK)
        return rc;
    out->nteams = out->teams_thread_limit = not_held; /* OMP_NUM_TEAMS_DEV_n and kin */
    if (!has_host_memory(device))
        out->num_procs = out->wait_policy = out->def_schedule = out->stacksize =
            out->affinity_format_text = not_held;
    return RC_OK;
}

/* The number of devices: recorded, or as many as the runtime has. */
static enum rc count_devices(struct instance *instance, struct fact *out)
{
    struct global_facts globals;
    struct search search = {.number = UINT64_MAX};
    enum rc rc =
        instance->reader->globals ? instance->reader->globals(instance, &globals) : RC_UNSUPPORTED;
    if (rc == RC_OK && globals.num_devices.known == KNOWN) {
        *out = globals.num_devices;
        return RC_OK;
    }
    rc = rc == RC_OK || rc == RC_UNSUPPORTED ? find(instance, &search) : rc;
    if (rc == RC_OK)
        *out = fact_of(search.count);
    return rc;
}

/* The host's number is the one after all others. */
enum rc numbering_of_any_space(const void *handle, struct numbering_facts *out)
{
    const struct handle *device = is_device(handle) ? handle : NULL;
    struct instance *instance;
    enum rc rc = device ? runtime_of_device(device, &instance)
                        : space_instance((struct space *)(uintptr_t)handle, &instance);
    if (rc == RC_OK)
        rc = count_devices(instance, &out->num_devices);
    if (rc == RC_OK)
        out->device_num = device ? fact_of(number_of(device)) : out->num_devices;
    return rc;
}
