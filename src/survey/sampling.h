/* What a drawn sample is made of, and its words for people. Private to the room. */
#ifndef PM_SURVEY_SAMPLING_H
#define PM_SURVEY_SAMPLING_H

#include "survey/survey.h"
#include "survey/exclusions.h"
#include "names/samples.h"
#include "suite/suite.h"

/* What pm_survey_sample() gathers before it draws. */
struct sampling {
    const struct pm_sample_options *options;
    const struct pm_messages *messages;
    bool bare; /* the ranking is of bare names */
    struct pm_ranking ranking;
    json_t *ranking_digest; /* of the file; NULL: it is of a scan */
    int64_t scan_id, scan_inventory_id;
    struct pm_names_inventory inventory; /* tells what is absent */
    struct pm_suite suite;
    bool has_suite;
    struct pm_map tested; /* names of functions with cases, as the ranking would have them */
    struct exclusions of_file, exclusions;
    struct pm_choice *choices;
    size_t choice_count;
    char **words; /* of the choices */
    size_t word_count;
};

/* Reads the ranking of the file that was given; before a database is touched. */
PM_MUST_USE int pm_survey__sampling_read_ranking(struct sampling *d, struct pm_error *err);
/* Where there is none, the ranking of a scan; with what is not used where that was asked for.
 * `store` is NULL where there is no database yet. */
PM_MUST_USE int pm_survey__sampling_rank(struct sampling *d, struct pm_store *store,
                                         struct pm_error *err);
/* The reasons why ranked functions cannot be drawn: absent, the file's, without a case. */
void pm_survey__sampling_exclude(struct sampling *d);

#endif
