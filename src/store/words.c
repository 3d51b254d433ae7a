/* Words of columns that the vocabulary does not have as they are. */
#include "store/store_private.h"

PM_WORDS_DEFINE(run_state, PM_RUN_STATES, PM_RUN);

#define TEXT(P, id, text) text,
static const char *const name_kinds[] = {"", PM_USED_KINDS(TEXT, PM)};
const struct pm_words pm_store__name_kinds = {name_kinds, sizeof name_kinds / sizeof *name_kinds};
