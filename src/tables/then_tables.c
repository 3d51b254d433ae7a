/* What is measured here beside what the study printed of the same functions. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"
#include "tables/kinds.h"

/* The cell of a function in one of the tables of latencies; NULL if missing. */
static const struct pm_publication_cell *printed(const struct pm_publication *p,
                                                 const char *function, const char *item)
{
    const struct pm_publication_cell *found = NULL;
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS && !found; i++)
        found = pm_publication_find(p, pm_publication_latencies(pm_publication_framework_at(i)),
                                    function, item);
    return found;
}

static void ratio_cell(const struct pm_reading *r, const struct pm_reading_verdict *v,
                       struct pm_table *t)
{
    const struct pm_reading_key key = {.target = v->target,
                                       .scope = PM_SCOPE_FUNCTION,
                                       .function = v->function,
                                       .name = "",
                                       .clock = PM_CLOCK_WARM,
                                       .size = PM_SIZE_SMALL,
                                       .what = PM_STATISTIC_RATIO};
    const struct pm_reading_statistic *ratio = pm_reading_statistic(r, &key);
    pm_table_number(t, ratio ? ratio->value : NAN);
}

static void then_row(const struct pm_reading *r, const struct pm_publication *p,
                     const struct pm_reading_verdict *v, struct pm_table *t)
{
    static const char *const items[] = {"GPU (ms)", "TPU (ms)", "TPU/GPU"};
    const char *name = pm_publication_name(p, v->function);
    if (!printed(p, name, items[0]))
        return;
    pm_table_text(t, v->function);
    pm_table_text(t, r->targets[v->target].text);
    pm_table_text(t, pm_verdict_text(v->verdict));
    ratio_cell(r, v, t);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const struct pm_publication_cell *cell = printed(p, name, items[i]);
        pm_table_text(t, cell ? cell->text : "");
    }
    pm_table_text(t, strcmp(name, v->function) != 0 ? name : "");
}

void pm_tables__add_then(const struct pm_reading *r, const struct pm_publication *p,
                         struct pm_report *report)
{
    struct pm_table *t = pm_table_new("then", "Measured here, and published");
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "verdict", "verdict", PM_CELL_WORD);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_column(t, "gpu", "published GPU (ms)", PM_CELL_COUNT);
    pm_table_column(t, "tpu", "published TPU (ms)", PM_CELL_COUNT);
    pm_table_column(t, "tpu_over_gpu", "published TPU/GPU", PM_CELL_COUNT);
    pm_table_column(t, "published_as", "published as", PM_CELL_NAME);
    for (size_t i = 0; i < r->verdict_list.count; i++)
        then_row(r, p, &r->verdicts[i], t);
    if (pm_table_rows(t))
        pm_table_note(
            t, "functions of tables 5 to 7, also under today's names; their inputs, versions "
               "and devices differ");
    pm_tables__take(r, report, t);
}

/* ---- on the page of a function --------------------------------------------------------------- */

/* The imported tests of a device of the study; NULL: none were imported. */
static const struct pm_results *results_of(const struct pm_published *p, const char *framework,
                                           const char *device)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->results[i].framework, framework) && !strcmp(p->results[i].device, device))
            return &p->results[i];
    return NULL;
}

void pm_tables__page_source_fill(struct page_source *source)
{
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++) {
        struct page_study *s = &source->studies[i];
        s->framework = pm_publication_framework_at(i);
        s->gpu = results_of(source->published, s->framework, "GPU");
        s->tpu = results_of(source->published, s->framework, "TPU");
        if (s->gpu && s->tpu)
            pm_results_rows(&source->published->numbers, s->gpu, s->tpu, &s->rows, &s->count);
    }
}

void pm_tables__page_source_release(struct page_source *source)
{
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++)
        pm_rows_free(source->studies[i].rows, source->studies[i].count);
}

/* By the imported tests of the file that the printed row of the function is about. */
static const char *published_verdict(const struct pm_results *results, const char *file)
{
    const size_t number = results ? (size_t)(uintptr_t)pm_map_get(&results->by_function, file) : 0;
    return number ? pm_recount_text(pm_results_verdict(&results->functions[number - 1])) : "";
}

static void verdict_cells(const struct page_source *source, const char *framework,
                          const char *function, struct pm_table *t)
{
    const struct page_study *s = source->studies;
    const char *file = "";
    while (strcmp(s->framework, framework))
        s++;
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->rows[i].subject, function))
            file = s->rows[i].function;
    pm_table_text(t, published_verdict(s->gpu, file));
    pm_table_text(t, published_verdict(s->tpu, file));
}

static const char *printed_of(const struct page_source *source, const char *framework,
                              const char *function, const char *item)
{
    const struct pm_publication_cell *cell = pm_publication_find(
        &source->published->numbers, pm_publication_latencies(framework), function, item);
    return cell ? cell->text : "";
}

struct pm_table *pm_tables__published(const struct page_source *source, const struct function *f)
{
    static const char *const items[] = {"GPU (ms)", "TPU (ms)", "TPU/GPU"};
    const char *framework = pm_publication_framework(f->framework);
    struct pm_table *t = pm_table_new("then", "Published by the study, and measured here");
    pm_table_column(t, "gpu_ms", "GPU then (ms)", PM_CELL_NAME);
    pm_table_column(t, "tpu_ms", "TPU then (ms)", PM_CELL_NAME);
    pm_table_column(t, "tpu_over_gpu", "TPU/GPU then", PM_CELL_NAME);
    pm_table_column(t, "gpu", "GPU then", PM_CELL_WORD);
    pm_table_column(t, "tpu", "TPU then", PM_CELL_WORD);
    for (size_t i = 0; i < f->count; i++) {
        char *id = pm_format("target_%zu", i);
        pm_table_column(t, id, source->r->targets[f->verdicts[i]->target].text, PM_CELL_WORD);
        free(id);
    }
    if (!framework || !*printed_of(source, framework, f->name, items[0]))
        return t;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        pm_table_text(t, printed_of(source, framework, f->name, items[i]));
    verdict_cells(source, framework, f->name, t);
    for (size_t i = 0; i < f->count; i++)
        pm_table_text(t, pm_tables__verdict_word(f->verdicts[i]));
    return t;
}
