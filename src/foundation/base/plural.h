/* The ending of a noun after a count, as in "%zu case%s", count, pm_plural(count). pm_plural_are()
 * also adds "is" or "are". */
#ifndef PM_BASE_PLURAL_H
#define PM_BASE_PLURAL_H

#define pm_plural(count)     ((count) == 1 ? "" : "s")
#define pm_plural_are(count) ((count) == 1 ? " is" : "s are")

#endif
