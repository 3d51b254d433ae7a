/* Makes the tables that show how many of a framework's public names, measurable names and calls
 * work. */
#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "census/census.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "tables/shared_cells.h"
#include "tables/tiers.h"

/* The names of one module, or of the whole framework. It is unknown whether a name without a
 * counted verdict works, so the shares that work and that do not work are lower bounds. */
struct surface {
    int target;
    const char *module; /* "": all */
    int64_t names, measurable, with_case;
    int64_t working, wrong, unchecked; /* functions; unchecked: all others */
    int64_t calls, calls_working, calls_wrong;
};

struct surface_list {
    struct surface *items;
    size_t count, capacity;
    struct pm_map by_module; /* index + 1 */
};

static const json_t *surface_of(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    const json_t *all = json_object_get(r->runs[t->run].options, "surface");
    return json_object_get(all, t->framework);
}

static void add_names(struct surface_list *list, int target, const char *module,
                      const json_t *counts)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct surface){
        .target = target,
        .module = module,
        .names = pm_json_int(counts, "names", 0),
        .measurable = pm_json_int(counts, "measurable", 0),
        .with_case = pm_json_int(counts, "with_case", 0),
    };
    pm_map_put(&list->by_module, module, (void *)(uintptr_t)list->count);
}

static void add_verdict(struct surface *s, const struct pm_reading_verdict *v, bool no_values,
                        int64_t calls)
{
    if (v->host_only || no_values || !pm_verdict_is_counted(v->verdict)) {
        s->unchecked++;
    } else if (pm_verdict_is_working(v->verdict)) {
        s->working++;
        s->calls_working += calls;
    } else {
        s->wrong++;
        s->calls_wrong += calls;
    }
}

/* Adds the verdict of a function to its module and to the first row, the whole framework. */
static void count_verdict(const struct pm_reading *r, struct surface_list *list,
                          const struct pm_reading_verdict *v)
{
    size_t cases;
    const struct pm_reading_case *c = pm_reading_cases_of(r, v->target, v->function, &cases);
    char *module = pm_census_module(v->function);
    const size_t place = (size_t)(uintptr_t)pm_map_get(&list->by_module, module);
    const int64_t calls = pm_reading_calls(r, r->targets[v->target].framework, v->function);
    add_verdict(&list->items[0], v, c && c->no_values, calls);
    if (place)
        add_verdict(&list->items[place - 1], v, c && c->no_values, calls);
    free(module);
}

/* Returns the rows of a target, with that of the whole framework first. The list is empty without a
 * census. */
static struct surface_list list_surface(const struct pm_reading *r, int target)
{
    struct surface_list list = {0};
    const json_t *surface = surface_of(r, target);
    const char *module;
    json_t *counts;
    if (!surface || !pm_tables__has_line(r, target))
        return list;
    add_names(&list, target, "", surface);
    json_object_foreach(json_object_get(surface, "modules"), module, counts)
        add_names(&list, target, module, counts);
    for (size_t i = 0; i < r->verdict_list.count; i++)
        if (r->verdicts[i].target == target)
            count_verdict(r, &list, &r->verdicts[i]);
    const struct pm_reading_uses *uses = pm_reading_uses(r, r->targets[target].framework);
    list.items[0].calls = uses ? uses->calls : 0;
    return list;
}

static void release_surface(struct surface_list *list)
{
    free(list->items);
    pm_map_release(&list->by_module);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void share_cell(struct pm_table *table, int64_t part, int64_t whole)
{
    pm_table_number(table, whole ? (double)part / (double)whole : NAN);
}

static void of_all_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct surface *s = from->row;
    share_cell(table, s->working, s->names);
}

static void of_measurable_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct surface *s = from->row;
    share_cell(table, s->working, s->measurable);
}

static void wrong_of_measurable_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct surface *s = from->row;
    share_cell(table, s->wrong, s->measurable);
}

static void of_calls_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct surface *s = from->row;
    share_cell(table, s->calls_working, s->calls);
}

static void wrong_of_calls_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct surface *s = from->row;
    share_cell(table, s->calls_wrong, s->calls);
}

#define TARGET_COLUMN                                                                              \
    {                                                                                              \
        "target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct surface, target)                \
    }
#define COUNT_COLUMNS                                                                              \
    {"names", "names", PM_CELL_COUNT, PM_MEMBER(struct surface, names)},                           \
        {"measurable", "measurable", PM_CELL_COUNT, PM_MEMBER(struct surface, measurable)},        \
        {"with_case", "with a case", PM_CELL_COUNT, PM_MEMBER(struct surface, with_case)},         \
        {"works", "works", PM_CELL_COUNT, PM_MEMBER(struct surface, working)},                     \
        {"wrong", "partly or fails", PM_CELL_COUNT, PM_MEMBER(struct surface, wrong)},             \
        {"unchecked", "no values checked", PM_CELL_COUNT, PM_MEMBER(struct surface, unchecked)},   \
        {"of_all", "works, share of names", PM_CELL_SHARE, .cell = of_all_cell},                   \
        {"of_measurable", "works, share of measurable", PM_CELL_SHARE,                             \
         .cell = of_measurable_cell},                                                              \
    {                                                                                              \
        "wrong_of_measurable", "does not work, share of measurable", PM_CELL_SHARE,                \
            .cell = wrong_of_measurable_cell                                                       \
    }

static const struct pm_column surface_columns[] = {
    TARGET_COLUMN,
    COUNT_COLUMNS,
    {"of_calls", "works, share of calls", PM_CELL_SHARE, .cell = of_calls_cell},
    {"wrong_of_calls", "does not work, share of calls", PM_CELL_SHARE, .cell = wrong_of_calls_cell},
};

static const struct pm_column module_columns[] = {
    TARGET_COLUMN,
    {"module", "module", PM_CELL_NAME, PM_MEMBER(struct surface, module)},
    COUNT_COLUMNS,
};

void pm_tables__add_surface(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("surface", "Public names that work");
    pm_table_columns(t, surface_columns, r->for_people);
    for (size_t i = 0; i < r->target_list.count; i++) {
        struct surface_list list = list_surface(r, (int)i);
        if (list.count)
            pm_table_row(t, &list.items[0], r);
        release_surface(&list);
    }
    pm_table_note(t, "it is unknown whether a measurable name works if it has no case, or only "
                     "cases that check no value");
    pm_tables__take(r, report, t);
}

void pm_tables__add_modules(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("modules", "Public names that work, by module");
    pm_table_columns(t, module_columns, r->for_people);
    pm_table_group(t);
    for (size_t i = 0; i < r->target_list.count; i++) {
        struct surface_list list = list_surface(r, (int)i);
        for (size_t k = 1; k < list.count; k++)
            if (list.items[k].measurable)
                pm_table_row(t, &list.items[k], r);
        release_surface(&list);
    }
    pm_table_note(t, "module: the first two parts of a name, without classes; modules without a "
                     "measurable name are omitted");
    pm_tables__take(r, report, t);
}
