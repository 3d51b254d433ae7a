/* portmeter config: prints the settings, and where each comes from. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/config.h"

static const struct cli_option options[] = {
    CLI_GROUP("Output"),
    {"all", 'a', 'a', CLI_VALUE_NONE, NULL,
     "also print the options that are not set, with their defaults"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS " [default: text]",
     .words = CLI_FORMAT_WORDS},
    CLI_OPTIONS_END};

/* Returns a text such as "portmeter.yaml:3"; the caller frees it. */
static char *place(int line)
{
    return pm_format("%s:%d", cli_config()->path, line);
}

static void add_database(struct pm_facts *facts)
{
    const char *environment = getenv("PORTMETER_DB");
    int line = 0;
    const bool in_file = cli_config_value("db", &line);
    char *from = environment && *environment ? pm_strdup("PORTMETER_DB")
                 : in_file                   ? place(line)
                                             : pm_strdup("default");
    pm_facts_add(facts, "db", cli_db(NULL), from);
    free(from);
}

static int add_folder(struct pm_facts *facts, const char *name, const char *variable,
                      int (*find)(char **, struct pm_error *), struct pm_error *err)
{
    const char *set = getenv(variable);
    char *path;
    PM_TRY(find(&path, err));
    pm_facts_add(facts, name, path, set && *set ? variable : "default");
    free(path);
    return PM_OK;
}

struct listing {
    struct pm_facts *facts;
    const struct cli_command *command;
    bool all;
};

/* Returns the default that the text of an option states: "... [default: 900]". */
static char *default_of(const struct cli_option *option)
{
    static const char mark[] = "[default: ";
    struct pm_str text = PM_STR_INIT;
    cli_expand(option->text, &text);
    const char *at = strstr(text.data, mark);
    char *found = at ? pm_strndup(at + strlen(mark), strcspn(at + strlen(mark), "];"))
                     : pm_strdup(option->argument ? "" : "false");
    pm_str_release(&text);
    return found;
}

static void add_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct listing *listing = ctx;
    const struct cli_config *config = cli_config();
    char *name = pm_format("%s.%s", listing->command->name, option->name);
    bool set = false;
    (void)group;
    for (size_t i = 0; i < config->count; i++) {
        const struct cli_setting *s = &config->settings[i];
        if (s->command != listing->command || s->option != option)
            continue;
        char *from = place(s->line);
        pm_facts_add(listing->facts, name, s->value ? s->value : "true", from);
        free(from);
        set = true;
    }
    if (!set && listing->all && strcmp(option->name, "db")) {
        char *value = default_of(option);
        pm_facts_add(listing->facts, name, value, "default");
        free(value);
    }
    free(name);
}

static int list(bool all, enum pm_report_format format, struct pm_error *err)
{
    struct pm_facts *facts = pm_facts_new();
    add_database(facts);
    int rc = add_folder(facts, "data folder", "PORTMETER_DATA", pm_path_data, err);
    if (!rc)
        rc = add_folder(facts, "program's files", "PORTMETER_HOME", pm_path_home, err);
    for (size_t i = 0; cli_config_commands[i]; i++) {
        struct listing listing = {facts, cli_command_find(cli_config_commands[i]), all};
        cli_options_each(listing.command->options, add_option, &listing);
    }
    struct pm_error late;
    const int written = pm_facts_write(facts, format, cli_width(), &late);
    return rc ? rc : written ? pm_error_set(err, written, "%s", late.text) : PM_OK;
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const char *argument;
    enum pm_report_format format = PM_FORMAT_TEXT;
    bool all = false;
    int option, rc, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_config, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (option == 'a')
            all = true;
        else if (!cli_format(argument, &format))
            goto done;
    if (option < 0 || cli_has_more(&cli, "config takes options only"))
        goto done;
    rc = list(all, format, &err);
    status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_config = {
    .name = "config",
    .run = run,
    .chapter = "Prepare",
    .summary =
        "print the settings in this folder (portmeter.yaml, variables, defaults) and their origins",
    .synopsis = "[OPTION...]",
    .text =
        "The file portmeter.yaml in the current folder, or the one that $PORTMETER_CONFIG "
        "names, sets options of run, study, report, scan and audit. A key below the name of a "
        "command is an option of the command, without the dashes, as in run: {target: [{target}], "
        "outcomes-only: true}. The command line overrides the file.",
    .options = options,
    .examples = {{"config", "print what portmeter.yaml and the variables set"},
                 {"config --all", "also print the default of every option"}},
};
