/*
 * The CPUs on which this process may run (sched_getaffinity), by their cores: the hyper-threads of
 * a core are its CPUs (thread_siblings_list of Linux; if it cannot be read, each CPU is a core).
 */
#ifndef PM_BASE_CPUS_H
#define PM_BASE_CPUS_H

#include <stdbool.h>

/* Returns the number of CPUs; at least 1. */
unsigned pm_cpus_logical(void);
/* Returns the number of cores to which these CPUs belong; at least 1. */
unsigned pm_cpus_physical(void);
/* Returns the load of the machine while portmeter runs nothing; NaN: not known. It is the load
 * average of the last minute. A high average may still contain the work of portmeter or of its
 * installation. The function then counts the threads that run or wait for a CPU during the next
 * quarter of a second, and returns their mean if it is lower. `loadavg`: a file like /proc/loadavg;
 * NULL: that one. */
double pm_cpus_load(const char *loadavg);
/* Returns whether pm_cpus_load() says that other programs use the machine: it is over half of the
 * cores. False if either number is unknown (NaN, 0). */
bool pm_cpus_are_busy(double load, long long cores);

/*
 * Restricts the process `pid`, and processes that it starts later, to one of `parts` equal shares
 * of the CPUs. CPUs of a core stay together; a remainder is not used. Does nothing if there are
 * more parts than CPUs, or if the kernel refuses, because the CPUs of a process affect only its
 * speed.
 */
void pm_cpus_keep(int pid, unsigned part, unsigned parts);

#endif
