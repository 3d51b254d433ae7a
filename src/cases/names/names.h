/* Inventories and samples as the store keeps them: the umbrella of the room's headers. */
#ifndef PM_NAMES_NAMES_H
#define PM_NAMES_NAMES_H

#include "names/inventories.h"
#include "names/samples.h"

#endif
