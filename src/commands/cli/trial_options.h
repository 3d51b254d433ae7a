/* The options of commands that execute calls which nobody has read: census, forecast, suite new. */
#ifndef PM_CLI_TRIAL_OPTIONS_H
#define PM_CLI_TRIAL_OPTIONS_H

#include <stdbool.h>

/* The members of the row of --unconfined. */
#define CLI_UNCONFINED                                                                             \
    "unconfined", 0, 'U', CLI_VALUE_NONE, NULL,                                                    \
        "let the tried calls use the network and write files, where the kernel has no namespaces"

/* Time for one call in seconds, if --seconds does not say otherwise. */
enum { CLI_TRIAL_SECONDS = 8 };
#define CLI_TRIAL_SECONDS_DEFAULT "[default: 8]"
/* Takes --seconds: a whole number, at most an hour. */
bool cli_take_trial_seconds(const char *argument, double *out);

#endif
