/* pm_run_suite(): runs the cases of files, and prints the outcome of each and what differs. */
#include <stdlib.h>
#include <string.h>

#include "assess/evidence.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/plural.h"
#include "base/stop.h"
#include "core/core.h"
#include "environment/environment.h"
#include "report/table_columns.h"
#include "report/write.h"

const char *pm_framework_of_file(const char *path, const char *otherwise)
{
    const char *slash = strrchr(path, '/');
    const struct pm_framework *framework = NULL;
    struct pm_error ignored; /* the run reports this error when it loads the files */
    char **names = NULL;
    size_t count = 0;
    if (!pm_path_is_folder(path))
        framework = pm_framework_of_function(slash ? slash + 1 : path);
    else if (pm_folder_list(path, &names, &count, &ignored) == PM_OK)
        for (size_t i = 0; !framework && i < count; i++)
            if (pm_ends_with(names[i], ".yaml"))
                framework = pm_framework_of_function(names[i]);
    pm_free_strings(names, count);
    return framework ? framework->name : otherwise;
}

/* An outcome of a case on a target. */
struct outcome_row {
    const char *function, *name, *target, *detail;
    enum pm_outcome outcome;
};

static const struct pm_column columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct outcome_row, function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct outcome_row, name)},
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct outcome_row, target)},
    {"outcome", "outcome", PM_CELL_WORD, PM_WORD(struct outcome_row, outcome, outcome)},
    {"detail", "difference or message", PM_CELL_TEXT, PM_MEMBER(struct outcome_row, detail)},
};

static bool is_fine(enum pm_outcome outcome)
{
    return outcome == PM_OUTCOME_PASS || outcome == PM_OUTCOME_NOT_APPLICABLE;
}

/* Adds a row for the first repetition that failed; if none failed, for the first repetition. */
static void add_case(const struct pm_assess_evidence *all, int target,
                     const struct pm_assess_case *test, struct pm_table *table, size_t *failing)
{
    const struct pm_assess_execution *shown = NULL, *e = NULL;
    while ((e = pm_assess_evidence_next(all, target, test, e)))
        if (e->judged &&
            (!shown || (is_fine(shown->judgement.outcome) && !is_fine(e->judgement.outcome))))
            shown = e;
    if (!shown)
        return;
    *failing += !is_fine(shown->judgement.outcome);
    pm_table_row(table,
                 &(struct outcome_row){test->function, test->name, all->targets[target].text,
                                       shown->judgement.detail, shown->judgement.outcome},
                 NULL);
}

static int add_cases(const char *db, int64_t run_id, struct pm_table *table, size_t *failing,
                     struct pm_error *err)
{
    struct pm_assess_evidence all = {0};
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = pm_assess_evidence_load(&all, store, run_id, err);
    for (size_t c = 0; c < all.case_count && !rc; c++)
        for (size_t t = 0; t < all.target_count; t++)
            if ((int)t != all.oracle)
                add_case(&all, (int)t, &all.cases[c], table, failing);
    pm_assess_evidence_release(&all);
    pm_store_free(store);
    return rc;
}

static int write_outcomes(struct pm_table *table, size_t failing, enum pm_report_format format,
                          unsigned width, bool colour, struct pm_error *err)
{
    const size_t count = pm_table_rows(table);
    char *note =
        pm_format("%zu of %zu outcome%s as expected", count - failing, count, pm_plural(count));
    struct pm_report *report = pm_report_new("");
    pm_table_note(table, note);
    pm_report_take_table(report, table);
    const int rc = pm_report_write(report, format, width, colour, NULL, err);
    pm_report_free(report);
    free(note);
    return rc;
}

int pm_run_suite(const struct pm_run_options *options, enum pm_report_format format, unsigned width,
                 bool colour, const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_run_options run = *options;
    struct pm_run_result result;
    char *scratch = NULL;
    size_t failing = 0;
    PM_TRY(pm_folder_scratch(&scratch, err));
    char *db = pm_path_join(scratch, "run.db");
    run.db = db;
    run.outcomes_only = true;
    int rc = pm_run(&run, messages, &result, err);
    if (rc == PM_ESTOPPED)
        rc = pm_stop_check(err); /* the scratch database is deleted: nothing to resume */
    struct pm_table *table = pm_table_new("outcomes", "Outcomes");
    pm_table_columns(table, columns, format == PM_FORMAT_TEXT);
    if (!rc)
        rc = add_cases(db, result.run.run_id, table, &failing, err);
    if (!rc)
        rc = write_outcomes(table, failing, format, width, colour, err);
    else
        pm_table_free(table);
    (void)!pm_folder_remove(scratch, NULL);
    free(db);
    free(scratch);
    return rc;
}
