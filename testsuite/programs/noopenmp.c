/* SPDX-License-Identifier: MIT
 *
 * No OpenMP at all (the manifest compiles it without): threads, a child, files. The
 * number of open files and threads must be what it always was.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static int entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void *nothing(void *data)
{
    return data;
}

int main(int argc, char **argv)
{
    printf("%d arguments, threads %d\n", argc - 1, entries("/proc/self/task") - 2);
    for (int i = 1; i < argc; i++)
        printf("<%s>\n", argv[i]);
    int fd = open("/dev/null", O_RDONLY);
    printf("next file %d\n", fd);
    close(fd);
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, nothing, NULL));
    pthread_join(t, NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
    CHECK(system("exit 0") == 0);
    char line[64];
    if (fgets(line, sizeof(line), stdin))
        printf("stdin: %s", line);
    fprintf(stderr, "a word on stderr\n");
    return check_result("noopenmp");
}
