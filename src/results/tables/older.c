/* Names functions that failed in an older run and that no newer run measured. Otherwise, the report
 * would hide these failures. */
#include "tables/kinds.h"
#include "text/numbers.h"

enum { FUNCTIONS_NAMED = 3 };

/* Counts the failures from `first` on that belong to the same run and target. */
static size_t count_alike(const struct pm_reading *r, size_t first)
{
    size_t end = first;
    while (end < r->older_list.count && r->older[end].run == r->older[first].run &&
           r->older[end].target == r->older[first].target)
        end++;
    return end - first;
}

void pm_tables__older(const struct pm_reading *r, const char *option, struct pm_str *out)
{
    for (size_t i = 0, count; i < r->older_list.count; i += count) {
        const struct pm_reading_older *first = &r->older[i];
        const struct pm_reading_target *t = &r->targets[first->target];
        count = count_alike(r, i);
        pm_str_add(out, out->length ? "; " : "");
        for (size_t k = 0; k < count && k < FUNCTIONS_NAMED; k++)
            pm_str_addf(out, "%s%s", k ? ", " : "", first[k].function);
        if (count > FUNCTIONS_NAMED) {
            pm_str_add(out, " and ");
            pm_text_count(out, (int64_t)(count - FUNCTIONS_NAMED));
            pm_str_add(out, " more");
        }
        pm_str_addf(out,
                    " %s on %s in the older run %lld (portmeter report --run %lld%s), and run %lld "
                    "does not measure %s",
                    count == 1 ? "fails" : "fail", t->text, (long long)first->run,
                    (long long)first->run, option, (long long)r->runs[t->run].id,
                    count == 1 ? "it" : "them");
    }
}

json_t *pm_tables__older_json(const struct pm_reading *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->older_list.count; i++) {
        const struct pm_reading_older *o = &r->older[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:s}", "function", o->function, "target",
                                        r->targets[o->target].text, "run", (json_int_t)o->run,
                                        "verdict", pm_verdict_text(o->verdict)));
    }
    return list;
}
