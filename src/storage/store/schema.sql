-- The whole schema of a portmeter database, version 1. A new file is made from this text. A later
-- version migrates an older file in steps (versions.c). Opening a file compares its tables with
-- this text, except for comments and spaces. Therefore, once version 1 is released, each change of
-- anything but a comment needs a new version.
-- SQLite keeps the comments inside the statements, so `.schema` in its shell shows them.
--
-- Text is UTF-8 and never NULL: '' means that there is none. A name or a line has at most 65,535
-- characters, JSON and other long text at most 268,435,456. Booleans are 0 or 1. Counts are at most
-- 10^12, so that their sums do not overflow. A "time" is a time of day in UTC by ISO 8601, as in
-- '2026-11-21T08:15:30.123Z'. Durations are nanoseconds. NULL in a REAL column means that there is
-- no number. A digest is 128 bits as 32 hexadecimal digits.
--
-- Names of users and hosts are replaced (base/privacy.h) before a message, an output or a path is
-- stored in a column whose comment says "without names". The tables run_paths and interpreter keep
-- paths unchanged, because portmeter needs them. Merging does not copy these tables, and no report
-- shows them.
--
-- The constraints prevent portmeter from storing invalid values. They do not protect a reader: a
-- file may be damaged or malicious. The readers in this folder check every value again.

PRAGMA application_id = 0x504D5452; -- 'PMTR'

-- One `portmeter run`, or one `portmeter import`.
CREATE TABLE run (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of starting
  uuid TEXT NOT NULL UNIQUE       -- 32 hexadecimal digits; its processes have it in PORTMETER_RUN
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '' during the first attempt
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  state TEXT NOT NULL             -- 'running': in progress, or killed;
    CHECK (state = 'running' OR state = 'stopped' OR state = 'done'), -- 'stopped': ended early
  kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)), -- boolean: the user wants to keep it
  options TEXT NOT NULL           -- JSON: all options of the run; without names
    CHECK (json_valid(options) AND length(options) <= 268435456),
  suite_digest TEXT NOT NULL      -- digest of the texts of all case files: --resume compares it
    CHECK (length(suite_digest) = 32 AND suite_digest NOT GLOB '*[^0-9a-f]*'),
  seed INTEGER NOT NULL,          -- seed of the inputs and of the run order; any number
  validity TEXT NOT NULL          -- whether its outcomes are valid; '': unknown
    CHECK (validity = '' OR validity = 'valid' OR validity = 'invalid'),
  validity_reason TEXT NOT NULL CHECK (length(validity_reason) <= 65535), -- one line if 'invalid',
                                  -- without names
  latency_validity TEXT NOT NULL  -- whether its latencies are valid; '': unknown
    CHECK (latency_validity = '' OR latency_validity = 'valid' OR latency_validity = 'invalid'),
  latency_validity_reason TEXT NOT NULL         -- one line if 'invalid', without names
    CHECK (length(latency_validity_reason) <= 65535),
  sample_id INTEGER REFERENCES sample -- the sample that it measured; NULL: none
    CHECK (sample_id > 0),
  kind TEXT NOT NULL DEFAULT 'measured' -- 'measured' by portmeter, or 'published': imported, with
    CHECK (kind = 'measured' OR kind = 'published'), -- its tests in imported_test
  source TEXT NOT NULL DEFAULT '' -- 'published': the publication, one line; 'measured' and merged:
    CHECK (length(source) <= 65535), -- the name of its file, or 'shards'; otherwise ''
  suite_version TEXT NOT NULL DEFAULT '' -- version of the suites; '' if they state none
    CHECK (length(suite_version) <= 65535)
) STRICT;

-- Paths of the machine that measured a run. Only this machine can use them to resume the run.
CREATE TABLE run_paths (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0), -- the run
  paths TEXT NOT NULL             -- JSON object: members of the run's options, unchanged:
    CHECK (json_valid(paths) AND length(paths) <= 268435456) -- suites, only, scratch (its folder)
) STRICT;

-- A shard: the functions of a plan that one process measures. A run of one shard has one row. A run
-- that was merged from shards has one row for each shard in the merged files. An undivided run has
-- none.
CREATE TABLE shard (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND count), -- number of the shard, from 1
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 10000), -- number of shards of the plan
  plan TEXT NOT NULL              -- digest of what all shards have in common: suite, seed, options,
    CHECK (length(plan) = 32 AND plan NOT GLOB '*[^0-9a-f]*'), -- versions, functions of each shard
  uuid TEXT NOT NULL              -- uuid of the run that measured it
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  total INTEGER NOT NULL          -- functions of the whole plan
    CHECK (total BETWEEN 0 AND 1000000000000),
  functions INTEGER NOT NULL      -- functions of this shard
    CHECK (functions BETWEEN 0 AND total),
  command TEXT NOT NULL           -- measures a shard if --shard NUMBER/COUNT is added;
    CHECK (length(command) <= 65535), -- without names
  reason TEXT NOT NULL            -- why the run has no results of it, one line without names;
    CHECK (length(reason) <= 65535), -- '': the run has results of it
  latency_reason TEXT NOT NULL    -- the same for its latencies
    CHECK (length(latency_reason) <= 65535),
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- An attempt of a run: from its start, or from where --resume continued it, to its next end.
CREATE TABLE attempt (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  shard INTEGER NOT NULL DEFAULT 0 -- shard that it measured; 0: the run is not divided
    CHECK (shard BETWEEN 0 AND 10000),
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1000000), -- in the order of starting, from 1
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '': it is in progress, or was killed
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  machine TEXT NOT NULL           -- JSON: processor, cores, memory, kernel
    CHECK (json_valid(machine) AND length(machine) <= 268435456),
  load_before REAL CHECK (load_before >= 0), -- load average (1 min) at the start; NULL: unknown
  load_after REAL CHECK (load_after >= 0),      -- load average at the end
  peak_memory INTEGER NOT NULL DEFAULT 0        -- largest resident memory of all processes
    CHECK (peak_memory >= 0),     -- together; bytes; 0: unknown
  peak_scratch INTEGER NOT NULL DEFAULT 0       -- largest scratch folder; bytes; 0: unknown
    CHECK (peak_scratch >= 0),
  PRIMARY KEY (run_id, shard, number)
) STRICT, WITHOUT ROWID;

-- A target of a run: environment, device and variant.
CREATE TABLE target (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535), -- 'pytorch@cuda', as it is typed
  environment TEXT NOT NULL CHECK (length(environment) <= 65535), -- name of the Python environment
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- 'cuda'
  variant TEXT NOT NULL CHECK (length(variant) <= 65535), -- 'inductor', or ''
  reference TEXT NOT NULL         -- text of the target that it is compared with; '': with itself
    CHECK (length(reference) <= 65535),
  role TEXT NOT NULL              -- 'subject': named by the user; 'reference': what it is compared
    CHECK (role = 'subject' OR    -- with; 'oracle': evaluates `expect`; 'noise': its reference
      role = 'reference' OR role = 'oracle' OR role = 'noise'), -- measured again, never judged
  evidence TEXT NOT NULL          -- what its results show
    CHECK (evidence = 'executed' OR evidence = 'lowered' OR evidence = 'shape only'),
  latencies INTEGER NOT NULL CHECK (latencies IN (0, 1)), -- boolean: its calls can be timed
  on_host INTEGER NOT NULL CHECK (on_host IN (0, 1)), -- boolean: its device is the host's processor
  hides_fallbacks INTEGER NOT NULL DEFAULT 0    -- boolean: operations may run on the host instead,
    CHECK (hides_fallbacks IN (0, 1)),          -- and the framework does not count them
  imports TEXT NOT NULL DEFAULT '' -- modules that its drivers import after the framework: 'a,b.c'
    CHECK (length(imports) <= 65535),
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- version of the framework
  versions TEXT NOT NULL          -- JSON object: version of each package; '': driver not ready yet
    CHECK (versions = '' OR (json_valid(versions) AND length(versions) <= 268435456)),
  python TEXT NOT NULL            -- version of Python; '' until its driver is ready
    CHECK (length(python) <= 65535),
  device_name TEXT NOT NULL       -- the framework's name for it; '': not known yet; without names
    CHECK (length(device_name) <= 65535),
  driver_version TEXT NOT NULL CHECK (length(driver_version) <= 65535), -- of the device's driver
  numeric TEXT NOT NULL           -- JSON object: value of each numeric mode (TF32, x64, oneDNN)
    CHECK (numeric = '' OR (json_valid(numeric) AND length(numeric) <= 268435456)),
  UNIQUE (run_id, text, role)
) STRICT;

-- The path of a target's Python interpreter. --resume compares it with the current path.
CREATE TABLE interpreter (
  target_id INTEGER PRIMARY KEY REFERENCES target CHECK (target_id > 0), -- the target
  path TEXT NOT NULL CHECK (length(path) BETWEEN 1 AND 65535) -- as in the environment
) STRICT;

-- One test of one function at one dtype. Runs with the same definition share its row.
CREATE TABLE test_case (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of all other columns but id
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'rows[float32]'
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- 'float32'; '' without a list of dtypes
  definition TEXT NOT NULL        -- JSON object: the keys of the case language
    CHECK (json_valid(definition) AND length(definition) <= 268435456),
  host_only INTEGER NOT NULL      -- boolean: the function does not use the device
    CHECK (host_only IN (0, 1)),
  large INTEGER NOT NULL CHECK (large IN (0, 1)), -- boolean: it has 'size: large'
  kind TEXT NOT NULL              -- how close to daily use (docs/cases.md)
    CHECK (kind = 'core' OR kind = 'dtype' OR kind = 'edge')
) STRICT;

-- A process that ran executions, and how it ended.
CREATE TABLE child (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  pid INTEGER NOT NULL CHECK (pid >= 0),        -- 0 if it could not be started
  ending TEXT NOT NULL            -- how it ended; '' while it is alive
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  code INTEGER NOT NULL           -- exit status or number of the signal
    CHECK (code BETWEEN -2147483648 AND 2147483647),
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- about the ending, one line, without names
  output TEXT NOT NULL CHECK (length(output) <= 268435456), -- its output, shortened; without
                                  -- names
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0), -- size of all its output; bytes
  wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0), -- from the fork to the end
  user_ns INTEGER NOT NULL CHECK (user_ns >= 0), -- processor time in user mode
  system_ns INTEGER NOT NULL CHECK (system_ns >= 0), -- processor time in kernel mode
  max_rss INTEGER NOT NULL CHECK (max_rss >= 0), -- largest resident memory; bytes
  strays INTEGER NOT NULL CHECK (strays >= 0),  -- processes that it left behind (they were killed)
  startup_ns INTEGER NOT NULL     -- time to start the backend and run one operation; -1: not done
    CHECK (startup_ns >= -1),
  started TEXT NOT NULL           -- JSON: what it reported about its device when it had started,
                                  -- without names; or ''
    CHECK (started = '' OR (json_valid(started) AND length(started) <= 268435456)),
  threads INTEGER NOT NULL CHECK (threads >= 0) -- computing threads; 0: unknown
) STRICT;

-- One case on one target in one repetition. These rows also record the progress of a run.
CREATE TABLE execution (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0), -- the case
  repetition INTEGER NOT NULL     -- from 0; each in another process
    CHECK (repetition BETWEEN 0 AND 1000000),
  retry TEXT NOT NULL DEFAULT '' -- why it is a retry: 'alone', because it failed in a shared
                                  -- process; 'exact mode', because it failed in a fast mode; or ''
    CHECK (retry = '' OR retry = 'alone' OR retry = 'exact mode'),
  state TEXT NOT NULL DEFAULT 'todo'            -- 'done': its only result is stored
    CHECK (state IN ('todo', 'done')),
  child_id INTEGER                -- NULL while 'todo', or if no process could be started
    REFERENCES child DEFERRABLE INITIALLY DEFERRED CHECK (child_id > 0),
  answered INTEGER NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)), -- boolean: it has a result
  stage TEXT NOT NULL DEFAULT '' CHECK (length(stage) <= 65535), -- the last stage that began
  ending TEXT NOT NULL DEFAULT '' -- ending of its child, if that sent no result
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  ending_code INTEGER NOT NULL DEFAULT 0        -- code of its child, if that sent no result
    CHECK (ending_code BETWEEN -2147483648 AND 2147483647),
  ending_text TEXT NOT NULL DEFAULT '' CHECK (length(ending_text) <= 65535), -- text of its child
  result TEXT NOT NULL DEFAULT '' -- JSON object: the result without timings and leaves;
    CHECK (result = '' OR (json_valid(result) AND length(result) <= 268435456)), -- without names
  position INTEGER NOT NULL DEFAULT 0 -- how many other executions its process had run before
    CHECK (position BETWEEN 0 AND 1000000000000),
  kills INTEGER NOT NULL DEFAULT 0 -- how often portmeter was killed during it
    CHECK (kills BETWEEN 0 AND 1000000),
  kills_alone INTEGER NOT NULL DEFAULT 0 -- how many of the last kills came while nothing else was
    CHECK (kills_alone BETWEEN 0 AND 1000000),  -- running, and with no commit between them
  UNIQUE (run_id, target_id, case_id, repetition, retry)
) STRICT;
-- These indices find the unfinished executions and the retries of a run without reading the others.
CREATE INDEX execution_todo ON execution (run_id, retry) WHERE state = 'todo';
CREATE INDEX execution_retry ON execution (run_id, retry, state) WHERE retry <> '';

-- The outputs of an execution: one row for each array, number or object in them.
CREATE TABLE leaf (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- the execution
  part TEXT NOT NULL              -- 'output', 'gradient', or 'input' that the call changed
    CHECK (part = 'output' OR part = 'gradient' OR part = 'input'),
  position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 1000000), -- in order, from 0
  path TEXT NOT NULL CHECK (length(path) <= 65535), -- 'out[1].weight'; without names
  kind TEXT NOT NULL              -- 'value': number, string or list; 'type': only its type is
                                  -- compared; 'container': its class is compared, its parts follow
    CHECK (kind = 'array' OR kind = 'value' OR kind = 'container' OR kind = 'type'),
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- dtype of an array: 'float32'
  shape TEXT NOT NULL             -- shape of an array: JSON, '[4,200]'
    CHECK (shape = '' OR (json_valid(shape) AND length(shape) <= 65535)),
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- device of an array, by
                                  -- the framework's name; without names
  on_device INTEGER NOT NULL CHECK (on_device IN (0, 1)), -- boolean: it is on the expected device
  digest TEXT NOT NULL            -- digest of dtype, shape and bytes of an array; '': no bytes
    CHECK (digest = '' OR (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*')),
  value TEXT NOT NULL             -- canonical JSON of a value, or name of a class; without names
    CHECK (length(value) <= 268435456 AND (kind <> 'value' OR json_valid(value))),
  kept INTEGER NOT NULL           -- boolean: its bytes must stay in blob; 0 if they were compared
    CHECK (kept IN (0, 1)),       -- and agree, or if nothing is compared with them
  PRIMARY KEY (execution_id, part, position)
) STRICT, WITHOUT ROWID;

-- The bytes of arrays, stored once for each digest. If the digest of a leaf is not here, its bytes
-- do not exist (meta) or were not kept.
CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY -- as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  length INTEGER NOT NULL         -- bytes of the array
    CHECK (length BETWEEN 0 AND 2147483648),
  bytes BLOB NOT NULL             -- in C order and little-endian; a zstd frame with a checksum
    CHECK (length(bytes) BETWEEN 1 AND 1000000000)
) STRICT;

-- How close an array is to its reference, for pairs that agree but are not equal. This suffices to
-- compare them with another tolerance after their bytes were deleted.
CREATE TABLE closeness (
  digest TEXT NOT NULL            -- digest of the array, as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  reference TEXT NOT NULL         -- digest of its reference
    CHECK (length(reference) = 32 AND reference NOT GLOB '*[^0-9a-f]*'),
  how TEXT NOT NULL               -- how elements are compared: `compare` of a case
    CHECK (how = 'close' OR how = 'exact' OR how = 'shape' OR how = 'set' OR how = 'up to sign'),
  points TEXT NOT NULL            -- JSON: [[atol, smallest rtol that passes], ...], atol ascending
    CHECK (json_valid(points) AND length(points) <= 65535), -- from 0; rtol null: none passes;
                                  -- rtol 0: every rtol passes from this atol on
  PRIMARY KEY (digest, reference, how)
) STRICT, WITHOUT ROWID;

-- Latencies of an execution.
CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- the execution
  clock TEXT NOT NULL             -- 'cold', 'warm', 'dispatch', 'transfer_in', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  times TEXT NOT NULL             -- JSON: [nanoseconds, ...], one for each timing, in order
    CHECK (json_valid(times) AND times NOT GLOB '*[^]0-9,[]*' AND
      length(times) <= 268435456),
  compilations TEXT NOT NULL      -- JSON: [count, ...], one for each time; '': unknown
    CHECK (compilations = '' OR (json_valid(compilations) AND
      compilations NOT GLOB '*[^]0-9,[]*' AND length(compilations) <= 268435456)),
  warmup INTEGER NOT NULL         -- calls before the first timing, which are not timed
    CHECK (warmup BETWEEN 0 AND 1000000000000),
  factor INTEGER NOT NULL         -- calls in a timing; the time is that of one call
    CHECK (factor BETWEEN 1 AND 1000000000000),
  imports INTEGER NOT NULL        -- modules that were imported while the clock ran
    CHECK (imports BETWEEN 0 AND 1000000000000),
  imported TEXT NOT NULL CHECK (length(imported) <= 65535), -- the first of these modules, or ''
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;
CREATE INDEX timing_imports ON timing (execution_id) WHERE imports > 0;

-- What the framework reports about the first call of an execution. The time of the whole call is in
-- timing, by the clock 'cold'. That time also includes the run of the function, and everything that
-- the framework does not report.
CREATE TABLE first_call (
  execution_id INTEGER PRIMARY KEY REFERENCES execution -- the execution
    CHECK (execution_id > 0),
  tracing_ns INTEGER NOT NULL     -- time to make a graph from the Python code; -1: not reported
    CHECK (tracing_ns BETWEEN -1 AND 9007199254740992),
  lowering_ns INTEGER NOT NULL    -- time to convert the graph for the compiler; -1: not reported
    CHECK (lowering_ns BETWEEN -1 AND 9007199254740992),
  compiling_ns INTEGER NOT NULL   -- time to compile; -1: not reported
    CHECK (compiling_ns BETWEEN -1 AND 9007199254740992),
  device_memory INTEGER NOT NULL  -- peak above the use before the call; bytes; -1: not reported
    CHECK (device_memory BETWEEN -1 AND 9007199254740992)
) STRICT;

-- Planted faults that a run had to detect, for each target.
CREATE TABLE planted_fault (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- name of the planted fault
  expected TEXT NOT NULL          -- outcome if the fault is detected
    CHECK (expected = 'pass' OR expected = 'fail' OR expected = 'crash' OR
      expected = 'timeout' OR expected = 'memory' OR expected = 'fallback' OR
      expected = 'blocked' OR expected = 'not applicable' OR expected = 'harness'),
  observed TEXT NOT NULL          -- outcome; 'does not apply': it cannot exist on the target;
                                  -- 'not calibrated': the clocks of the target were not calibrated
    CHECK (observed = 'pass' OR observed = 'fail' OR observed = 'crash' OR
      observed = 'timeout' OR observed = 'memory' OR observed = 'fallback' OR
      observed = 'blocked' OR observed = 'not applicable' OR observed = 'harness' OR
      observed = 'does not apply' OR observed = 'not calibrated'),
  as_expected INTEGER NOT NULL    -- boolean: the expected outcome, or it does not apply
    CHECK (as_expected IN (0, 1)),
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line, without names
  PRIMARY KEY (run_id, target_id, name)
) STRICT, WITHOUT ROWID;

-- The judgement of an execution by the rules. The rows of this table, judged_case, judged_run,
-- verdict, statistic and estimate are replaced whenever a run is judged. They contain nothing
-- measured.
CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution -- the execution
    CHECK (execution_id > 0),
  outcome TEXT NOT NULL           -- the outcome by the rules
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- where it failed; '': it passed
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line; for a pass, how it ran or ''
  smallest_rtol REAL              -- smallest rtol that passes at atol 0; NULL: none
    CHECK (smallest_rtol >= 0),
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)), -- boolean: verdicts use it, and not another
                                  -- execution that differs only in `retry`
  case_counts INTEGER NOT NULL CHECK (case_counts IN (0, 1)), -- boolean: its case is counted in the
                                  -- verdict of its function
  reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 65535), -- id in rules/; '' if it
                                  -- passed, or if no rule matches
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535) -- id of the rule of `reason`, or ''
) STRICT;

-- The judgements of a case on a target, summed up: reports that show cases need not read every
-- execution.
CREATE TABLE judged_case (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0), -- the case
  judged INTEGER NOT NULL         -- number of executions that have a judgement
    CHECK (judged BETWEEN 1 AND 1000000000000),
  repetitions INTEGER NOT NULL    -- number of the last repetition that verdicts use, from 1;
    CHECK (repetitions BETWEEN 0 AND 1000001), -- 0: they use none
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND judged), -- executions that verdicts use and
                                  -- that pass
  failed INTEGER NOT NULL CHECK (failed BETWEEN 0 AND judged), -- the same that fail
  blocked INTEGER NOT NULL        -- the same that are blocked; 'harness', 'not applicable' are in
    CHECK (blocked BETWEEN 0 AND judged - passed - failed), -- none of the three
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)), -- boolean: it is counted in the verdict of its
                                  -- function
  alike INTEGER NOT NULL          -- boolean: all its judgements are equal and count, and none is of
                                  -- a retry, so one represents all
    CHECK (alike = 0 OR (alike = 1 AND judged = max(passed, failed, blocked))),
  expects INTEGER NOT NULL CHECK (expects IN (0, 1)), -- boolean: the case has the key `expect`
  checks INTEGER NOT NULL CHECK (checks IN (0, 1)), -- the same for `check`
  raises INTEGER NOT NULL CHECK (raises IN (0, 1)), -- the same for `raises`
  backward INTEGER NOT NULL CHECK (backward IN (0, 1)), -- the same for `backward`
  outcome TEXT NOT NULL           -- outcome of the first that failed or is blocked, else 'pass'
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- of the same judgement; '': it passed
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- of the same judgement
  reason TEXT NOT NULL CHECK (length(reason) <= 65535), -- of the same judgement
  rule TEXT NOT NULL CHECK (length(rule) <= 65535), -- of the same judgement
  error REAL CHECK (error >= 0),  -- largest smallest_rtol of those that pass; NULL: unknown
  CHECK ((outcome = 'pass') = (failed + blocked = 0)),
  CHECK (outcome <> 'not applicable' AND outcome <> 'harness'),
  PRIMARY KEY (run_id, target_id, case_id)
) STRICT, WITHOUT ROWID;

-- The runs whose rows of judged_case are complete. A run loses its row here when it is measured
-- further or judged again, until it is judged completely. Without this row, its cases are summed up
-- whenever they are read.
CREATE TABLE judged_run (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0), -- the run
  executions INTEGER NOT NULL     -- number of its rows of execution at that time
    CHECK (executions BETWEEN 0 AND 1000000000000),
  cases INTEGER NOT NULL          -- number of its rows of judged_case
    CHECK (cases BETWEEN 0 AND 1000000000000)
) STRICT;

-- The verdict on a function on a target.
CREATE TABLE verdict (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  verdict TEXT NOT NULL           -- by the rules of docs/judging.md
    CHECK (verdict = 'works' OR verdict = 'works with limits' OR verdict = 'partly' OR
      verdict = 'fails' OR verdict = 'absent' OR verdict = 'reference fails' OR
      verdict = 'blocked' OR verdict = 'untested' OR verdict = 'not measured'),
  verdict_paper TEXT NOT NULL     -- verdict by the paper's counting rules
    CHECK (verdict_paper = 'works' OR verdict_paper = 'works with limits' OR
      verdict_paper = 'partly' OR verdict_paper = 'fails' OR verdict_paper = 'absent' OR
      verdict_paper = 'reference fails' OR verdict_paper = 'blocked' OR
      verdict_paper = 'untested' OR verdict_paper = 'not measured'),
  counted INTEGER NOT NULL        -- cases (one for each dtype) that the verdict counts
    CHECK (counted BETWEEN 0 AND 1000000000000),
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND counted), -- of these: always passed
  flaky INTEGER NOT NULL CHECK (flaky BETWEEN 0 AND counted), -- of these: repetitions disagree
  core INTEGER NOT NULL CHECK (core BETWEEN 0 AND counted), -- core cases among `counted`
  core_passed INTEGER NOT NULL CHECK (core_passed BETWEEN 0 AND core), -- core cases among `passed`
  host_only INTEGER NOT NULL CHECK (host_only IN (0, 1)), -- boolean: it does not use the device
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line: the first failure
  reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 65535), -- of most of its failures, or ''
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535), -- id of the rule of `reason`, or ''
  limits TEXT NOT NULL DEFAULT '' CHECK (length(limits) <= 65535), -- of 'works with limits', one
                                  -- line: 'no float16, empty'; or ''
  PRIMARY KEY (run_id, target_id, function)
) STRICT, WITHOUT ROWID;

-- The reason that a user set for the failures of a function. It overrides the rules, and judging
-- never changes it.
CREATE TABLE annotation (
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  target TEXT NOT NULL CHECK (length(target) <= 65535), -- as the user types it; '': all targets
  reason TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 65535), -- id of a reason
  note TEXT NOT NULL CHECK (length(note) <= 65535), -- text of the user, one line;
                                  -- without names
  made TEXT NOT NULL              -- time
    CHECK (made GLOB '????-??-??T??:??:??.???Z' AND made NOT GLOB '*[^0-9TZ:.-]*'),
  PRIMARY KEY (framework, function, target)
) STRICT, WITHOUT ROWID;

-- Latencies and ratios with their intervals, as reports print them.
CREATE TABLE statistic (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  scope TEXT NOT NULL             -- whether it is about a case, a function or a target
    CHECK (scope = 'case' OR scope = 'function' OR scope = 'target'),
  function TEXT NOT NULL CHECK (length(function) <= 65535), -- '' for a target
  name TEXT NOT NULL CHECK (length(name) <= 65535), -- of the case; '' for a function or target
  clock TEXT NOT NULL             -- 'cold', 'warm', 'transfer', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  size TEXT NOT NULL CHECK (size IN ('small', 'large')), -- size of the cases
  what TEXT NOT NULL              -- 'latency' (ns); 'reference latency' (ns), for the cases of the
    CHECK (what = 'latency' OR what = 'reference latency' OR what = 'ratio' OR what = 'noise'),
                                  -- ratio; 'ratio' (to the reference); 'noise': a noise floor
  value REAL CHECK (value >= 0),  -- in the unit of `what`; NULL: all cases are unstable or compile
                                  -- in each warm call
  low REAL CHECK (low >= 0),      -- lower end of the 95 % interval; NULL: too few processes
  high REAL CHECK (high >= 0),    -- upper end
  processes INTEGER NOT NULL      -- number of processes with all its cases; 0: all cases compile in
                                  -- each warm call; for a target: number of its functions; for its
                                  -- noise: number of its cases
    CHECK (processes BETWEEN 0 AND 1000000000000),
  reference_processes INTEGER NOT NULL -- the same on the reference
    CHECK (reference_processes BETWEEN 0 AND 1000000000000),
  unstable INTEGER NOT NULL       -- boolean: process medians differ by more than a factor of three,
                                  -- or the framework compiles in each warm call
    CHECK (unstable IN (0, 1))
) STRICT;
CREATE INDEX statistic_of_run ON statistic (run_id, scope);
CREATE INDEX statistic_unstable ON statistic (run_id) WHERE unstable = 1;

-- The public functions of one version of a framework, or a flat list of bare names.
CREATE TABLE inventory (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of framework, version, flat and document
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- of the framework; '': a flat list
  environment TEXT NOT NULL       -- environment that listed it last; '': a flat list
    CHECK (length(environment) <= 65535),
  flat INTEGER NOT NULL CHECK (flat IN (0, 1)), -- boolean: the document is a JSON array of names
  recorded TEXT NOT NULL          -- time; the last one if the same inventory was found again
    CHECK (recorded GLOB '????-??-??T??:??:??.???Z' AND recorded NOT GLOB '*[^0-9TZ:.-]*'),
  length INTEGER NOT NULL         -- bytes of the document
    CHECK (length BETWEEN 0 AND 268435456),
  document BLOB NOT NULL          -- JSON in a zstd frame with a checksum
    CHECK (length(document) BETWEEN 1 AND 1000000000)
) STRICT;

-- One `portmeter scan`: the use of frameworks in a corpus.
CREATE TABLE scan (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of finishing
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time
    CHECK (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: its paths and all its options; without names
    CHECK (json_valid(options) AND length(options) <= 268435456),
  totals TEXT NOT NULL            -- JSON: counts of inputs, files, bytes
    CHECK (json_valid(totals) AND length(totals) <= 268435456),
  damages TEXT NOT NULL           -- JSON: [{"input", "offset", "unpacked", "what"}]; without names
    CHECK (json_valid(damages) AND length(damages) <= 268435456),
  types INTEGER NOT NULL CHECK (types IN (0, 1)), -- boolean: it inferred the types of values
  places INTEGER NOT NULL CHECK (places IN (0, 1)) -- boolean: `place` contains its uses
) STRICT;

-- A shard of a divided scan. A scan of one shard has one row. A scan that was merged from shards
-- has one row for each of them. An undivided scan has none.
CREATE TABLE scan_shard (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND count), -- number of the shard, from 1
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 10000), -- number of shards of the scan
  plan TEXT NOT NULL              -- digest of what all shards have in common: names, options, paths
    CHECK (length(plan) = 32 AND plan NOT GLOB '*[^0-9a-f]*'),
  inputs TEXT NOT NULL            -- digest of the names and sizes of all inputs under the paths
    CHECK (length(inputs) = 32 AND inputs NOT GLOB '*[^0-9a-f]*'),
  uuid TEXT NOT NULL              -- uuid of the scan of this shard
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  total INTEGER NOT NULL          -- projects of all shards
    CHECK (total BETWEEN 0 AND 1000000000000),
  projects INTEGER NOT NULL       -- projects of this shard
    CHECK (projects BETWEEN 0 AND total),
  command TEXT NOT NULL           -- reads a shard if --shard NUMBER/COUNT is added; without names
    CHECK (length(command) <= 65535),
  PRIMARY KEY (scan_id, number)
) STRICT, WITHOUT ROWID;

-- Which repositories use a name, for each shard of a scan, because several shards may read files of
-- the same repository. The rows of a scan are deleted when all its shards are merged.
CREATE TABLE scan_repository (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 10000), -- the shard
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- as in frequency
    CHECK (rule IN ('paper', 'resolved', 'inferred')),
  digests BLOB NOT NULL           -- for each name: its length (4 bytes), the name, the number of
    CHECK (length(digests) BETWEEN 8 AND 1000000000), -- digests (4 bytes), and the digests of
                                  -- repository and name (8 bytes each); numbers are little-endian
  PRIMARY KEY (scan_id, framework, rule, number)
) STRICT, WITHOUT ROWID;

-- The results of a scan for one framework.
CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  inventory_id INTEGER NOT NULL REFERENCES inventory -- inventory whose names it counted
    CHECK (inventory_id > 0),
  paper_files INTEGER NOT NULL    -- files that the paper's rule looked at
    CHECK (paper_files BETWEEN 0 AND 1000000000000),
  importing_files INTEGER NOT NULL -- files that import it, by the resolved rule
    CHECK (importing_files BETWEEN 0 AND 1000000000000),
  unlisted INTEGER NOT NULL       -- calls of names of the framework that its inventory lacks
    CHECK (unlisted BETWEEN 0 AND 1000000000000),
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;

-- Names that begin at a framework and are not in the inventory of the scan.
CREATE TABLE unlisted (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'torch.lost'; '...' ends a
                                  -- name that was cut
  calls INTEGER NOT NULL CHECK (calls BETWEEN 0 AND 1000000000000), -- calls of the name
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that call it
  PRIMARY KEY (scan_id, framework, name)
) STRICT, WITHOUT ROWID;

-- How often a scan found a name; a name that it did not find has no row.
CREATE TABLE frequency (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- 'paper': by bare names, 'argsort'; others: by canonical names,
    CHECK (rule IN ('paper', 'resolved', 'inferred')), -- 'torch.argsort'. 'resolved': through
                                  -- imports; 'inferred': through imports and the types of values
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- name of the function
  kind TEXT NOT NULL              -- '' by the paper's rule
    CHECK (kind = '' OR kind = 'function' OR kind = 'class' OR kind = 'method'),
  uses INTEGER NOT NULL           -- calls; paper: bare names before '('
    CHECK (uses BETWEEN 0 AND 1000000000000),
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that use it
  repositories INTEGER NOT NULL   -- repositories that use it
    CHECK (repositories BETWEEN 0 AND 1000000000000),
  resolved INTEGER NOT NULL       -- paper: uses that are a function of the framework
    CHECK (resolved BETWEEN 0 AND 1000000000000),
  possible_method INTEGER NOT NULL -- paper: uses that may be a method of one of its classes
    CHECK (possible_method BETWEEN 0 AND 1000000000000),
  other INTEGER NOT NULL          -- paper: all other uses; the three add up to `uses`
    CHECK (other BETWEEN 0 AND 1000000000000),
  referenced INTEGER NOT NULL     -- resolved, inferred: references that are not calls
    CHECK (referenced BETWEEN 0 AND 1000000000000),
  rebound INTEGER NOT NULL        -- resolved: uses through a name that the file also rebinds
    CHECK (rebound BETWEEN 0 AND 1000000000000),
  instance_calls INTEGER NOT NULL -- inferred: calls of instances of the class, which no other
    CHECK (instance_calls BETWEEN 0 AND 1000000000000), -- count includes
  possible INTEGER NOT NULL       -- inferred: calls that may be of it, because types allow several
    CHECK (possible BETWEEN 0 AND 1000000000000), -- names, or because only a method's name matches;
                                  -- no other count includes them
  PRIMARY KEY (scan_id, framework, rule, name)
) STRICT, WITHOUT ROWID;

-- The places of uses are in five tables, so that a use takes about 20 bytes. This table lists the
-- Python texts that contain uses.
CREATE TABLE place_file (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of reading or merging
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  input TEXT NOT NULL CHECK (length(input) BETWEEN 1 AND 65535), -- path, '-', or archive:member;
                                  -- without names
  record INTEGER NOT NULL         -- line of the input (JSON) with the text, from 1; 0: whole input
    CHECK (record BETWEEN 0 AND 1000000000000),
  number INTEGER NOT NULL         -- position of the input in the order of reading; in a scan that
    CHECK (number >= 0)           -- was merged from shards, ids have another order
) STRICT;
CREATE INDEX place_file_order ON place_file (scan_id, number);

-- A class or function, in such a text, that contains uses.
CREATE TABLE place_scope (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- the text
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295), -- as `scope` in place
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'Net.forward'
  PRIMARY KEY (file_id, number)
) STRICT, WITHOUT ROWID;

-- What is used, and how.
CREATE TABLE place_use (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- canonical, 'torch.argsort'
  form TEXT NOT NULL              -- 'instance call': of an instance of the class `name`
    CHECK (form IN ('call', 'reference', 'instance call')),
  how TEXT NOT NULL               -- how it was found; 'one of': types of values allow several
    CHECK (how IN ('import', 'inferred', 'one of', 'by name')),
  UNIQUE (scan_id, framework, name, form, how)
) STRICT;

-- The chains of names from which uses are inferred. The same text may have several rows.
CREATE TABLE place_chain (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- the scan
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535) -- one line, without names
) STRICT;

-- One use. A use that is found twice has one row.
CREATE TABLE place (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- the text
  cell INTEGER NOT NULL CHECK (cell BETWEEN 0 AND 4294967295), -- cell of a notebook, from 1; else 0
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 4294967295), -- line of the text or the cell
  byte INTEGER NOT NULL CHECK (byte BETWEEN 1 AND 4294967295), -- byte of the line, from 1
  use_id INTEGER NOT NULL REFERENCES place_use CHECK (use_id > 0), -- what is used there
  scope INTEGER NOT NULL          -- `number` in place_scope; 0: the top level of the text
    CHECK (scope BETWEEN 0 AND 4294967295),
  chain_id INTEGER REFERENCES place_chain CHECK (chain_id > 0), -- its chain, or NULL
  PRIMARY KEY (file_id, cell, line, byte, use_id)
) STRICT, WITHOUT ROWID;

-- A sample of functions to measure, with every step of the draw.
CREATE TABLE sample (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of drawing
  scan_id INTEGER REFERENCES scan -- scan that ranked the functions; NULL: a file did
    CHECK (scan_id > 0),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- rule by which the functions are ranked
    CHECK (rule IN ('paper', 'resolved', 'inferred')),
  drawn TEXT NOT NULL             -- time
    CHECK (drawn GLOB '????-??-??T??:??:??.???Z' AND drawn NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: all its options
    CHECK (json_valid(options) AND length(options) <= 268435456),
  document TEXT NOT NULL          -- JSON: strata, members, audit trail
    CHECK (json_valid(document) AND length(document) <= 268435456)
) STRICT;

-- An estimate for a whole framework from the verdicts of a run. Shares are from 0 to 1, except for
-- rounding errors.
CREATE TABLE estimate (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  sample_id INTEGER NOT NULL REFERENCES sample CHECK (sample_id > 0), -- the sample
  basis TEXT NOT NULL             -- 'function': each counts once; 'use': as often as it is used
    CHECK (basis IN ('function', 'use')),
  value REAL CHECK (value BETWEEN -1e-9 AND 1.000000001), -- share; NULL: unknown
  low REAL CHECK (low BETWEEN -1e-9 AND 1.000000001), -- lower end of the 95 % interval
  high REAL CHECK (high BETWEEN -1e-9 AND 1.000000001), -- upper end
  members INTEGER NOT NULL CHECK (members BETWEEN 0 AND 1000000000000), -- members of the sample
  marked INTEGER NOT NULL         -- members with a counted verdict
    CHECK (marked BETWEEN 0 AND members),
  unknown REAL                    -- share of the weight in strata without any verdict
    CHECK (unknown BETWEEN -1e-9 AND 1.000000001),
  PRIMARY KEY (run_id, target_id, sample_id, basis)
) STRICT, WITHOUT ROWID;

-- A number that a publication prints: one cell of one of its tables, or of a sentence.
CREATE TABLE published (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run of the import
  tbl TEXT NOT NULL CHECK (length(tbl) BETWEEN 1 AND 65535), -- '1': its table 1; 'text': sentences
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 1000000), -- row of the table, from 1
  subject TEXT NOT NULL CHECK (length(subject) <= 65535), -- what the row is about: 'torch.argsort'
  item TEXT NOT NULL CHECK (length(item) BETWEEN 1 AND 65535), -- heading of the column: 'GPU (ms)'
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- as it is printed: '22%', '5/65'
  value REAL                      -- its first number: 22, 5; NULL: it has none
    CHECK (value BETWEEN -1e300 AND 1e300),
  PRIMARY KEY (run_id, tbl, line, item)
) STRICT, WITHOUT ROWID;

-- A test of an imported report.
CREATE TABLE imported_test (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in the order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- the run of the import
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- the target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'argsort': its test file
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'argsort_test.py::Sort::test_nan'
  outcome TEXT NOT NULL           -- outcome in the report; '': it was timed and is not in a report
    CHECK (outcome IN ('', 'passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed')),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- of a failure: 'setup', 'call' or 'teardown'
  type TEXT NOT NULL CHECK (length(type) <= 65535), -- type of the exception, or ''
  message TEXT NOT NULL CHECK (length(message) <= 268435456), -- message of the exception,
                                  -- without names
  excluded TEXT NOT NULL CHECK (length(excluded) <= 65535), -- why it is not counted; '': it is
  reason TEXT NOT NULL CHECK (length(reason) <= 65535), -- as in judgement
  rule TEXT NOT NULL CHECK (length(rule) <= 65535), -- as in judgement
  UNIQUE (run_id, target_id, name)
) STRICT;

-- The times of an imported test, one row for each timing file.
CREATE TABLE imported_timing (
  test_id INTEGER NOT NULL REFERENCES imported_test CHECK (test_id > 0), -- the test
  repetition INTEGER NOT NULL CHECK (repetition BETWEEN 0 AND 1000000), -- of the file, from 0
  times TEXT NOT NULL             -- JSON: [nanoseconds, ...], one for each timed operation
    CHECK (json_valid(times) AND times NOT GLOB '*[^]0-9,[]*' AND
      length(times) <= 268435456),
  whole_ns INTEGER NOT NULL CHECK (whole_ns >= -1), -- time of the whole test; -1: unknown
  PRIMARY KEY (test_id, repetition)
) STRICT, WITHOUT ROWID;
