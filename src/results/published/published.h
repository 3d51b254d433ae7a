/* What others have published: the umbrella of the room's headers. */
#ifndef PM_PUBLISHED_PUBLISHED_H
#define PM_PUBLISHED_PUBLISHED_H

#include "published/importing.h"
#include "published/publication.h"
#include "published/results.h"
#include "published/tables.h"

#endif
