/* Computes an upper bound of the memory that the pool's processes used together: the peak of this
 * process, the memory of each driver after its import, and the largest child of each slot. */
#include <sys/resource.h>

#include "pool/pool_private.h"

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
