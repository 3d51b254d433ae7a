/* Writes and reads the file of running executions: first the number of executions that were done
 * when it began, then one number per slot. */
#include "measure/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "measure/measure.h"

enum { EACH = sizeof(int64_t) };

static char *path_in(const char *scratch)
{
    return pm_path_join(scratch, "flight");
}

int pm_measure__flight_begin(const char *scratch, int64_t done, int *fd, struct pm_error *err)
{
    char *path = path_in(scratch);
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool begun = *fd >= 0 && pm_write_full(*fd, &done, EACH) >= 0;
    const int rc = begun ? PM_OK : pm_error_errno(err, "cannot create file '%s'", path);
    free(path);
    return rc;
}

void pm_measure__flight_set(int fd, unsigned slot, int64_t execution)
{
    if (fd >= 0)
        (void)!pwrite(fd, &execution, EACH, (off_t)(slot + 1) * EACH);
}

void pm_measure__flight_read(const char *scratch, struct flight *out)
{
    char *path = path_in(scratch);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int64_t id;
    *out = (struct flight){0};
    free(path);
    if (fd < 0)
        return;
    out->executions = pm_alloc(PM_MOST_JOBS * sizeof *out->executions);
    if (pm_read_full(fd, &out->done, EACH) == EACH)
        while (out->count < PM_MOST_JOBS && pm_read_full(fd, &id, EACH) == EACH)
            if (id > 0)
                out->executions[out->count++] = id;
    close(fd);
}

void pm_measure__flight_release(struct flight *flight)
{
    free(flight->executions);
    *flight = (struct flight){0};
}
