/*
 * The CPUs on which this process may run (sched_getaffinity), grouped by core. Each hyper-thread of
 * a core is a CPU. Linux lists the CPUs of a core in thread_siblings_list; if this file cannot be
 * read, each CPU counts as a core.
 */
#ifndef PM_BASE_CPUS_H
#define PM_BASE_CPUS_H

#include <stdbool.h>

/* Returns the number of CPUs on which this process may run; at least 1. */
unsigned pm_cpus_logical(void);
/* Returns the number of cores to which the CPUs of this process belong; at least 1. */
unsigned pm_cpus_physical(void);
/* Returns the load of the machine while portmeter runs nothing, or NaN if it is unknown. The load
 * is the load average of the last minute. An average over half of the cores may still contain the
 * work of portmeter or of its installation. The function then counts the threads that run or wait
 * for a CPU during the next quarter of a second, and returns their mean number if it is lower.
 * `loadavg` is the path of a file like /proc/loadavg; NULL means /proc/loadavg. */
double pm_cpus_load(const char *loadavg);
/* Returns whether a load from pm_cpus_load() shows that other programs use the machine: the load is
 * more than half of the number of cores. Returns false if either number is unknown (NaN, 0). */
bool pm_cpus_are_busy(double load, long long cores);

/*
 * Restricts the process `pid`, and processes that it starts later, to share `part` (from 0) of
 * `parts` equal shares of the CPUs. The shares are consecutive in the order of the cores, so two
 * shares have at most one core in common. CPUs that remain after the division are not used. Does
 * nothing if there are more parts than CPUs, or if the kernel refuses, because the CPUs of a
 * process affect only its speed.
 */
void pm_cpus_keep(int pid, unsigned part, unsigned parts);

#endif
