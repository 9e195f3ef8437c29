# SPDX-License-Identifier: MIT
"""What "ompd status" says of a tool inside the program."""

import harness

t = harness.begin(__file__, program="waits.c")
DECLARED = {
    "ompt": ("<omp-tools.h>", """
static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{ (void)lookup; (void)device; (void)data; return 1; }
static void end(ompt_data_t *data) { (void)data; }
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {begin, end, {0}};
    (void)version; (void)runtime;
    return &result;
}
"""),
    "ompt_2": ("<ompt-2/ompt.h>", """
static void begin(ompt_function_lookup_t lookup, const char *runtime, unsigned int version)
{ (void)lookup; (void)runtime; (void)version; }
ompt_initialize_fn_t ompt_tool(void) { return begin; }
"""),
}


def tool(name):
    """A tool that registers nothing, as a library."""
    source = t.written(name + ".c", "#include %s\n%s" % DECLARED[name])
    return t.build(source, name + ".so", "-shared -fPIC -I%s/include -I%s/include/ompd" % (
        t.stage, t.stage))


def status():
    t.stop_at("all_wait")
    return t.noted("ompd status")


t.run("ompd on")
t.ok("tool " not in status(), "without a tool there is nothing to say")
for name, said in (("ompt", "OMPT of OpenMP 5.x"), ("ompt_2", "OMPT of the 2016 report")):
    t.run("set environment LD_PRELOAD = %s:%s" % (t.hooks, tool(name)))
    t.like(status(), "^tool +one inside the program is served: %s$" % said, name)
t.run("kill")
t.done()
