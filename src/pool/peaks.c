/* The most memory that the pool's processes had together, as a bound that costs nothing to keep. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pool/pool_private.h"

uint64_t pm_pool__resident(int pid)
{
    char path[32];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const int found = fscanf(file, "%*u %llu", &pages);
    fclose(file);
    return found == 1 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static uint64_t own_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

void pm_pool__note_peak(struct pm_pool *pool)
{
    uint64_t sum = own_peak();
    for (unsigned i = 0; i < pool->options.slots; i++) {
        uint64_t child = 0;
        for (const struct pm_pool__driver *d = pool->slots[i].drivers; d; d = d->next) {
            sum += d->process ? d->resident : 0;
            child = d->process && d->child_peak > child ? d->child_peak : child;
        }
        sum += child;
    }
    if (sum > pool->peak_memory)
        pool->peak_memory = sum;
}
