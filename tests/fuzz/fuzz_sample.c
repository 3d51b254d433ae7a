/*
 * Feeds a stored sample as JSON. It must be refused with one line, or be like a drawn sample.
 */
#include <stdlib.h>

#include "base/json.h"
#include "fuzz.h"
#include "sample_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_sample sample;
    struct pm_error err = {""};
    json_t *document;
    char *text = (char *)fuzz_copy(data, size, 0);
    if (pm_json_parse(text, size, &document, &err)) {
        fuzz_check_error(&err);
    } else if (pm_sample_from_json(document, &sample, &err)) {
        fuzz_check_error(&err);
    } else {
        fuzz_check_sample(&sample, (unsigned)size);
        pm_sample_release(&sample);
    }
    json_decref(document);
    free(text);
    return 0;
}
