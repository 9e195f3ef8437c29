# SPDX-License-Identifier: MIT
"""gdb's Debug Adapter Protocol, as Visual Studio Code speaks it: stacks in the programmer's
model, and stops."""

import os
import re

import dap_client
import front_end
import harness

tap = front_end.Bench()
if not dap_client.version():
    harness.skip_all("gdb is older than 14 and has no Debug Adapter Protocol")

HOOKS = {"LD_PRELOAD": os.environ["stage"] + "/lib/libompd-hooks.so", "OMP_OMPD": "1"}


def run(program, mark, environment):
    """(a client that has run the program to a mark, the stop)"""
    client = dap_client.Client(tap.scratch, "-ex", "source " + front_end.PLUGIN)
    try:
        return client, client.launch(program.path, [(program.source, program.lines[mark])],
                                     env=environment)
    except BaseException:
        client.close()
        raise


def frames(client, thread, **more):
    return client.ask("stackTrace", threadId=thread, **more)["stackFrames"]


def check_frames(kind, client, thread):
    """The stack of thread 1 of 2 in the region of thread 2 of 3."""
    every = frames(client, thread)
    names = [one["name"] for one in every]
    tap.ok(names[0] == "relax" and names[-1] == "main" and
           any("#pragma omp parallel, " in name and "thread 1 of 2" in name for name in names) and
           any("continued in thread" in name for name in names) and
           not any("gomp" in name.lower() or "start_thread" in name for name in names),
           kind + ": the programmer's frames and labels, of all threads, up to main", names)
    tap.case([one for one in every if not int(one["instructionPointerReference"], 16)],
             kind + ": each has an address")
    tap.case([one for one in every if "source" in one and
              one["source"].get("path") != program.source], kind + ": and an absolute file")
    tap.equal([one["line"] for one in every if "thread 1 of 2" in one["name"]],
              [program.lines["inner"]], kind + ": a label has the line of the directive")
    pages = [frames(client, thread, startFrame=at, levels=1) for at in range(len(every) + 1)]
    tap.equal(sum(pages, []), every, kind + ": page by page they are the same")
    tap.equal(pages[-1], [], kind + ": and then there are no more")
    whole = frames(client, thread, format={"includeAll": True})
    # gdb 14 knows no such frames.
    tap.ok(len(whole) > len(every) or client.version < 15, kind + ": includeAll has the runtime's",
           [one["name"] for one in whole])
    order = [next((at for at, one in enumerate(whole) if words in one["name"]), -1)
             for words in ("#pragma omp parallel, ", "start_thread", "continued in thread")]
    tap.ok(order == sorted(order) and -1 not in order or client.version < 15,
           kind + ": includeAll is in the order of the stack", [one["name"] for one in whole])
    tap.equal([one for one in whole if one["id"] in {one["id"] for one in every}], every,
              kind + ": under other ids")
    tap.case([one for one in whole if not os.path.isabs(one.get("source", {}).get("path", "/"))],
             kind + ": without a file where its name is not absolute")
    tap.ok(frames(client, thread, format={"parameters": True, "parameterNames": True,
                                          "parameterTypes": True, "parameterValues": True}),
           kind + ": with parameters")
    check_variables(kind, client, every)
    printed = client.console("bt").splitlines()
    tap.ok(printed[0].startswith("#0  relax (") and printed[-1].startswith("    main () at ") and
           [line[:3] for line in printed if line[0] == "#"] == ["#0 "] and
           not any(" ()" in line for line in printed if "#pragma" in line),
           kind + ": \"bt\" in its console is for people", printed)


def check_stops():
    """Stops at hidden breakpoints, as commands in the debug console have them."""
    stepped = tap.program("step.c")
    client, _ = run(stepped, "plain_before", {})
    try:
        for command, line, words in (
                ("ompd step", stepped.lines["plain_before"] + 1, ""),
                ("ompd step", stepped.lines["plain_first"], "[entering #pragma omp parallel"),
                ("ompd next", stepped.lines["plain_last"], ""),
                ("ompd finish", stepped.lines["plain_after"], "[leaving #pragma omp parallel")):
            since = len(client.events)
            printed = client.console(command)
            stop = client.event("stopped", since)
            tap.ok(words in printed, "%s says what it does" % command, printed)
            tap.ok(stop["reason"] == "step" and not stop.get("hitBreakpointIds") and
                   client.count("stopped", since) == client.count("continued", since) == 1,
                   command + ": one start, one stop, which is a step", client.events[since:])
            tap.equal(frames(client, stop["threadId"], levels=1)[0]["line"], line,
                      command + ": in its line")
        made = re.search(r"Catchpoint (\d+)", client.console("ompd catch parallel"))
        for mark in ("static_before", "dynamic_before"):  # by two functions
            since = len(client.events)
            client.ask("continue", threadId=stop["threadId"])
            stop = client.event("stopped", since)
            tap.ok(stop["reason"] == "breakpoint" and
                   stop["hitBreakpointIds"] == [int(made.group(1))] and
                   client.count("stopped", since) == 1,
                   mark + ": one stop, at the catchpoint", client.events[since:])
            said = [e["body"]["output"] for e in client.events[since:] if e["event"] == "output"]
            tap.ok(any("begins #pragma omp parallel" in one for one in said),
                   mark + ": the sentence is output", said)
            tap.equal(frames(client, stop["threadId"], levels=1)[0]["name"], "loops",
                      mark + ": the user's frame is the first")
        tap.case([e for e in client.events if e["event"] == "breakpoint" and
                  e["body"]["breakpoint"]["id"] < 0], "nothing of hidden breakpoints is told")
        client.console("delete")
        since = len(client.events)
        client.ask("next", threadId=stop["threadId"])
        tap.equal(client.event("stopped", since)["reason"], "step",
                  "gdb's own stops are told as ever")
    finally:
        client.close()


def check_variables(kind, client, every):
    def scopes(frame):
        return {one["name"]: one for one in client.ask("scopes", frameId=frame["id"])["scopes"]}

    def value(frame, expression):
        return client.ask("evaluate", expression=expression, frameId=frame["id"],
                          context="watch")["result"]

    tap.ok("Locals" in scopes(every[0]), kind + ": the user's frame has variables",
           scopes(every[0]))
    label = next(one for one in every if "#pragma" in one["name"])
    tap.ok(not {"Locals", "Arguments"} & set(scopes(label)), kind + ": a label has none",
           scopes(label))
    thread = value(every[0], "$_thread")
    tap.ok(value(every[-1], "$_thread") == "1" != thread and
           value(every[-1], "$pc").startswith(every[-1]["instructionPointerReference"]),
           kind + ": expressions in another thread's frame are those of that thread",
           value(every[-1], "$pc"), every[-1])
    tap.equal(value(every[0], "$_thread"), thread, kind + ": and then those of this one")


program = tap.program("nested.c")
for kind, environment in (("bare", {}), ("hooked", HOOKS)):
    client, stop = run(program, "deep", environment)
    try:
        tap.equal(stop["reason"], "breakpoint", kind + ": a breakpoint of the client's")
        check_frames(kind, client, stop["threadId"])
        named = {one["id"]: one["name"] for one in client.ask("threads")["threads"]}
        tap.ok(named[stop["threadId"]] == "OpenMP 2/3 \u00b7 1/2" and len(named) == 5 and
               all(name.startswith("OpenMP ") for name in named.values()),
               kind + ": threads have their OpenMP numbers as names", named)
    finally:
        client.close()
check_stops()
tap.end()
