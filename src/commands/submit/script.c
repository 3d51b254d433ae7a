/* The two batch scripts of a submission. */
#include "submit/submit_private.h"

enum { GRACE_S = 60, MOST_RESTARTS = 50 };

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

/* Begins a script: sbatch reads its options from comments, up to the first command. In names of
 * files, it replaces %a. */
static void add_head(struct pm_str *out, const char *name, const char *folder, const char *log)
{
    pm_str_addf(out,
                "#!/bin/sh\n"
                "#SBATCH --job-name=%s\n"
                "#SBATCH --output=\"%s/%s\"\n"
                "#SBATCH --open-mode=append\n",
                name, folder, log);
}

void pm_submit__array_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out)
{
    add_head(out, "portmeter", folder, "shard-%a.log");
    pm_str_addf(out,
                "#SBATCH --array=1-%u\n"
                "#SBATCH --requeue\n"
                "#SBATCH --signal=B:TERM@%d\n",
                o->shards, GRACE_S);
    for (size_t i = 0; i < o->slurm_count; i++)
        pm_str_addf(out, "#SBATCH %s\n", o->slurm[i]);
    pm_str_add(out,
               "\n# Measures one shard. The job may be stopped, killed and queued again at any "
               "time: the same\n# command continues the shard where it was.\n");
    add_assignment(out, "program", program);
    add_assignment(out, "folder", folder);
    pm_str_addf(out, "shard=$SLURM_ARRAY_TASK_ID\n"
                     "disk=${SLURM_TMPDIR:-${TMPDIR:-}} # a local disk, if the cluster names one\n"
                     "task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n\n");
    pm_str_addf(out, "stop() {\n    kill -TERM \"$child\" 2>/dev/null\n}\ntrap stop TERM\n");
    pm_str_addf(out, "\"$program\"");
    add_words(o, out);
    pm_str_addf(out,
                " \\\n    --shard \"$shard/%u\" --db \"$folder/shard-$shard.db\""
                " ${disk:+--local \"$disk\"} &\n",
                o->shards);
    pm_str_addf(out,
                "child=$!\n"
                "wait \"$child\"\n"
                "status=$?\n"
                "while kill -0 \"$child\" 2>/dev/null; do # a signal ended the wait\n"
                "    wait \"$child\"\n"
                "    status=$?\n"
                "done\n"
                "echo \"portmeter exit status $status\"\n"
                "# 143: stopped before the time limit or for another job; 137: killed.\n"
                "case $status in\n"
                "137 | 143)\n"
                "    [ \"${SLURM_RESTART_COUNT:-0}\" -lt %d ] && scontrol requeue \"$task\"\n"
                "    ;;\n"
                "esac\n"
                "exit \"$status\"\n",
                MOST_RESTARTS);
}

void pm_submit__merge_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out)
{
    add_head(out, "portmeter-merge", folder, "merge.log");
    pm_str_add(out, "\n# Makes one run of the shards that are there, and names the others. It can "
                    "run again.\n");
    add_assignment(out, "program", program);
    add_assignment(out, "folder", folder);
    add_assignment(out, "into", o->into);
    pm_str_add(out, "exec \"$program\" merge \"$folder\"/shard-*.db --into \"$into\"\n");
}
