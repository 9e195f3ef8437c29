/* SPDX-License-Identifier: MIT
 *
 * A program with a tool of report version 2 inside: what the tool can look up, register
 * for and ask, and what it hears at the beginning and the end.
 *
 *     ompt2_inquiry            checks everything, as TAP
 *     ompt2_inquiry asked      prints whether ompt_tool() was called
 *
 * OMPT2_DECLINE in the environment: the tool declines.
 */
#include "testsuite/unit/hooks_records.h"

#include <ompt-2/ompt.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ompt_function_lookup_t lookup_again;
static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_enumerate_state_t enumerate_state;
static ompt_enumerate_lock_types_t enumerate_lock_types;
static ompt_enumerate_atomic_type_t enumerate_atomic_type;
static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_parallel_team_size_t get_team_size;
static ompt_get_task_info_t get_task_info;
static ompt_get_num_devices_t get_num_devices;
static ompt_target_get_device_id_t get_device_id;
static ompt_target_get_device_info_t get_device_info;

static unsigned asked, shutdowns;
static uint64_t said_command, said_modifier;

static void on_control(uint64_t command, uint64_t modifier)
{
    said_command = command;
    said_modifier = modifier;
}

static void on_shutdown(void)
{
    shutdowns++;
    int failed = checks_done();
    fflush(stdout);
    if (shutdowns != 1 || failed)
        _exit(1);
}

static void nothing(void)
{
}

/* Each number of the list has the answer that stands there, all others have none. */
static void registration(void)
{
    enum { UNSEEN = 1, CONVENIENT = 3, ALWAYS = 4 };
    int answers[128] = {0};
#define OMPT_2_EVENT(name, code, signature, needs, answer, remark) answers[code] = answer;
#include "runtime-hooks/consumers/ompt-2/events.def"
    for (int code = -3; code < 128; code++) {
        ompt_callback_t registered = on_shutdown;
        int expected = code < 0 ? 0 : answers[code];
        CHECK("ompt_set_callback answers what events.def says",
              set_callback((ompt_event_t)code, nothing) == expected);
        CHECK("ompt_get_callback knows what was registered",
              get_callback((ompt_event_t)code, &registered) == (expected >= CONVENIENT) &&
                  registered == (expected >= CONVENIENT ? nothing : on_shutdown));
        set_callback((ompt_event_t)code, NULL);
        CHECK("a registration can be taken back",
              get_callback((ompt_event_t)code, &registered) == 0);
    }
}

static void initialize(ompt_function_lookup_t lookup, const char *runtime,
                       unsigned version)
{
    CHECK("the initializer is told a runtime and version 2",
          version == 2 && runtime && strlen(runtime) > 4);
    lookup_again = lookup;
#define FIND(variable, name)                                                             \
    variable = (name##_t)lookup(#name);                                                  \
    CHECK("every function of the report can be looked up", variable != NULL);
    FIND(set_callback, ompt_set_callback)
    FIND(get_callback, ompt_get_callback)
    FIND(enumerate_state, ompt_enumerate_state)
    FIND(enumerate_lock_types, ompt_enumerate_lock_types)
    FIND(enumerate_atomic_type, ompt_enumerate_atomic_type)
    FIND(get_thread_id, ompt_get_thread_id)
    FIND(get_state, ompt_get_state)
    FIND(get_parallel_id, ompt_get_parallel_id)
    FIND(get_team_size, ompt_get_parallel_team_size)
    FIND(get_task_info, ompt_get_task_info)
    FIND(get_num_devices, ompt_get_num_devices)
    FIND(get_device_id, ompt_target_get_device_id)
    FIND(get_device_info, ompt_target_get_device_info)
    CHECK("nothing else can",
          !lookup("ompt_get_thread_data") && !lookup("") && !lookup(NULL));
    registration();
    set_callback(ompt_event_control, (ompt_callback_t)on_control);
    set_callback(ompt_event_runtime_shutdown, on_shutdown);
}

ompt_initialize_fn_t ompt_tool(void)
{
    asked++;
    return getenv("OMPT2_DECLINE") ? NULL : initialize;
}

static void enumerations(void)
{
    unsigned count = 0, serial = 0, nest = 0;
    ompt_state_t state = ompt_state_first;
    const char *name = NULL;
    while (count < 100 && enumerate_state(state, &state, &name)) {
        count++;
        serial +=
            state == ompt_state_work_serial && !strcmp(name, "ompt_state_work_serial");
        nest += state == 0x61;
    }
    CHECK("states are enumerated", count == 13 && serial == 1 && nest == 0);
    CHECK("an unknown state has no next",
          !enumerate_state((ompt_state_t)0x33, &state, &name));
    ompt_lock_type_t type = ompt_lock_type_first;
    for (count = 0; count < 100 && enumerate_lock_types(type, &type, &name); count++)
        CHECK("types of locks have names", type != 0 && *name);
    CHECK("types of locks are enumerated", count == 1);
    ompt_atomic_type_t atomic = ompt_atomic_type_first;
    for (count = 0; count < 100 && enumerate_atomic_type(atomic, &atomic, &name); count++)
        CHECK("types of atomics have names", atomic != 0 && *name);
    CHECK("types of atomics are enumerated", count == 1);
}

static void serial(void)
{
    ompt_wait_id_t wait_id = 77;
    ompt_task_type_t type;
    ompt_task_id_t id;
    ompt_frame_t *frame;
    ompt_parallel_id_t region = 77;
    CHECK("the initial thread",
          get_thread_id() != 0 && get_thread_id() == records_self()->id);
    CHECK("is serial", get_state(&wait_id) == ompt_state_work_serial && wait_id == 0);
    CHECK("is serial", get_state(NULL) == ompt_state_work_serial);
    CHECK("is in no region", get_parallel_id(0) == 0 && get_parallel_id(1) == 0 &&
                                 get_parallel_id(-1) == 0 && get_team_size(0) == -1 &&
                                 get_team_size(-1) == -1);
    CHECK("is in its initial task", get_task_info(0, &type, &id, &frame, &region) == 1 &&
                                        type == ompt_task_initial && id && region == 0 &&
                                        !frame->exit_runtime_frame &&
                                        !frame->reenter_runtime_frame);
    CHECK("is in its initial task", get_task_info(0, NULL, NULL, NULL, NULL) == 1);
    CHECK("which has no other below",
          !get_task_info(1, &type, &id, &frame, &region) &&
              !get_task_info(-1, &type, &id, &frame, &region));
    const char *device_type;
    ompt_target_device_t *device;
    ompt_function_lookup_t lookup;
    CHECK("there are no devices to ask",
          get_num_devices() >= 0 && get_device_id() == -1 &&
              get_device_info(0, &device_type, &device, &lookup, NULL) != 0);
    CHECK("callbacks are for the initializer",
          !set_callback(ompt_event_idle_end, nothing));
}

static bool near_above(const void *high, const void *low)
{
    return (uintptr_t)high > (uintptr_t)low && (uintptr_t)high - (uintptr_t)low < 4096;
}

/* Two regions and an explicit task deep. */
static void inside(uint64_t outer, const void *outer_frame)
{
    ompt_task_type_t type[5];
    ompt_task_id_t id[5];
    ompt_frame_t *frame[5];
    ompt_parallel_id_t region[5];
    int depth = 0;
    while (depth < 5 &&
           get_task_info(depth, &type[depth], &id[depth], &frame[depth], &region[depth]))
        depth++;
    bool master = omp_get_thread_num() == 0;
    uint64_t inner = get_parallel_id(0);
    CHECK("two regions", inner && inner != outer && get_parallel_id(1) == outer &&
                             get_parallel_id(2) == 0 && get_team_size(0) == 2 &&
                             get_team_size(1) == 1 && get_team_size(2) == -1);
    CHECK("four tasks",
          depth == 4 && type[0] == ompt_task_explicit && type[1] == ompt_task_implicit &&
              type[2] == ompt_task_implicit && type[3] == ompt_task_initial);
    if (depth != 4)
        return;
    CHECK("in their regions", region[0] == inner && region[1] == inner &&
                                  region[2] == outer && region[3] == 0);
    CHECK("of different ids",
          id[0] != id[1] && id[1] != id[2] && id[2] != id[3] && id[3]);
    CHECK("the explicit task has come out of the runtime",
          near_above(frame[0]->exit_runtime_frame, __builtin_frame_address(0)) &&
              !frame[0]->reenter_runtime_frame);
    CHECK("the implicit one has gone into it",
          near_above(frame[1]->reenter_runtime_frame, frame[0]->exit_runtime_frame) &&
              frame[1]->exit_runtime_frame > frame[1]->reenter_runtime_frame);
    CHECK("and so have those outside", frame[2]->reenter_runtime_frame &&
                                           frame[2]->exit_runtime_frame &&
                                           frame[3]->reenter_runtime_frame);
    if (master)
        CHECK("at a place on the stack",
              near_above(frame[2]->exit_runtime_frame, outer_frame));
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
    {
        uint64_t outer = get_parallel_id(0);
        const void *outer_frame = __builtin_frame_address(0);
#pragma omp parallel num_threads(2)
        {
#pragma omp task if (0)
            inside(outer, outer_frame);
        }
    }
}

/* As Fortran calls it. */
extern void ompt_control_(const uint64_t *command, const uint64_t *modifier);

static void control(void)
{
    ompt_control(1, UINT64_C(0x123456789abcdef0));
    CHECK("ompt_control reaches the tool",
          said_command == 1 && said_modifier == UINT64_C(0x123456789abcdef0));
    uint64_t command = 64, modifier = 7;
    ompt_control_(&command, &modifier);
    CHECK("also from Fortran", said_command == 64 && said_modifier == 7);
}

static void at_exit(void)
{
    if (shutdowns != 1)
        _exit(1); /* the report of the checks is that of on_shutdown() */
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "asked") == 0) {
#pragma omp parallel num_threads(2)
        omp_get_thread_num();
        ompt_control(2, 3);
        printf("%u %u\n", asked, (unsigned)(said_command == 2));
        fflush(stdout);
        return 0;
    }
    atexit(at_exit);
    omp_set_dynamic(0);
    if (asked != 1 || !get_thread_id) {
        printf("Bail out! the tool was asked %u times\n", asked);
        return 1;
    }
    CHECK("the tool is asked at the first use", asked == 1);
    enumerations();
    serial();
    nested();
    control();
    return 0;
}
