/* Shows the paper's numbers about a function beside the measured ones, on the page of the
 * function. */
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"

/* Returns the imported tests of a framework on a device of the paper; NULL if none were
 * imported. */
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

/* Returns the verdict of a test file by its imported tests; "" if it has none. */
static const char *published_verdict(const struct pm_results *results, const char *file)
{
    const size_t number = results ? (size_t)(uintptr_t)pm_map_get(&results->by_function, file) : 0;
    return number ? pm_recount_text(pm_results_verdict(&results->functions[number - 1])) : "";
}

/* The paper's results for a function. */
struct then_row {
    const char *gpu_ms, *tpu_ms, *tpu_over_gpu, *gpu, *tpu;
};

static const struct pm_column then_columns[] = {
    {"gpu_ms", "paper: GPU (ms)", PM_CELL_NAME, PM_MEMBER(struct then_row, gpu_ms)},
    {"tpu_ms", "paper: TPU (ms)", PM_CELL_NAME, PM_MEMBER(struct then_row, tpu_ms)},
    {"tpu_over_gpu", "paper: TPU/GPU", PM_CELL_NAME, PM_MEMBER(struct then_row, tpu_over_gpu)},
    {"gpu", "paper: GPU", PM_CELL_WORD, PM_MEMBER(struct then_row, gpu)},
    {"tpu", "paper: TPU", PM_CELL_WORD, PM_MEMBER(struct then_row, tpu)},
};

static const char *printed_of(const struct page_source *source, const char *framework,
                              const char *function, const char *item)
{
    const struct pm_publication_cell *cell = pm_publication_find(
        &source->published->numbers, pm_publication_latencies(framework), function, item);
    return cell ? cell->text : "";
}

static struct then_row then_row_of(const struct page_source *source, const char *framework,
                                   const char *function)
{
    const struct page_paper *paper = source->papers;
    const char *file = "";
    while (strcmp(paper->framework, framework))
        paper++;
    for (size_t i = 0; i < paper->count; i++)
        if (!strcmp(paper->rows[i].subject, function))
            file = paper->rows[i].function;
    return (struct then_row){.gpu_ms = printed_of(source, framework, function, "GPU (ms)"),
                             .tpu_ms = printed_of(source, framework, function, "TPU (ms)"),
                             .tpu_over_gpu = printed_of(source, framework, function, "TPU/GPU"),
                             .gpu = published_verdict(paper->gpu, file),
                             .tpu = published_verdict(paper->tpu, file)};
}

struct pm_table *pm_tables__published(const struct page_source *source, const struct function *f)
{
    const char *framework = pm_publication_framework(f->framework);
    struct pm_table *t = pm_table_new("then", "Published by the paper, and measured here");
    pm_table_columns(t, then_columns, true);
    for (size_t i = 0; i < f->count; i++)
        pm_tables__target_column(source->r, f->verdicts[i]->target, i, PM_CELL_WORD, t);
    if (!framework)
        return t;
    const struct then_row row = then_row_of(source, framework, f->name);
    if (!*row.gpu_ms)
        return t;
    pm_table_row(t, &row, NULL);
    for (size_t i = 0; i < f->count; i++)
        pm_table_text(t, pm_tables__verdict_word(source->r, f->verdicts[i]));
    return t;
}
