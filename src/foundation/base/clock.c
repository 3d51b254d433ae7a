/* Reads the monotonic clock, and writes times for people. */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

uint64_t pm_clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void pm_clock_sleep(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        ;
}

void pm_clock_iso(char out[static 25])
{
    struct timespec t;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &utc);
    const size_t used = strftime(out, 25, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + used, 25 - used, ".%03uZ", (unsigned)(t.tv_nsec / NS_PER_MS) % 1000);
}

void pm_clock_duration(uint64_t ns, char out[static 32])
{
    const uint64_t seconds = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2);
    const unsigned long h = seconds / 3600, min = seconds / 60 % 60, s = seconds % 60;
    if (h)
        snprintf(out, 32, "%lu h %lu min", h, min);
    else if (min)
        snprintf(out, 32, "%lu min %lu s", min, s);
    else
        snprintf(out, 32, "%lu s", s);
}
