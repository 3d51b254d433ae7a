/* What people say of failures. */
#include "store/annotations.h"
#include "store/store_private.h"
#include "store/word.h"

int pm_store_set_annotation(struct pm_store *store, const struct pm_annotation_row *row,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT OR REPLACE INTO annotation (framework, function, target, why,"
                             " note, made) VALUES (?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, row->function);
    pm_store__bind_text(&q, row->target);
    pm_store__bind_text(&q, row->why);
    pm_store__bind_message(&q, row->note);
    pm_store__bind_text(&q, row->made);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_remove_annotation(struct pm_store *store, const char *framework, const char *function,
                               const char *target, int *removed, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "DELETE FROM annotation WHERE framework = ? AND function = ? AND target = ?", &q,
        err));
    pm_store__bind_text(&q, framework);
    pm_store__bind_text(&q, function);
    pm_store__bind_text(&q, target);
    return pm_store__run(&q, NULL, removed, err);
}

static void read_annotation(struct pm_store__query *q, struct pm_annotation_row *row)
{
    pm_store__about(q, "annotation");
    row->framework = pm_store__line(q);
    row->function = pm_store__line(q);
    row->target = pm_store__line(q);
    row->why = pm_store__line(q);
    row->note = pm_store__line(q);
    row->made = pm_store__time(q, PM_STORE__NEEDED);
}

int pm_store_annotations(struct pm_store *store, pm_annotation_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT framework, function, target, why, note, made FROM annotation"
                             " ORDER BY framework, function, target",
                             &q, err));
    PM_STORE__GIVE_ROWS(&q, struct pm_annotation_row, read_annotation, row, ctx, err);
}
