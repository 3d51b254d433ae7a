/* The warm rule: how many timings of a call to measure, as text for options and the store. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "measure/measure.h"

/* Upper limits of a rule. MOST_TIMINGS is below the limit of the store; MOST_NS is one day. */
enum { MOST_TIMINGS = 1000000 };
static const uint64_t MOST_NS = UINT64_C(24) * 3600 * 1000000000;

/* The units of durations, longest first, so that durations are printed in their shortest form. */
static const struct unit {
    const char *name;
    uint64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
enum { UNITS = sizeof units / sizeof *units };

static bool parse_duration(const char *text, uint64_t *out)
{
    const size_t digits = strspn(text, "0123456789");
    char *number = pm_strndup(text, digits);
    long long value;
    const bool parsed = pm_parse_int(number, &value);
    free(number);
    for (size_t i = 0; parsed && i < UNITS; i++)
        if (!strcmp(text + digits, units[i].name) && value > 0 &&
            (uint64_t)value <= MOST_NS / units[i].ns) {
            *out = (uint64_t)value * units[i].ns;
            return true;
        }
    return false;
}

static void add_duration(struct pm_str *out, uint64_t ns)
{
    size_t i = 0;
    while (i + 1 < UNITS && ns % units[i].ns)
        i++;
    pm_str_addf(out, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].name);
}

static bool parse_count(const char *text, unsigned *out)
{
    long long value;
    if (!isdigit((unsigned char)*text) || !pm_parse_int(text, &value) || value < 1 ||
        value > MOST_TIMINGS)
        return false;
    *out = (unsigned)value;
    return true;
}

/* The parts of a rule, in the order in which they are printed. */
static const struct part {
    const char *name;
    bool is_count;
    size_t member;
} parts[] = {
    {"timings", true, offsetof(struct pm_warm_rule, timings)},
    {"enough", true, offsetof(struct pm_warm_rule, enough)},
    {"least", true, offsetof(struct pm_warm_rule, least)},
    {"warmup", false, offsetof(struct pm_warm_rule, warmup_ns)},
    {"work", false, offsetof(struct pm_warm_rule, work_ns)},
    {"budget", false, offsetof(struct pm_warm_rule, budget_ns)},
    {"long", false, offsetof(struct pm_warm_rule, long_ns)},
};
enum { PARTS = sizeof parts / sizeof *parts };

static const struct part *part_named(const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (!strcmp(parts[i].name, name))
            return &parts[i];
    return NULL;
}

static int unknown_part(const char *name, struct pm_error *err)
{
    const char *names[PARTS];
    for (size_t i = 0; i < PARTS; i++)
        names[i] = parts[i].name;
    return pm_nearest_error(err, PM_EUSAGE, name, names, PARTS,
                            "use timings=N, enough=N, least=N, warmup=TIME, work=TIME, "
                            "budget=TIME and long=TIME, separated by commas",
                            "--warm has an unknown part '%s'", name);
}

/* Parses one part, "budget=50ms". */
static int parse_part(char *text, struct pm_warm_rule *rule, struct pm_error *err)
{
    char *value = strchr(text, '=');
    if (value)
        *value++ = 0;
    const struct part *part = part_named(text);
    if (!value || !part)
        return unknown_part(text, err);
    void *member = (char *)rule + part->member;
    if (part->is_count ? parse_count(value, member) : parse_duration(value, member))
        return PM_OK;
    return part->is_count
               ? pm_error_set(err, PM_EUSAGE,
                              "--warm: invalid %s '%s': give a whole number from 1 to %d", text,
                              value, MOST_TIMINGS)
               : pm_error_set(
                     err, PM_EUSAGE,
                     "--warm: invalid %s '%s': give a whole number with a unit (ns, us, ms "
                     "or s), such as 50ms, of at most one day",
                     text, value);
}

/* Limits a count to `timings`: PM_EUSAGE if the user gave the count, otherwise lowers it. */
static int limit(const char *name, unsigned *count, unsigned timings, bool given,
                 struct pm_error *err)
{
    if (*count <= timings)
        return PM_OK;
    if (given)
        return pm_error_set(
            err, PM_EUSAGE,
            "--warm: %s=%u is more than timings=%u: lower the first or raise timings", name, *count,
            timings);
    *count = timings;
    return PM_OK;
}

int pm_warm_rule_parse(const char *text, struct pm_warm_rule *out, struct pm_error *err)
{
    static const struct pm_warm_rule standard = PM_WARM_RULE_DEFAULT;
    struct pm_warm_rule rule = standard;
    rule.enough = rule.least = 0;
    char *copy = pm_strdup(text), *rest = *copy ? copy : NULL;
    int rc = PM_OK;
    for (char *part; !rc && (part = strsep(&rest, ","));)
        rc = parse_part(part, &rule, err);
    free(copy);
    PM_TRY(rc);
    const bool given_enough = rule.enough, given_least = rule.least;
    rule.enough = given_enough ? rule.enough : standard.enough;
    rule.least = given_least ? rule.least : standard.least;
    PM_TRY(limit("least", &rule.least, rule.timings, given_least, err));
    PM_TRY(limit("enough", &rule.enough, rule.timings, given_enough, err));
    *out = rule;
    return PM_OK;
}

void pm_warm_rule_text(const struct pm_warm_rule *rule, struct pm_str *out)
{
    for (size_t i = 0; i < PARTS; i++) {
        const void *member = (const char *)rule + parts[i].member;
        pm_str_addf(out, "%s%s=", i ? "," : "", parts[i].name);
        if (parts[i].is_count)
            pm_str_addf(out, "%u", *(const unsigned *)member);
        else
            add_duration(out, *(const uint64_t *)member);
    }
}
