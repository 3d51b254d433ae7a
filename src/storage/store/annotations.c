/* Stores the reasons that users set for failures. */
#include "store/annotations.h"
#include "store/description.h"

static const struct pm_store__column annotation_columns[] = {
    {"framework", PM_STORE__LINE(annotation, framework)},
    {"function", PM_STORE__LINE(annotation, function)},
    {"target", PM_STORE__LINE(annotation, target)},
    {"reason", PM_STORE__LINE(annotation, reason)},
    {"note", PM_STORE__LINE(annotation, note), PM_STORE__HIDDEN},
    {"made", PM_STORE__TIME(annotation, made)},
};
static const struct pm_store__rows annotations =
    PM_STORE__REPLACING_ROWS("annotation", "annotation", annotation_columns);

int pm_store_set_annotation(struct pm_store *store, const struct pm_annotation_row *row,
                            struct pm_error *err)
{
    return pm_store__add(store, &annotations, row, NULL, err);
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

int pm_store_annotations(struct pm_store *store, pm_annotation_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &annotations, " ORDER BY framework, function, target", &q, err));
    pm_store__about(&q, "annotation");
    PM_STORE__GIVE_ROWS(&q, &annotations, struct pm_annotation_row, row, ctx, err);
}
