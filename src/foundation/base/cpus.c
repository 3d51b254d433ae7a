/* Finds the CPUs that this process may use, measures the load of the machine, and restricts other
 * processes to a share of the CPUs. */
#include "base/cpus.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

struct cpu {
    int core; /* number of its first CPU, even if this process may not use that CPU */
    int number;
};

static int core_of(int cpu)
{
    char *path = pm_format("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    struct pm_str text = PM_STR_INIT;
    const int core = pm_file_read(path, &text, NULL) == PM_OK ? atoi(text.data) : cpu;
    pm_str_release(&text);
    free(path);
    return core;
}

static int by_core(const void *a, const void *b)
{
    const struct cpu *x = a, *y = b;
    return x->core != y->core ? x->core - y->core : x->number - y->number;
}

/* Lists the CPUs sorted by core; returns how many there are, or 0 if the kernel does not report
 * them. The caller frees the list. */
static unsigned list_cpus(struct cpu **out)
{
    cpu_set_t set;
    unsigned count = 0;
    *out = NULL;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    *out = pm_alloc((size_t)CPU_COUNT(&set) * sizeof **out);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            (*out)[count++] = (struct cpu){core_of(cpu), cpu};
    qsort(*out, count, sizeof **out, by_core);
    return count;
}

unsigned pm_cpus_logical(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned pm_cpus_physical(void)
{
    struct cpu *cpus;
    const unsigned count = list_cpus(&cpus);
    unsigned cores = 0;
    for (unsigned i = 0; i < count; i++)
        cores += i == 0 || cpus[i].core != cpus[i - 1].core;
    free(cpus);
    return cores ? cores : pm_cpus_logical();
}

/* Reads /proc/loadavg, "0.20 0.18 0.12 1/80 11206": the average of a minute, and the number of
 * threads that run or wait now, including this thread. */
static bool read_load(const char *path, double *average, double *running)
{
    struct pm_str text = PM_STR_INIT;
    const bool read = pm_file_read(path, &text, NULL) == PM_OK &&
                      sscanf(text.data, "%lf %*f %*f %lf", average, running) == 2;
    pm_str_release(&text);
    return read;
}

double pm_cpus_load(const char *loadavg)
{
    enum { LOOKS = 25, APART_NS = 10000000 };
    const char *path = loadavg ? loadavg : "/proc/loadavg";
    double average, running, sum = 0;
    if (!read_load(path, &average, &running))
        return NAN;
    if (!pm_cpus_are_busy(average, pm_cpus_physical()))
        return average;
    for (int i = 0; i < LOOKS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = APART_NS}, NULL);
        if (!read_load(path, &(double){0}, &running))
            return average;
        sum += running - 1;
    }
    const double now = sum / LOOKS;
    return now < average ? now : average;
}

bool pm_cpus_are_busy(double load, long long cores)
{
    return isfinite(load) && cores > 0 && load > (double)cores / 2;
}

void pm_cpus_keep(int pid, unsigned part, unsigned parts)
{
    struct cpu *cpus;
    cpu_set_t share;
    const size_t each = list_cpus(&cpus) / parts;
    CPU_ZERO(&share);
    for (size_t i = part * each; i < (part + 1) * each; i++)
        CPU_SET(cpus[i].number, &share);
    if (each)
        (void)sched_setaffinity(pid, sizeof share, &share);
    free(cpus);
}
