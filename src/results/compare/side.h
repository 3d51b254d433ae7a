/*
 * A side of a comparison, from the text of the user to the rows of the database.
 *
 * One grammar for all kinds of sides: [FILE#][run:N#][TARGET], each part once, at least one of
 * them.
 *
 *     pytorch@xla                          a target of the database at hand
 *     run:4    run:4#pytorch@xla           a run, one of its targets
 *     old.db   old.db#pytorch@xla          another database
 *     pytorch-1.12.0:pytorch@meta          a version: the target of an environment of its own
 *
 * A part is a run where it begins with "run:", a target where it has an '@' and no '/', and a file
 * otherwise. Without a run: the newest valid run of the target (reading/loading.h). Without a
 * target: the one that the other side names or has, if this side has it too, else this side's only
 * subject.
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
/* Fails with PM_EUSAGE if the text is not a side. The name is released in either case. */
PM_MUST_USE int pm_side_parse(const char *text, struct pm_side_name *out, struct pm_error *err);
void pm_side_name_release(struct pm_side_name *name);

struct pm_side {
    struct pm_side_name name;
    const char *db; /* borrowed */
    struct pm_reading r;
    int target;                      /* index */
    struct pm_changes_side compared; /* the reading owns its texts */
};

/* Reads the targets of a side, and then the compared rows of one. The file is open, for reading,
 * only during a call. */
PM_MUST_USE int pm_side_open(struct pm_side *side, const char *text, const char *db,
                             struct pm_error *err);
/* Chooses the target of `side`. */
PM_MUST_USE int pm_side_choose(struct pm_side *side, const struct pm_side *other,
                               struct pm_error *err);
PM_MUST_USE int pm_side_load(struct pm_side *side, struct pm_error *err);
void pm_side_release(struct pm_side *side);

/* Sets the members that identify a side in a comparison, from its reading and target. */
void pm_side_identify(struct pm_side *side);

#endif
