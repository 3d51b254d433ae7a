/* Describes the machine of a run, from /proc (Linux only). */
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/session.h"

/* Returns the value in a line "key   : value" of a /proc file; "" if it is missing. The caller
 * frees. */
static char *proc_value(const char *path, const char *key)
{
    struct pm_str text = PM_STR_INIT;
    char *value = NULL;
    if (pm_file_read(path, &text, NULL) == PM_OK) {
        const char *line = strstr(text.data, key);
        const char *colon = line ? strchr(line, ':') : NULL;
        if (colon) {
            colon += 1 + strspn(colon + 1, " \t");
            value = pm_strndup(colon, strcspn(colon, "\n"));
        }
    }
    pm_str_release(&text);
    return value ? value : pm_strdup("");
}

double pm_measure__machine_load(void)
{
    double load = NAN;
    struct pm_str text = PM_STR_INIT;
    if (pm_file_read("/proc/loadavg", &text, NULL) == PM_OK)
        load = strtod(text.data, NULL);
    pm_str_release(&text);
    return load;
}

json_t *pm_measure__machine_describe(void)
{
    struct utsname names;
    if (uname(&names))
        memset(&names, 0, sizeof names);
    char *processor = proc_value("/proc/cpuinfo", "model name");
    char *memory = proc_value("/proc/meminfo", "MemTotal");
    json_t *machine =
        json_pack("{s:s, s:i, s:i, s:I, s:s, s:s, s:s, s:b}", "processor",
                  *processor ? processor : names.machine, "physical_cores", (int)pm_cpus_physical(),
                  "logical_cores", (int)pm_cpus_logical(), "memory_bytes",
                  (json_int_t)(strtoll(memory, NULL, 10) * 1024), "system", names.sysname, "kernel",
                  names.release, "architecture", names.machine, "contains", pm_pool_contains());
    free(processor);
    free(memory);
    return machine;
}
