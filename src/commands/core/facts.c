/* pm_facts: makes a table of settings with the origin of each. */
#include <stdlib.h>

#include "base/alloc.h"
#include "core/core.h"
#include "report/table_columns.h"
#include "report/write.h"

struct fact {
    const char *name, *value, *from;
};

static const struct pm_column columns[] = {
    {"setting", "setting", PM_CELL_NAME, PM_MEMBER(struct fact, name)},
    {"value", "value", PM_CELL_TEXT, PM_MEMBER(struct fact, value)},
    {"from", "from", PM_CELL_TEXT, PM_MEMBER(struct fact, from)},
};

struct pm_facts {
    struct pm_table *table;
};

struct pm_facts *pm_facts_new(void)
{
    struct pm_facts *facts = pm_alloc(sizeof *facts);
    facts->table = pm_table_new("config", "Settings");
    pm_table_columns(facts->table, columns, false);
    return facts;
}

void pm_facts_add(struct pm_facts *facts, const char *name, const char *value, const char *from)
{
    pm_table_row(facts->table, &(struct fact){name, value, from}, NULL);
}

int pm_facts_write(struct pm_facts *facts, enum pm_report_format format, unsigned width,
                   struct pm_error *err)
{
    struct pm_report *report = pm_report_new("Settings and their origins");
    pm_report_take_table(report, facts->table);
    const int rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    free(facts);
    return rc;
}
