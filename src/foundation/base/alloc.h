/*
 * Allocates memory without an error to handle, and checks sizes for overflow.
 *
 * The caller frees what these functions return. When memory is exhausted, they print one line and
 * end the process with status 3. No results are lost: the database stores each measurement in a
 * transaction, `--resume` continues a run that was killed at any moment, and the drivers die with
 * their supervisor.
 */
#ifndef PM_BASE_ALLOC_H
#define PM_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

_Noreturn void pm_alloc_failed(void);     /* ends the process in the same way when a library could
                                           * not allocate */
void *pm_alloc(size_t size);              /* zeroed; size 0 gives a valid pointer */
void *pm_realloc(void *old, size_t size); /* new bytes are not zeroed */
void *pm_realloc_array(void *old, size_t count, size_t size); /* also ends the process if the size
                                                                 overflows */
char *pm_strdup(const char *text);                            /* NULL gives NULL */
char *pm_strndup(const char *text, size_t length);
char *pm_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* caller frees */
/* Frees each string, then the array, which may be NULL. */
void pm_free_strings(char **strings, size_t count);

/* Keeps freed memory in this process, because the kernel would clear each page before it provides
 * the page again. Call it in a command that allocates and frees many megabytes, before the command
 * reads its first input. Also asks the kernel for huge pages for most of the next 16 MiB. Applies
 * to the whole process. The kernel still gets back a block over 32 MiB when it is freed, and free
 * memory at the end of the heap when it exceeds 64 MiB. */
void pm_alloc_keep(void);

/* Store the product or the sum in *out. Return false if it overflows. */
static inline bool pm_mul(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool pm_add(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

/*
 * Makes room for one more element in the growing array `items`, which uses `count` of the
 * `capacity` elements that are allocated:
 *     PM_GROW(list->items, list->count, list->capacity);
 *     list->items[list->count++] = item;
 */
#define PM_GROW(items, count, capacity)                                                            \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? (capacity)*2 : 8;                                            \
            (items) = pm_realloc_array((items), (capacity), sizeof *(items));                      \
        }                                                                                          \
    } while (0)

#endif
