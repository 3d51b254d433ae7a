/* Finds pairs of neighbouring token kinds with loops that run on every processor, and selects the
 * fastest functions for this processor. */
#include "pylex/pairs.h"

#include "pylex/pylex_private.h"

static uint32_t calls(const uint8_t *kinds)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < 32; i++)
        found |= (uint32_t)(kinds[i] == PM_TOKEN_NAME && kinds[i + 1] == '(') << i;
    return found;
}

static uint32_t statements(const uint8_t *kinds)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < 32; i++)
        found |= (uint32_t)((kinds[i] == PM_TOKEN_NEWLINE || kinds[i] == ';' || kinds[i] == ':') &&
                            kinds[i + 1] == PM_TOKEN_NAME)
                 << i;
    return found;
}

static const struct pm_pylex_pairs portable = {calls, statements};

const struct pm_pylex_pairs *pm_pylex_pairs_of(enum pm_pylex_engine engine)
{
#if defined(__x86_64__)
    if (engine == PM_PYLEX_AVX2)
        return __builtin_cpu_supports("avx2") ? &pm_pylex__pairs_avx2 : NULL;
#endif
    return engine == PM_PYLEX_PORTABLE ? &portable : NULL;
}

const struct pm_pylex_pairs *pm_pylex_pairs(void)
{
    const struct pm_pylex_pairs *fast = pm_pylex_pairs_of(PM_PYLEX_AVX2);
    return fast ? fast : &portable;
}
