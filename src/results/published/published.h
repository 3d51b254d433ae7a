/* Includes all public headers of the room about published results. */
#ifndef PM_PUBLISHED_PUBLISHED_H
#define PM_PUBLISHED_PUBLISHED_H

#include "published/importing.h"
#include "published/publication.h"
#include "published/results.h"
#include "published/tables.h"

#endif
