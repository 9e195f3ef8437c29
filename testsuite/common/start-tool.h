/* SPDX-License-Identifier: MIT
 *
 * How a tool of OMPT begins: START_TOOL(initialize, finalize) behind these two functions. Comes
 * behind whichever omp-tools.h the tool is compiled with.
 */
#ifndef START_TOOL_H
#define START_TOOL_H

static inline void finalize_nothing(ompt_data_t *data)
{
    (void)data;
}

#define START_TOOL(initialize, finalize)                                                           \
    ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)           \
    {                                                                                              \
        static ompt_start_tool_result_t result = {initialize, finalize, {0}};                      \
        (void)version, (void)runtime;                                                              \
        return &result;                                                                            \
    }

#endif
