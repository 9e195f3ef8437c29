/* SPDX-License-Identifier: MIT
 *
 * Regions that are opened when a thread or the process ends: by destructors of
 * thread-locals and statics, by atexit and destructor functions, first of all or after
 * many others.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include "check.h"
#include "work.h"

static void say(const char *what, bool good)
{
    std::printf("%s: %s\n", what, good ? "right" : "WRONG");
    std::fflush(stdout);
}

struct local {
    int threads = 0;
    ~local()
    {
        if (threads)
            CHECK(small_work(threads));
    }
};

static thread_local local of_thread;

struct global {
    ~global()
    {
        say("destructor of a static", small_work(2));
    }
};

static global of_process;

static void at_exit()
{
    say("atexit", small_work(3));
}

__attribute__((destructor)) static void at_end()
{
    say("destructor function", small_work(2));
}

int main(int argc, char **)
{
    std::atexit(at_exit);
    for (int i = 0; i < 20; i++) {
        std::thread thread([i, argc] {
            of_thread.threads = 1 + i % 3;
            if (argc == 1)
                CHECK(small_work(2));
        });
        thread.join();
    }
    if (argc == 1)
        CHECK(small_work(3));
    of_thread.threads = 2;
    return check_result("late_regions");
}
