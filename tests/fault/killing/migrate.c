/* migrate DATABASE: opens a database as a portmeter whose newest version of the schema is 3, with
 * made-up steps. On an error prints it and returns 1. */
#include <stdio.h>

#include "made_up_versions.h"
#include "store/store.h"

int main(int argc, char **argv)
{
    struct pm_store *store = NULL;
    struct pm_error err;
    if (argc != 2)
        return 2;
    made_up_begin();
    const int rc = pm_store_open(&store, argv[1], PM_STORE_READ, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    pm_store_free(store);
    made_up_end();
    return rc ? 1 : 0;
}
