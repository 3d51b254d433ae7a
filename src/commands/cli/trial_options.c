/* Reads the options of commands that execute calls that nobody has reviewed. */
#include "cli/trial_options.h"

#include "cli/cli.h"

enum { MOST_SECONDS = 3600 };

bool cli_take_trial_seconds(const char *argument, double *out)
{
    long long seconds;
    if (!cli_number("seconds", argument, 1, MOST_SECONDS, &seconds))
        return false;
    *out = (double)seconds;
    return true;
}
