/* Passes the places of a project's uses to the callback. */
#include "corpus/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pm_corpus__places_init(struct pm_corpus__places *places, struct pm_corpus__counter *counter,
                            const struct pm_corpus_options *options)
{
    *places = (struct pm_corpus__places){.counter = counter,
                                         .take = options->take,
                                         .see = options->see,
                                         .ctx = options->take_ctx,
                                         .project = pm_types_project_new(counter->index)};
}

/* Records the first line of each cell. The cells are in the order of the text. */
static void add_cells(struct pm_corpus__placed *file, const struct pm_corpus__notebook *notebook)
{
    const char *at = notebook->text.data;
    uint32_t line = 1;
    file->cell_count = notebook->cell_count;
    file->cells = pm_alloc(file->cell_count * sizeof *file->cells);
    for (size_t i = 0; i < notebook->cell_count; i++) {
        const char *cell = notebook->text.data + notebook->cells[i].offset;
        for (; at < cell; at++)
            line += *at == '\n';
        file->cells[i] = (struct pm_corpus__cells){line, notebook->cells[i].number};
    }
}

void pm_corpus__places_add(struct pm_corpus__places *places, const struct pm_corpus__source *source,
                           const struct pm_resolve_file *file)
{
    if (pm_types_project_bytes(places->project) > PM_CORPUS_MOST_PROJECT)
        pm_corpus__places_flush(places);
    PM_GROW(places->files, places->file_count, places->file_capacity);
    struct pm_corpus__placed *placed = &places->files[places->file_count++];
    *placed = (struct pm_corpus__placed){.input = pm_strdup(source->input),
                                         .order = source->order,
                                         .record = source->record,
                                         .repository = source->repository};
    if (source->notebook)
        add_cells(placed, source->notebook);
    if (places->see)
        places->see(places->ctx,
                    &(struct pm_corpus_text){.number = places->texts + places->file_count,
                                             .input = source->input,
                                             .record = source->record,
                                             .imported = file->imported,
                                             .bytes = file->text,
                                             .length = source->length});
    pm_types_project_add(places->project, source->path, file);
}

/* Returns the number of the cell that contains a line of the text, or 0 if there are no cells.
 * Changes *line to the line within the cell. */
static uint32_t cell_of(const struct pm_corpus__placed *file, uint32_t *line)
{
    size_t low = 0, high = file->cell_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (file->cells[middle].line <= *line)
            low = middle;
        else
            high = middle;
    }
    if (file->cell_count == 0)
        return 0;
    *line -= file->cells[low].line - 1;
    return file->cells[low].number;
}

static void hand_on(void *ctx, const struct pm_types_place *place)
{
    const struct pm_corpus__places *places = ctx;
    const struct pm_resolve_framework *of = &places->counter->index->frameworks[place->framework];
    const struct pm_corpus__placed *file = &places->files[place->file];
    uint32_t line = place->line;
    const uint32_t cell = cell_of(file, &line);
    const struct pm_corpus_place found = {
        .text = places->texts + place->file + 1,
        .order = file->order,
        .input = file->input,
        .record = file->record,
        .cell = cell,
        .line = line,
        .text_line = place->line,
        .column = place->column,
        .inside = place->inside,
        .framework_row = place->framework,
        .function_row = place->function - 1,
        .framework = of->import_name,
        .function = of->functions.names[place->function - 1],
        .kind = of->functions.kinds[place->function - 1],
        .form = place->form,
        .how = place->how,
        .chain = place->chain,
    };
    pm_corpus__count_place(places->counter, &found, file->repository);
    places->take(places->ctx, &found);
}

void pm_corpus__places_flush(struct pm_corpus__places *places)
{
    if (places->file_count > 0)
        pm_types_project_finish(places->project, hand_on, places);
    for (size_t i = 0; i < places->file_count; i++) {
        free(places->files[i].input);
        free(places->files[i].cells);
    }
    places->texts += places->file_count;
    places->file_count = 0;
}

void pm_corpus__places_release(struct pm_corpus__places *places)
{
    pm_corpus__places_flush(places);
    pm_types_project_free(places->project);
    free(places->files);
}
