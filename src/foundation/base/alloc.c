/* Allocates memory, and ends the process if that fails. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit.h"

enum { LONGEST_KEPT = 32 << 20, MOST_KEPT = 64 << 20, HUGE_BYTES = 16 << 20 };

/* Ends the process without calling anything that could allocate. */
_Noreturn void pm_alloc_failed(void)
{
    static const char line[] =
        "portmeter: out of memory: end other programs or add memory, then run the command again\n";
    const ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    _exit(PM_EXIT_COULD_NOT);
}

void *pm_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        pm_alloc_failed();
    return p;
}

void *pm_realloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p)
        pm_alloc_failed();
    return p;
}

void *pm_realloc_array(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (!pm_mul(&bytes, count, size))
        pm_alloc_failed();
    return pm_realloc(old, bytes);
}

char *pm_strdup(const char *text)
{
    return text ? pm_strndup(text, strlen(text)) : NULL;
}

char *pm_strndup(const char *text, size_t length)
{
    const size_t used = strnlen(text, length);
    char *copy = pm_alloc(used + 1);
    memcpy(copy, text, used);
    return copy;
}

char *pm_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        pm_alloc_failed();
    return text;
}

void pm_free_strings(char **strings, size_t count)
{
    if (!strings)
        return;
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

void pm_alloc_keep(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, LONGEST_KEPT);
    (void)mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    char *first = malloc(HUGE_BYTES);
    if (first) {
        const uintptr_t page = (uintptr_t)1 << 21, in = ((uintptr_t)first + page - 1) & ~(page - 1);
        (void)madvise((void *)in, HUGE_BYTES - page, MADV_HUGEPAGE);
    }
    free(first);
}
