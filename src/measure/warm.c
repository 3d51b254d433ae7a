/* The warm rule: how many samples of a call to measure, as text for options and the store. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "measure/measure.h"

/* The store allows slightly more samples; no run needs a budget of more than a day. */
enum { MOST_SAMPLES = 1000000 };
static const uint64_t MOST_NS = UINT64_C(24) * 3600 * 1000000000;

/* Longest first, so that durations are printed in their shortest form. */
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

static void add_duration(struct pm_str *out, const char *key, uint64_t ns)
{
    size_t i = 0;
    while (i + 1 < UNITS && ns % units[i].ns)
        i++;
    pm_str_addf(out, ",%s=%llu%s", key, (unsigned long long)(ns / units[i].ns), units[i].name);
}

static bool parse_count(const char *text, unsigned *out)
{
    long long value;
    if (!isdigit((unsigned char)*text) || !pm_parse_int(text, &value) || value < 1 ||
        value > MOST_SAMPLES)
        return false;
    *out = (unsigned)value;
    return true;
}

/* One part, "budget=50ms". */
static int parse_part(char *part, struct pm_warm_rule *rule, struct pm_error *err)
{
    char *value = strchr(part, '=');
    if (value)
        *value++ = 0;
    const bool is_samples = !strcmp(part, "samples"), is_least = !strcmp(part, "least");
    const bool is_budget = !strcmp(part, "budget"), is_long = !strcmp(part, "long");
    if (!value || !(is_samples || is_least || is_budget || is_long))
        return pm_error_set(
            err, PM_EUSAGE,
            "--warm has an unknown part '%s': use samples=N, least=N, budget=TIME and "
            "long=TIME, separated by commas",
            part);
    if (is_samples || is_least) {
        if (!parse_count(value, is_samples ? &rule->samples : &rule->least))
            return pm_error_set(err, PM_EUSAGE,
                                "--warm: invalid %s '%s': give a whole number from 1 to %d", part,
                                value, MOST_SAMPLES);
    } else if (!parse_duration(value, is_budget ? &rule->budget_ns : &rule->long_ns)) {
        return pm_error_set(err, PM_EUSAGE,
                            "--warm: invalid %s '%s': give a whole number of ns, us, ms or s, "
                            "such as 50ms, at most a day",
                            part, value);
    }
    return PM_OK;
}

int pm_warm_rule_parse(const char *text, struct pm_warm_rule *out, struct pm_error *err)
{
    struct pm_warm_rule rule = PM_WARM_RULE_DEFAULT;
    char *parts = pm_strdup(text), *rest = *parts ? parts : NULL;
    int rc = PM_OK;
    for (char *part; !rc && (part = strsep(&rest, ","));)
        rc = parse_part(part, &rule, err);
    free(parts);
    PM_TRY(rc);
    if (rule.least > rule.samples)
        return pm_error_set(err, PM_EUSAGE, "--warm: least %u is more than samples %u", rule.least,
                            rule.samples);
    *out = rule;
    return PM_OK;
}

void pm_warm_rule_text(const struct pm_warm_rule *rule, struct pm_str *out)
{
    pm_str_addf(out, "samples=%u,least=%u", rule->samples, rule->least);
    add_duration(out, "budget", rule->budget_ns);
    add_duration(out, "long", rule->long_ns);
}
