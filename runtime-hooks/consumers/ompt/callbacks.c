/* SPDX-License-Identifier: MIT
 *
 * ompt_set_callback and ompt_get_callback: the registered callbacks, and how far each
 * event is supported; the end of the tool that has registered them.
 */
#include "state/globals.h"
#include "consumers/ompt/ompt.h"

ompt_start_tool_result_t *ompt_tool_result;
ompt_callback_t ompt_registered[CALLBACK_COUNT];
static struct consumer *consumer;
static bool accepting;

/* Not a result of the standard: result_of() replaces it by one. */
enum { without_devices = -1 };

static const struct {
    int result;
    uint32_t events;
} support[CALLBACK_COUNT] = {
#define always ompt_set_always
#define sometimes ompt_set_sometimes
#define sometimes_paired ompt_set_sometimes_paired
#define never ompt_set_never
#define CALLBACK(name, result, events) [ompt_callback_##name] = {result, events},
#include "consumers/ompt/callbacks.def"
#undef CALLBACK
#undef always
#undef sometimes
#undef sometimes_paired
#undef never
};

/* omp_get_num_devices() initializes the devices, so it is called only if a tool registers
 * for one of their events. */
static ompt_set_result_t result_of(ompt_callbacks_t event)
{
    if (support[event].result != without_devices)
        return (ompt_set_result_t)support[event].result;
    if (globals.num_devices == NUM_DEVICES_UNKNOWN || !globals.num_devices)
        globals.num_devices = (uint32_t)globals_runtime->omp_get_num_devices();
    return globals.num_devices ? ompt_set_never : ompt_set_always;
}

static void subscribe(void)
{
    uint32_t events = EVENT_BIT(data);
    for (unsigned i = 0; i < CALLBACK_COUNT; i++)
        if (ompt_callback((ompt_callbacks_t)i))
            events |= support[i].events;
    consumer_wants(consumer, events);
}

void ompt_callbacks_start(struct consumer *of_tool)
{
    consumer = of_tool;
    for (unsigned i = 0; i < CALLBACK_COUNT; i++)
        ompt_registered[i] = NULL;
    accepting = true;
}

void ompt_callbacks_stop(void)
{
    accepting = false;
    consumer_wants(consumer, 0);
}

void ompt_stop(void)
{
    ompt_start_tool_result_t *result =
        __atomic_exchange_n(&ompt_tool_result, NULL, __ATOMIC_ACQ_REL);
    ompt_callbacks_stop();
    if (result)
        result->finalize(&result->tool_data);
}

ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback)
{
    if (!accepting || (unsigned)event >= CALLBACK_COUNT || !support[event].result)
        return ompt_set_error;
    ompt_set_result_t result = result_of(event);
    if (result == ompt_set_never)
        callback = NULL;
    __atomic_store_n(&ompt_registered[event], callback, __ATOMIC_RELEASE);
    subscribe();
    return result;
}

int ompt_get(ompt_callbacks_t event, ompt_callback_t *callback)
{
    if ((unsigned)event >= CALLBACK_COUNT || !callback || !ompt_callback(event))
        return 0;
    *callback = ompt_callback(event);
    return 1;
}
