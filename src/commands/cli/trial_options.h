/* The options of commands that execute calls that nobody has reviewed: census, forecast, suite
 * new. */
#ifndef PM_CLI_TRIAL_OPTIONS_H
#define PM_CLI_TRIAL_OPTIONS_H

#include <stdbool.h>

/* The members of the row of --unconfined. */
#define CLI_UNCONFINED                                                                             \
    "unconfined", 0, 'U', CLI_VALUE_NONE, NULL,                                                    \
        "allow the tried calls to use the network and write files, for a kernel without "          \
        "namespaces"

/* The default of --seconds, the time limit for a case of `forecast`, or for a name and source of
 * `census`. */
enum { CLI_TRIAL_SECONDS = 8 };
#define CLI_TRIAL_SECONDS_DEFAULT "[default: 8]"
/* Parses the argument of --seconds. Returns false, after a message, if it is not a whole number
 * from 1 to 3600. */
bool cli_take_trial_seconds(const char *argument, double *out);

#endif
