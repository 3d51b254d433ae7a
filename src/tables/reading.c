/* Judged rows in memory: finding and releasing them. */
#include "tables/reading.h"

#include <string.h>

#include "base/alloc.h"

/* The reading frees all its strings. */
char *pm_tables__reading_keep(struct reading *r, const char *text)
{
    PM_GROW(r->strings, r->string_list.count, r->string_list.capacity);
    return r->strings[r->string_list.count++] = pm_strdup(text);
}

int pm_tables__reading_target(const struct reading *r, const struct pm_store *store, size_t run,
                              int64_t id, const char *table, int *index, struct pm_error *err)
{
    const size_t count = r->target_list.count + r->hidden_targets + r->other_targets;
    for (size_t i = 0; i < count; i++)
        if (r->targets[i].id == id && r->targets[i].run == run) {
            *index = (int)i;
            return PM_OK;
        }
    return pm_store_damaged(store, err,
                            "%s of run %lld, target_id is %lld, which is of another run", table,
                            (long long)r->runs[run].id, (long long)id);
}

int pm_tables__reading_control_index(const struct reading *r, int target)
{
    const struct reading_target *t = &r->targets[target];
    for (size_t i = 0; i < r->target_list.count + r->hidden_targets; i++)
        if (r->targets[i].run == t->run && !strcmp(r->targets[i].text, t->control))
            return (int)i;
    return -1;
}

static char *figure_key(int target, const char *scope, const char *function, const char *name,
                        const char *clock, const char *size, const char *what)
{
    return pm_format("%d\n%s\n%s\n%s\n%s\n%s\n%s", target, scope, function, name, clock, size,
                     what);
}

static void index_figures(struct reading *r, struct reading_statistic *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct reading_statistic *f = &figures[i];
        char *key =
            figure_key(f->target, f->scope, f->function, f->name, f->clock, f->size, f->what);
        pm_map_put(&r->figure_by_key, key, f);
        free(key);
    }
}

void pm_tables__reading_index(struct reading *r)
{
    index_figures(r, r->figures, r->figure_list.count);
    index_figures(r, r->hidden_figures, r->hidden_figure_list.count);
}

void pm_tables__reading_release(struct reading *r)
{
    pm_free_strings(r->strings, r->string_list.count);
    pm_map_release(&r->figure_by_key);
    for (size_t i = 0; i < r->run_list.count; i++) {
        for (size_t k = 0; k < r->runs[i].sitting_count; k++)
            json_decref(r->runs[i].sittings[k].machine);
        free(r->runs[i].sittings);
        json_decref(r->runs[i].options);
    }
    free(r->runs);
    free(r->targets);
    free(r->verdicts);
    free(r->judgements);
    free(r->figures);
    free(r->hidden_figures);
    free(r->canaries);
    free(r->estimates);
    free(r->samples);
    *r = (struct reading){0};
}

void pm_tables__take(const struct reading *r, struct pm_report *report, struct pm_table *table)
{
    if (pm_table_rows(table) || r->shows_empty)
        pm_report_take_table(report, table);
    else
        pm_table_free(table);
}

size_t pm_tables__reading_runs_shown(const struct reading *r)
{
    size_t shown = 0;
    for (size_t i = 0; i < r->run_list.count; i++)
        shown += r->runs[i].shown;
    return shown;
}

const struct reading_statistic *pm_tables__reading_statistic(const struct reading *r, int target,
                                                             const char *scope,
                                                             const char *function, const char *name,
                                                             const char *clock, const char *size,
                                                             const char *what)
{
    char *key = figure_key(target, scope, function, name, clock, size, what);
    const struct reading_statistic *figure = pm_map_get(&r->figure_by_key, key);
    free(key);
    return figure;
}

bool pm_tables__reading_something_wrong(const struct reading *r)
{
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown && strcmp(r->runs[i].validity, "valid"))
            return true;
    for (size_t i = 0; i < r->judgement_list.count; i++)
        if (pm_outcome_is_wrong(r->judgements[i].outcome))
            return true;
    return false;
}
