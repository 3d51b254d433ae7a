/* The parts of a sample while it is drawn. Private to the room. */
#ifndef PM_SURVEY_SAMPLING_H
#define PM_SURVEY_SAMPLING_H

#include "sample/stored.h"
#include "suite/suite.h"
#include "survey/exclusions.h"
#include "survey/survey.h"

/* The input of a draw. */
struct sampling {
    const struct pm_sample_options *options;
    const struct pm_messages *messages;
    enum pm_rule rule; /* the rule by which functions are ranked */
    struct pm_ranking ranking;
    json_t *ranking_digest; /* digest of the ranking's file; NULL: the ranking is from a scan */
    size_t unused; /* number of functions of the file that are not ranked because of 0 uses */
    int64_t scan_id, scan_inventory_id;
    char *missing; /* text about what a merged scan lacks, from pm_usage_missing(); NULL: nothing */
    struct pm_stored_inventory inventory; /* shows which functions are absent */
    struct pm_suite suite;
    bool has_suite;
    enum pm_rule other; /* the rule of `others` */
    struct pm_map
        others; /* number of calls by that rule, to be printed: name -> uintptr_t; empty: unknown */
    struct pm_map tested; /* names of functions with cases, as in the ranking */
    struct exclusions of_file, exclusions;
    struct pm_choice *choices;
    size_t choice_count;
    char **words; /* the texts of the choices */
    size_t word_count;
};

/* Reads the ranking from the file of `options`, before a database is opened. */
PM_MUST_USE int pm_survey__sampling_read_ranking(struct sampling *d, struct pm_error *err);
/* Reads the ranking from a scan if there is no file, and adds unused functions if requested.
 * `store` is NULL if the database does not exist yet. PM_EUSAGE if nothing can be ranked. */
PM_MUST_USE int pm_survey__sampling_rank(struct sampling *d, struct pm_store *store,
                                         struct pm_error *err);
/* Excludes ranked functions that are absent, that the file of exclusions names, or that have no
 * case. */
void pm_survey__sampling_exclude(struct sampling *d);

#endif
