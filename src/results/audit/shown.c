/* Computes what the formats of an audit share: counts, ages, remarks, and the order of findings. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/audit_private.h"
#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "text/numbers.h"

bool pm_audit__is_predicted(enum pm_audit_status status)
{
    return status == PM_AUDIT_PREDICTED_FAILS || status == PM_AUDIT_PREDICTED_WORKS;
}

bool pm_audit__is_version(const struct pm_audit *audit, const char *of)
{
    const char *runs = audit->options->version;
    if (!runs)
        return true;
    /* "2.13.0+cpu" is a build of version 2.13.0. */
    const size_t length = strcspn(of, "+"), other = strcspn(runs, "+");
    return length == other && strncmp(of, runs, length) == 0;
}

bool pm_audit_same_version(const struct pm_audit *audit)
{
    return !audit->evidence->run_id || pm_audit__is_version(audit, audit->evidence->version);
}

void pm_audit__count(struct pm_str *out, size_t count, const char *noun)
{
    pm_text_count(out, (int64_t)count);
    pm_str_addf(out, " %s%s", noun, pm_plural(count));
}

long pm_audit__age(const char *started)
{
    struct tm tm = {0};
    if (sscanf(started, "%d-%d-%d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
        return -1;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    const time_t then = timegm(&tm), now = time(NULL);
    return now > then ? (long)((now - then) / 86400) : 0;
}

json_t *pm_audit__text_json(const char *text)
{
    json_t *json = json_string(text);
    if (json)
        return json;
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, SIZE_MAX);
    json = json_string(line.data);
    pm_str_release(&line);
    return json;
}

void pm_audit__remark(const struct pm_audit_finding *finding, struct pm_str *out)
{
    if (finding->guarded)
        pm_str_add(out, " (a condition checks for the device)");
    if (finding->how == PM_RESOLVE_HOW_ONE_OF)
        pm_str_add(out, " (the value may be of another type)");
    if (finding->how == PM_RESOLVE_HOW_NAME)
        pm_str_add(out, " (found by its name only)");
    if (finding->cell)
        pm_str_addf(out, " (cell %u, line %u)", finding->cell, finding->line);
    if (finding->record)
        pm_str_addf(out, " (record %llu, line %u)", (unsigned long long)finding->record,
                    finding->line);
}

static int by_level(const void *a, const void *b)
{
    const struct pm_audit_finding *one = *(const struct pm_audit_finding *const *)a,
                                  *two = *(const struct pm_audit_finding *const *)b;
    if (one->level != two->level)
        return one->level < two->level ? -1 : 1;
    return (one > two) - (one < two);
}

const struct pm_audit_finding **pm_audit__sorted(const struct pm_audit *audit, bool important_first,
                                                 size_t *count)
{
    const struct pm_audit_finding **list = pm_alloc((audit->finding_count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < audit->finding_count; i++)
        if (!audit->findings[i].hidden)
            list[(*count)++] = &audit->findings[i];
    if (important_first)
        qsort(list, *count, sizeof *list, by_level);
    return list;
}
