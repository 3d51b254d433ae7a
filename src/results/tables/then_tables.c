/* What the paper printed of a function, beside what is measured here: on its page. */
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"
#include "tables/kinds.h"
#include "tables/pages.h"

/* Returns the imported tests of a device of the paper; NULL: none were imported. */
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
        struct page_paper *s = &source->papers[i];
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
        pm_rows_free(source->papers[i].rows, source->papers[i].count);
}

/* Returns the verdict by the imported tests of the file that the printed row of the function is
 * about. */
static const char *published_verdict(const struct pm_results *results, const char *file)
{
    const size_t number = results ? (size_t)(uintptr_t)pm_map_get(&results->by_function, file) : 0;
    return number ? pm_recount_text(pm_results_verdict(&results->functions[number - 1])) : "";
}

static void verdict_cells(const struct page_source *source, const char *framework,
                          const char *function, struct pm_table *t)
{
    const struct page_paper *s = source->papers;
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
    struct pm_table *t = pm_table_new("then", "Published by the paper, and measured here");
    pm_table_column(t, "gpu_ms", "paper: GPU (ms)", PM_CELL_NAME);
    pm_table_column(t, "tpu_ms", "paper: TPU (ms)", PM_CELL_NAME);
    pm_table_column(t, "tpu_over_gpu", "paper: TPU/GPU", PM_CELL_NAME);
    pm_table_column(t, "gpu", "paper: GPU", PM_CELL_WORD);
    pm_table_column(t, "tpu", "paper: TPU", PM_CELL_WORD);
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
