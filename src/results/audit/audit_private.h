/* Declares what the files of this room share. */
#ifndef PM_AUDIT_AUDIT_PRIVATE_H
#define PM_AUDIT_AUDIT_PRIVATE_H

#include <jansson.h>

#include "audit/audit.h"
#include "base/map.h"
#include "base/str.h"

struct pm_audit {
    const struct pm_audit_options *options;
    const struct pm_audit_evidence *evidence;
    const struct pm_audit_rules *rules;
    struct pm_audit_where where;
    struct pm_audit_file *files;
    size_t file_count, file_capacity;
    struct pm_audit_kind *kinds;
    size_t kind_count, kind_capacity;
    struct pm_map kind_by_key; /* by rule, function and message: index + 1 */
    struct pm_audit_finding *findings;
    size_t finding_count, finding_capacity;
    struct pm_audit_use *uses;
    size_t use_count, use_capacity;
    struct pm_map use_by_name; /* by function: index + 1 */
    size_t sites, by_status[PM_AUDIT_COUNT];
    size_t recorded;          /* uses that recorded calls decide */
    size_t suppressed, known; /* findings that a comment hides, and that the baseline hides */
    /* texts whose uses have not arrived yet */
    struct pm_audit__seen {
        uint64_t number;
        unsigned char *bytes;
        size_t length, file;
        uint32_t imported;
    } * seen;
    size_t seen_count, seen_capacity, seen_done;
    struct pm_audit_text text; /* the open text */
    size_t opened;             /* index of the open text in `seen`, + 1; 0: none is open */
    bool taking;               /* uses of the seen texts have arrived */
    struct pm_map rule_masks;  /* by function: uint64_t * */
};

/* The most bytes that a finding should have in the text format, from its level on and without
 * remarks. Only unusually long names of functions or cases exceed this. */
enum { PM_AUDIT__LINE = 160 };
/* Returns the message about a function and why it fails, which the caller frees. `most` is the
 * number of bytes that the message should not exceed; such a message omits places on devices and
 * versions. 0: the whole message. */
char *pm_audit__message(const struct pm_audit *audit, const char *function,
                        const struct pm_audit_answer *answer, size_t most);
/* Returns the findings that are not hidden, in the order of their files or, with
 * `important_first`, by level. The caller frees the list. */
const struct pm_audit_finding **pm_audit__sorted(const struct pm_audit *audit, bool important_first,
                                                 size_t *count);
/* Returns whether an answer comes from a forecast. */
bool pm_audit__is_predicted(enum pm_audit_status status);
/* Returns whether the code runs with this version of the framework, in any build of it, or with an
 * unknown one. */
bool pm_audit__is_version(const struct pm_audit *audit, const char *version);
/* Appends a text such as "1 use", "2 uses". */
void pm_audit__count(struct pm_str *out, size_t count, const char *noun);
/* Returns the days since an ISO time; -1 if the text is not one. */
long pm_audit__age(const char *started);
/* Returns a text as a JSON string. Bytes that are not UTF-8, as in file names, are replaced. */
json_t *pm_audit__text_json(const char *text);
/* Appends the remarks on a finding, such as " (found by its name only)". They follow the message of
 * its kind. */
void pm_audit__remark(const struct pm_audit_finding *finding, struct pm_str *out);

/* Append the audit in one of the four formats, as a whole document. */
void pm_audit__text(const struct pm_audit *audit, const struct pm_audit_how *how,
                    struct pm_str *out);
void pm_audit__json(const struct pm_audit *audit, struct pm_str *out);
void pm_audit__sarif(const struct pm_audit *audit, struct pm_str *out);
void pm_audit__github(const struct pm_audit *audit, struct pm_str *out);

#endif
