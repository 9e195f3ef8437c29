// SPDX-License-Identifier: MIT
//
// A tool in C++ that throws where THROWS says: in its initializer or in a callback.
#include <cstdlib>
#include <cstring>
#include <ompd/omp-tools.h>
#include <stdexcept>

static void throws()
{
    throw std::runtime_error("from the tool");
}

static int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *)
{
    const char *where = getenv("THROWS");
    auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    if (!strcmp(where, "initialize"))
        throws();
    static const struct {
        const char *name;
        ompt_callbacks_t event;
    } events[] = {{"parallel_begin", ompt_callback_parallel_begin},
                  {"implicit_task", ompt_callback_implicit_task},
                  {"sync_region", ompt_callback_sync_region},
                  {"parallel_end", ompt_callback_parallel_end}};
    for (auto &one : events)
        if (!strcmp(where, one.name))
            set(one.event, reinterpret_cast<ompt_callback_t>(throws));
    return 1;
}

static void finalize(ompt_data_t *)
{
}

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned int, const char *)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}
