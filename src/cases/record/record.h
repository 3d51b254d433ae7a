/*
 * Records a program of the user: which public functions of a framework it calls, with which kinds
 * of arguments, where, how often, and how long the calls take.
 *
 *     struct pm_recording recording = {0};
 *     PM_TRY(pm_record_run(&request, &recording, err));        // the program runs, in the terminal
 *     PM_TRY(pm_record_write(&recording, "recorded", err));    // case files
 *     pm_recording_release(&recording);
 *
 * The program runs as it is, in its own interpreter, with nothing installed into it: the folder
 * drivers/pmdriver/record/start is put on PYTHONPATH, and the module in it rewrites the calls in
 * the files of the project when they are imported (drivers/README.md). Processes that the program
 * starts are recorded, too. No value of an array is kept.
 */
#ifndef PM_RECORD_RECORD_H
#define PM_RECORD_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "inventory/inventory.h"

struct pm_record_request {
    const char *const *command; /* the program and its arguments, ended by NULL */
    const char *root;           /* the folder with the files to record */
    const struct pm_inventory *const *inventories; /* the names to record, of each framework */
    size_t inventory_count;
    bool keep_values; /* also keep long texts */
    bool sites_only;  /* only calls that files of the project make, not those by operators or inside
                         modules */
};

struct pm_recording {
    int status;       /* status of the program, as waitpid() sets it */
    json_t *document; /* the document of drivers/recorded.py: calls, files, unknown, versions */
};

/* Runs the program to its end, with the streams of this process. PM_ENOTFOUND if it does not exist,
 * or if no call of a public function was recorded; PM_EFORMAT if what it recorded is damaged. The
 * caller releases *out. */
PM_MUST_USE int pm_record_run(const struct pm_record_request *request, struct pm_recording *out,
                              struct pm_error *err);
void pm_recording_release(struct pm_recording *recording);

/* Writes the case files of a recording to FOLDER/FRAMEWORK/FUNCTION.yaml, and the data about calls
 * to FOLDER/recording.json. Removes the case files of an older recording there first. PM_EUSAGE if
 * the folder has files but no recording.json. */
PM_MUST_USE int pm_record_write(const struct pm_recording *recording, const char *folder,
                                struct pm_error *err);

#endif
