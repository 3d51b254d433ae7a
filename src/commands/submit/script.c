/* Writes the two batch scripts of a submission. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "environment/environment.h"
#include "submit/submit_private.h"

enum { MOST_RESTARTS = 50 };

static void add_assignment(struct pm_str *out, const char *name, const char *value)
{
    pm_str_addf(out, "%s=", name);
    pm_str_add_shell(out, value);
    pm_str_add_char(out, '\n');
}

static void add_words(const struct pm_submit_options *o, struct pm_str *out)
{
    for (size_t i = 0; i < o->word_count; i++) {
        pm_str_add_char(out, ' ');
        pm_str_add_shell(out, o->words[i]);
    }
}

/* Begins a script. sbatch reads its options from comments, up to the first command. In the name of
 * the log, Slurm replaces %a by the index of the job in the array. */
static void add_head(struct pm_str *out, const char *name, const char *folder, const char *log)
{
    pm_str_addf(out,
                "#!/bin/sh\n"
                "#SBATCH --job-name=%s\n"
                "#SBATCH --output=\"%s/%s\"\n"
                "#SBATCH --open-mode=append\n",
                name, folder, log);
}

/* ---- how many shards a job measures ---------------------------------------------------------- */

/* Returns the number at the end of "gpu:a100:4" or "4"; 1 if there is none. */
static unsigned number_at_end(const char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9')
        start--;
    const bool alone = start < length && (start == 0 || text[start - 1] == ':');
    const long number = alone && length - start < 5 ? strtol(text + start, NULL, 10) : 1;
    return number < 1 ? 1 : (unsigned)number;
}

/* Returns the number of GPUs in a list like "gpu:4,license:1". */
static unsigned gpus_in_list(const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        const size_t length = strcspn(at, ",");
        if (length >= 3 && !strncmp(at, "gpu", 3) && (length == 3 || at[3] == ':'))
            return number_at_end(at, length);
    }
    return 0;
}

unsigned pm_submit__shards_per_job(const struct pm_submit_options *o)
{
    static const char *const counts[] = {"--gpus=", "--gpus-per-node=", "--gpus-per-task="};
    unsigned gpus = 0;
    for (size_t i = 0; i < o->slurm_count; i++) {
        const char *text = o->slurm[i];
        if (!strncmp(text, "--gres=", 7))
            gpus = gpus_in_list(text + 7);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            if (!strncmp(text, counts[k], strlen(counts[k])))
                gpus = number_at_end(text, strlen(text));
    }
    return gpus < 1 ? 1 : gpus < o->shards ? gpus : o->shards;
}

/* ---- the script of the shards ---------------------------------------------------------------- */

/* Adds the command of a shard. `log` is the shell's redirection of its output; with "", the output
 * goes to the job's log. */
static void add_command(const struct pm_submit_options *o, const char *before, const char *log,
                        struct pm_str *out)
{
    pm_str_addf(out, "%s\"$program\"", before);
    add_words(o, out);
    pm_str_addf(out, " \\\n        --shard \"$shard/%u\" --db \"$folder/shard-$shard.db\"%s%s &\n",
                o->shards, pm_submit__is_scan(o) ? "" : " ${disk:+--local \"$disk\"}", log);
}

static void add_one_shard(const struct pm_submit_options *o, struct pm_str *out)
{
    pm_str_add(out, "shard=$SLURM_ARRAY_TASK_ID\n");
    add_command(o, "", "", out);
    pm_str_add(out, "children=$!\n");
}

/* Adds a loop over the GPUs of the job. Slurm lists them in a variable that depends on the
 * vendor. */
static void add_shard_per_gpu(const struct pm_submit_options *o, unsigned per_job,
                              struct pm_str *out)
{
    pm_str_addf(out,
                "for variable in %s; do\n"
                "    eval \"gpus=\\${$variable:-}\" # a list such as 0,1\n"
                "    [ -z \"$gpus\" ] || break\n"
                "done\n"
                "shard=$(((SLURM_ARRAY_TASK_ID - 1) * %u + 1))\n"
                "last=$((shard + %u - 1))\n"
                "[ \"$last\" -le %u ] || last=%u\n"
                "for gpu in $(echo \"$gpus\" | tr , ' '); do\n"
                "    [ \"$shard\" -le \"$last\" ] || break\n",
                pm_environment_gpu_variables(), per_job, per_job, o->shards, o->shards);
    add_command(o, "    env \"$variable=$gpu\" ",
                " \\\n        >> \"$folder/shard-$shard.log\" 2>&1", out);
    pm_str_add(out, "    children=\"$children $!\"\n"
                    "    shard=$((shard + 1))\n"
                    "done\n"
                    "if [ \"$shard\" -le \"$last\" ]; then\n"
                    "    status=1\n"
                    "    echo \"Slurm names too few GPUs in $variable: "
                    "'$gpus': shards $shard to $last are not measured\"\n"
                    "fi\n");
}

/* Adds the end of a script: if a shard was stopped or killed, the job queues itself again. It then
 * skips the shards that are measured. */
static void add_waiting(struct pm_str *out)
{
    pm_str_addf(out,
                "for child in $children; do\n"
                "    wait \"$child\"\n"
                "    ended=$?\n"
                "    while kill -0 \"$child\" 2>/dev/null; do # a signal ended the wait\n"
                "        wait \"$child\"\n"
                "        ended=$?\n"
                "    done\n"
                "    echo \"portmeter exit status $ended\"\n"
                "    [ \"$ended\" = 0 ] || status=$ended\n"
                "    # 143: stopped before the time limit or for another job; 137: killed.\n"
                "    case $ended in\n"
                "    137 | 143) again=yes ;;\n"
                "    esac\n"
                "done\n"
                "[ -z \"$again\" ] || [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ] || "
                "scontrol requeue \"$task\"\n"
                "exit \"$status\"\n",
                MOST_RESTARTS);
}

void pm_submit__array_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out)
{
    const unsigned per_job = pm_submit__shards_per_job(o);
    add_head(out, "portmeter", folder, per_job > 1 ? "job-%a.log" : "shard-%a.log");
    pm_str_addf(out,
                "#SBATCH --array=1-%u\n"
                "#SBATCH --requeue\n"
                "#SBATCH --signal=B:TERM@%d\n",
                (o->shards + per_job - 1) / per_job, PM_SUBMIT__GRACE_S);
    for (size_t i = 0; i < o->slurm_count; i++)
        pm_str_addf(out, "#SBATCH %s\n", o->slurm[i]);
    pm_str_addf(out,
                "\n# Measures %s. The job may be stopped, killed and queued again at any time: the "
                "same\n# command continues a shard where it stopped.\n",
                per_job > 1 ? "a shard on each GPU of the job" : "one shard");
    add_assignment(out, "program", program);
    add_assignment(out, "folder", folder);
    pm_str_add(out, "disk=${SLURM_TMPDIR:-${TMPDIR:-}} # a local disk, if the cluster names one\n"
                    "task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
                    "children= status=0 again=\n\n"
                    "stop() {\n    kill -TERM $children 2>/dev/null\n}\ntrap stop TERM\n");
    if (per_job > 1)
        add_shard_per_gpu(o, per_job, out);
    else
        add_one_shard(o, out);
    add_waiting(out);
}

/* ---- the script that merges ------------------------------------------------------------------ */

void pm_submit__merge_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out)
{
    add_head(out, "portmeter-merge", folder, "merge.log");
    pm_str_add(out, "\n# Merges the shards that exist, and lists the missing ones. This script can "
                    "run again.\n");
    add_assignment(out, "program", program);
    add_assignment(out, "folder", folder);
    add_assignment(out, "into", o->into);
    pm_str_add(out, "exec \"$program\" merge \"$folder\"/shard-*.db --into \"$into\"\n");
}
