/*
 * Reads a side of a comparison: from the text that the user wrote to the rows of the database.
 *
 * All kinds of sides have one form: [FILE#][run:N#][TARGET], with at least one of the parts.
 *
 *     pytorch@xla                          a target of the default database
 *     run:4    run:4#pytorch@xla           a run, one of its targets
 *     old.db   old.db#pytorch@xla          another database
 *     pytorch-1.12.0:pytorch@meta          a version: a target in its own environment
 *
 * A part is a run if it begins with "run:", a target if it has an '@' and no '/', and otherwise a
 * file. Without a run, the side is the newest valid run of the target (reading/loading.h).
 *
 * The only target of a side is its only subject or, without subjects, its only reference. If a side
 * names no target, it is the target that the other side names or, if that names none, the only
 * target of the other side. If this side does not have this target, it is its own only target.
 */
#ifndef PM_COMPARE_SIDE_H
#define PM_COMPARE_SIDE_H

#include "changes/changes.h"
#include "reading/reading.h"

struct pm_side_name {
    char *db;     /* NULL: the database of --db */
    char *target; /* NULL: not named */
    int64_t run;  /* 0: not named */
};
/* Parses the text of a side. PM_EUSAGE if it is not a side; *out is then empty. The caller releases
 * *out. */
PM_MUST_USE int pm_side_parse(const char *text, struct pm_side_name *out, struct pm_error *err);
void pm_side_name_release(struct pm_side_name *name);

struct pm_side {
    struct pm_side_name name;
    const char *db; /* borrowed */
    struct pm_reading r;
    int target;                      /* index of the chosen target; -1: none yet */
    struct pm_changes_side compared; /* the reading owns its texts */
};

/* Parses `text`, and reads the runs, targets and judged cases of the side; `db` is the database if
 * `text` names none. The database file is open only during the call. PM_EUSAGE if the side does not
 * exist. The caller releases *side, also after an error. */
PM_MUST_USE int pm_side_open(struct pm_side *side, const char *text, const char *db,
                             struct pm_error *err);
/* Chooses the target of `side`, which may depend on `other`. Both must be open. PM_EUSAGE, with the
 * names of the targets, if the target does not exist or if there are several. */
PM_MUST_USE int pm_side_choose(struct pm_side *side, const struct pm_side *other,
                               struct pm_error *err);
/* Reads the functions, cases and timings of the chosen target. */
PM_MUST_USE int pm_side_load(struct pm_side *side, struct pm_error *err);
void pm_side_release(struct pm_side *side);

/* Sets the members that identify a side in a comparison, from its reading and target. */
void pm_side_identify(struct pm_side *side);

#endif
