/*
 * Where a recording (portmeter record) saw calls, and which cases it made of them.
 *
 *     struct pm_audit_recording recording = {0};
 *     PM_TRY(pm_audit_recording_read(&recording, "recorded", err));
 *     cases = pm_audit_recording_at(&recording, &place, &count);
 *     pm_audit_recording_release(&recording);
 */
#ifndef PM_AUDIT_RECORDING_H
#define PM_AUDIT_RECORDING_H

#include "audit/evidence.h"

struct pm_audit_recording {
    struct pm_map by_place; /* of a function: struct pm_audit__recorded_list * */
    size_t cases;
};

/* A use, as a scan finds it. */
struct pm_audit_recorded_place {
    const char *path, *function;
    uint32_t line, column;
};

/* Reads FOLDER/recording.json. PM_EFORMAT if the file is not a recording. */
PM_MUST_USE int pm_audit_recording_read(struct pm_audit_recording *recording, const char *folder,
                                        struct pm_error *err);
void pm_audit_recording_release(struct pm_audit_recording *recording);

/* Returns the cases of the calls at a place, borrowed; NULL if no call there became a case. The
 * path matches if the recorded one, which begins in the folder of the program, is its end. */
const struct pm_audit_recorded *pm_audit_recording_at(const struct pm_audit_recording *recording,
                                                      const struct pm_audit_recorded_place *place,
                                                      size_t *count);

#endif
