# SPDX-License-Identifier: MIT
"""What gdb does with all threads at once, with time, and with the program's own functions.
ordinary.py says how they are compared. {NAME} is the line of the mark of that name, {program}
the program."""

import ordinary

ordinary.compare({
    "every thread's stack": """
        break {first}
        run
        thread apply all -q -s backtrace -no-filters 1
        thread 2
        thread 1
        frame 0
        thread apply all -q print $_thread""",
    "calls into the program": """
        break {first} if total == 12
        run
        print twice(21)
        print (int) omp_get_thread_num()
        print (int) omp_get_level()
        continue""",
    "record and reverse": """
        break {begin}
        run
        record
        step
        next
        next
        reverse-next
        reverse-finish
        record stop
        continue""",
    "non-stop": """
        set pagination off
        set non-stop on
        break {critical} if number == 0
        run
        next
        continue""",
    "schedulers locked": """
        break {critical} if number == 0
        run
        set scheduler-locking on
        next
        step
        set scheduler-locking off
        delete 2
        continue""",
    "a core": """
        break {first}
        run
        generate-core-file {core}
        kill
        core-file {core}
        thread 1
        up
        core-file""",
})
