/* Makes plans for tests: environments, case files and targets without a framework. */
#include "plans.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

/* Hides the packages of /usr/bin/python3, which is a candidate on every machine: otherwise the
 * system's NumPy would be used as the oracle. */
static int hide_packages(const struct planned *p)
{
    static const char hiding[] =
        "import sys\nsys.path[:] = [p for p in sys.path if '-packages' not in p]\n";
    char *path = pm_path_join(p->stored->folder, "sitecustomize.py");
    const int rc = pm_file_write(path, hiding, strlen(hiding), NULL);
    setenv("PYTHONPATH", p->stored->folder, 1);
    free(path);
    return rc;
}

int planned_set_up(void **state)
{
    struct planned *p = pm_alloc(sizeof *p);
    void *stored = NULL;
    *state = p;
    if (stored_set_up(&stored))
        return -1;
    p->stored = stored;
    p->suites = pm_path_join(p->stored->folder, "suites");
    p->paths[0] = p->suites;
    p->options = (struct pm_run_options){.db = p->stored->db,
                                         .targets = p->targets,
                                         .suites = p->paths,
                                         .suite_count = 1,
                                         .seed = 1};
    char *data = pm_path_join(p->stored->folder, "data");
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", "/nowhere", 1); /* so that no interpreter of this machine is found */
    free(data);
    if (hide_packages(p))
        return -1;
    return mkdir(p->suites, 0755);
}

void planned_forget(struct planned *p)
{
    pm_measure__plan_release(&p->plan);
}

int planned_tear_down(void **state)
{
    struct planned *p = *state;
    void *stored = p->stored;
    planned_forget(p);
    free(p->suites);
    free(p);
    return stored_tear_down(&stored);
}

static char *write_file(struct planned *p, const char *folder, const char *name, const char *end,
                        const char *text)
{
    char *path = pm_format("%s/%s%s", folder, name, end);
    assert_ok(p, pm_file_write(path, text, strlen(text), &p->err));
    return path;
}

void planned_add_environment(struct planned *p, const char *name, const char *framework,
                             const char *modules)
{
    char *script = pm_format("#!/bin/sh\ncase $1 in -V) echo 'Python 3.11.2' ;; *look.py) echo "
                             "'{\"executable\": \"'$0'\", \"python\": \"3.11.2\", \"modules\": "
                             "{%s}, \"folders\": {}}' ;; esac\n",
                             modules);
    char *file = pm_format("python-%s", name);
    char *path = write_file(p, p->stored->folder, file, "", script);
    chmod(path, 0755);
    assert_ok(p, pm_environment_add(name, framework, path, NULL, 0, &p->err));
    free(path);
    free(file);
    free(script);
}

void planned_write_suite(struct planned *p, const char *function, const char *cases)
{
    char *text = pm_format("function: %s\ncases:\n%s", function, cases);
    free(write_file(p, p->suites, function, ".yaml", text));
    free(text);
}

void planned_ask(struct planned *p, const char *targets)
{
    static char words[256];
    size_t count = 0;
    snprintf(words, sizeof words, "%s", targets);
    for (char *at = strtok(words, " "); at; at = strtok(NULL, " ")) {
        assert_true(count < PLANNED_MOST_TARGETS);
        p->targets[count++] = at;
    }
    p->options.target_count = count;
}

int planned_try(struct planned *p)
{
    p->plan.options = &p->options;
    PM_TRY(pm_measure__plan_targets(&p->plan, &p->err));
    return pm_measure__plan_cases(&p->plan, &p->err);
}

void planned_make(struct planned *p, const char *targets)
{
    planned_ask(p, targets);
    assert_ok(p, planned_try(p));
}

int planned_target(const struct planned *p, const char *text)
{
    for (size_t i = 0; i < p->plan.target_count; i++)
        if (!strcmp(p->plan.targets[i].target.text, text))
            return (int)i;
    fail_msg("no target '%s' in the plan", text);
    return NO_TARGET;
}
