/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/mman.h - the little of POSIX that the test harness uses, for Windows. See test/win64.sh.
 */
#ifndef PLAIT_TEST_WINDOWS_MMAN_H
#define PLAIT_TEST_WINDOWS_MMAN_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <io.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-function"
/* Signals: handlers by signal(); no stack of their own. */
#ifndef SIGBUS
#define SIGBUS SIGSEGV
#endif
#define SA_ONSTACK   0
#define SA_RESETHAND 0
typedef struct {
    void *ss_sp;
    size_t ss_size;
} stack_t;
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
};
static inline int sigaltstack(const stack_t *now, stack_t *before)
{
    (void)now, (void)before;
    return 0;
}
static inline int sigaction(int number, const struct sigaction *now, struct sigaction *before)
{
    (void)before;
    return signal(number, now->sa_handler) == SIG_ERR ? -1 : 0;
}

/* Memory: a mapping starts at multiples of 64 KiB, which is what the tests take for a page. */
#define _SC_PAGESIZE 1
static inline long sysconf(int what)
{
    (void)what;
    return 65536;
}

#define PROT_NONE     0
#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_PRIVATE   1
#define MAP_SHARED    2
#define MAP_ANONYMOUS 4
#define MAP_FIXED     8
#define MAP_NORESERVE 0
#define MAP_FAILED    ((void *)-1)

/* Anonymous and inaccessible: addresses that are free now. Anonymous and accessible: memory. With a
 * file: a view of it, at the address if it is fixed. */
static inline void *mmap(void *at, size_t size, int protection, int flags, int fd, long long offset)
{
    (void)offset;
    if (flags & MAP_ANONYMOUS) {
        void *p = VirtualAlloc(NULL, size,
                               protection == PROT_NONE ? MEM_RESERVE : MEM_RESERVE | MEM_COMMIT,
                               protection == PROT_NONE ? PAGE_NOACCESS : PAGE_READWRITE);
        if (p != NULL && protection == PROT_NONE) VirtualFree(p, 0, MEM_RELEASE);
        return p == NULL ? MAP_FAILED : p;
    }
    HANDLE map = CreateFileMapping((HANDLE)_get_osfhandle(fd), NULL, PAGE_READWRITE, 0, 0, NULL);
    if (map == NULL) return MAP_FAILED;
    void *p = MapViewOfFileEx(map, protection & PROT_WRITE ? FILE_MAP_WRITE : FILE_MAP_READ, 0, 0,
                              size, flags & MAP_FIXED ? at : NULL);
    CloseHandle(map);
    return p == NULL ? MAP_FAILED : p;
}
/* Views and memory are given back; between them there may be nothing. */
static inline int munmap(void *at, size_t size)
{
    for (size_t i = 0; i < size; i += 65536)
        if (!UnmapViewOfFile((char *)at + i)) VirtualFree((char *)at + i, 0, MEM_RELEASE);
    return 0;
}

/* A line of any length. */
static inline long long getline(char **line, size_t *capacity, FILE *file)
{
    size_t n = 0;
    for (int c; (c = getc(file)) != EOF;) {
        if (n + 2 > *capacity) *line = realloc(*line, *capacity = 2 * n + 256);
        if (*line == NULL) return -1;
        (*line)[n++] = (char)c;
        if (c == '\n') break;
    }
    if (n == 0) return -1;
    (*line)[n] = 0;
    return (long long)n;
}

#endif
