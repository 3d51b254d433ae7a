/* What is said about databases, whichever command opens them. */
#include "core/core.h"
#include "store/store.h"

void pm_note_migrations(FILE *out)
{
    pm_store_note_to(out);
}
