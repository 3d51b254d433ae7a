/* Replaces the home folder, the user's and the host's name in a report. */
#include "report/names.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "report/report_private.h"

struct pm_here pm_here(void)
{
    static char host[256], user[256];
    const struct passwd *entry = getpwuid(getuid());
    const char *home = getenv("HOME"), *name = getenv("USER");
    if (gethostname(host, sizeof host))
        *host = '\0';
    host[sizeof host - 1] = '\0';
    name = name && *name ? name : entry ? entry->pw_name : "";
    snprintf(user, sizeof user, "%s", name);
    return (struct pm_here){home ? home : entry ? entry->pw_dir : "", user, host};
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The length of `name` if `text` begins with it as a whole word; else 0. "torch.cat" does not
 * name a user "torch". */
static size_t word_length(const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (length < 2 || strncmp(text, name, length) || is_of_name(text[length]))
        return 0;
    return text[length] == '.' && is_of_name(text[length + 1]) ? 0 : length;
}

/* The same for a host, of whom a domain may follow. */
static size_t host_length(const char *text, const char *host)
{
    size_t length = strlen(host);
    if (length < 2 || strncmp(text, host, length) || is_of_name(text[length]))
        return 0;
    while (text[length] == '.' && is_of_name(text[length + 1]))
        length += 1 + strspn(text + length + 1, "abcdefghijklmnopqrstuvwxyz0123456789-_"
                                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return length;
}

static size_t folder_length(const char *text, const char *folder)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    return length > 1 && !strncmp(text, folder, length) && !is_of_name(text[length]) ? length : 0;
}

/* The length of a home folder at the beginning of `text`. */
static size_t home_length(const char *text, const char *home)
{
    static const char *const above[] = {"/home/", "/Users/"};
    size_t length = folder_length(text, home);
    for (size_t i = 0; i < sizeof above / sizeof *above && !length; i++)
        if (pm_starts_with(text, above[i])) {
            length = strlen(above[i]);
            const size_t before = length;
            while (is_of_name(text[length]) || text[length] == '.')
                length++;
            length = length > before ? length : 0;
        }
    return length ? length : folder_length(text, "/root");
}

static bool says_something(const char *name, const char *nobody)
{
    return *name && strcmp(name, nobody) != 0;
}

void pm_hide_names(struct pm_str *out, const char *text, const struct pm_here *here, bool words)
{
    const bool user = words && says_something(here->user, "root");
    const bool host = words && says_something(here->host, "localhost");
    for (const char *at = text; *at;) {
        const bool begins = at == text || (!is_of_name(at[-1]) && at[-1] != '.');
        size_t length;
        if (begins && (length = home_length(at, here->home)))
            pm_str_add_char(out, '~');
        else if (begins && user && (length = word_length(at, here->user)))
            pm_str_add(out, "user");
        else if (begins && host && (length = host_length(at, here->host)))
            pm_str_add(out, "host");
        else
            pm_str_add_bytes(out, at, length = 1);
        at += length;
    }
}

/* ---- reports -------------------------------------------------------------------------------- */

static void hide(char **text, const struct pm_here *here, bool words)
{
    struct pm_str out = PM_STR_INIT;
    if (!*text)
        return;
    pm_hide_names(&out, *text, here, words);
    free(*text);
    *text = pm_str_detach(&out);
}

static void hide_in_table(struct pm_table *table, const struct pm_here *here)
{
    hide(&table->title, here, true);
    for (size_t i = 0; i < table->column_count; i++)
        hide(&table->columns[i].heading, here, false);
    for (size_t i = 0; i < table->note_count; i++)
        hide(&table->notes[i], here, true);
    for (size_t i = 0; i < table->cell_count; i++)
        if (table->cells[i].filling == PM_FILL_TEXT)
            hide(&table->cells[i].text, here,
                 table->columns[i % table->column_count].kind == PM_CELL_TEXT);
}

static void hide_in_figure(struct pm_figure *figure, const struct pm_here *here)
{
    for (size_t i = 0; i < figure->count; i++) {
        struct pm_report__panel *panel = &figure->panels[i];
        hide(&panel->title, here, false);
        for (size_t k = 0; k < PM_AXIS_COUNT; k++)
            hide(&panel->axes[k].title, here, false);
        for (size_t k = 0; k < panel->tick_count; k++)
            hide(&panel->ticks[k].label, here, false);
        for (size_t k = 0; k < panel->count; k++)
            hide(&panel->series[k].name, here, false);
    }
}

static void hide_in_data(json_t *data, const struct pm_here *here)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_string(data)) {
        char *text = pm_strdup(json_string_value(data));
        hide(&text, here, true);
        json_string_set(data, text);
        free(text);
    }
    json_object_foreach(data, key, value)
        hide_in_data(value, here);
    json_array_foreach(data, i, value)
        hide_in_data(value, here);
}

void pm_report_hide(struct pm_report *report, const struct pm_here *here)
{
    hide(&report->title, here, true);
    hide_in_data(report->data, here);
    for (size_t i = 0; i < report->part_count; i++) {
        struct pm_report__part *part = &report->parts[i];
        hide(&part->label, here, false);
        hide(&part->text, here, true);
        hide(&part->command, here, true);
        if (part->figure)
            hide_in_figure(part->figure, here);
        if (part->kind != PM_PART_TABLE)
            continue;
        hide_in_table(part->table, here);
        for (size_t k = 0; part->pages && k < pm_table_rows(part->table); k++)
            pm_report_hide(part->pages[k], here);
    }
}
