/*
 * Finds the cases that a recording (portmeter record) made of the calls at a place.
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
    struct pm_map by_place; /* place and function: pm_audit__recorded_list * */
    size_t cases;
};

/* The place of a use, as a scan finds it. */
struct pm_audit_recorded_place {
    const char *path, *function;
    uint32_t line, column;
};

/* Reads FOLDER/recording.json. PM_EFORMAT if the file is not a recording. The caller releases
 * *recording, also after an error. */
PM_MUST_USE int pm_audit_recording_read(struct pm_audit_recording *recording, const char *folder,
                                        struct pm_error *err);
void pm_audit_recording_release(struct pm_audit_recording *recording);

/* Returns the cases of the recorded calls at a place, borrowed; NULL if no call there became a
 * case. The path of the place matches if it ends with the recorded path, which is relative to the
 * folder of the program. */
const struct pm_audit_recorded *pm_audit_recording_at(const struct pm_audit_recording *recording,
                                                      const struct pm_audit_recorded_place *place,
                                                      size_t *count);

#endif
