-- The whole schema of a portmeter database, version 1. A new file is made from this text; later
-- versions bring an older file to theirs by steps (versions.c). Opening a file compares its tables
-- with this text (comments and spaces apart), so once version 1 is released every change but of a
-- comment is a new version.
-- SQLite keeps the comments inside the statements, so `.schema` in its shell shows them.
--
-- Text is UTF-8 and never NULL: '' means "nothing to say". A name or a line has at most 65,535
-- characters, JSON and other long text at most 268,435,456. Booleans are 0 or 1. Counts are at most
-- 10^12, so that sums of them fit. Times of the calendar are ISO 8601 in UTC, as in
-- '2026-11-21T08:15:30.123Z'; durations are nanoseconds. NULL in a REAL column is no number. A
-- digest is 128 bits as 32 hexadecimal digits.
--
-- Names of users and hosts are replaced (base/privacy.h) before a message, an output or a path is
-- stored: the columns whose comments say "without names". Two tables keep paths as they are,
-- because portmeter needs them: run_paths and interpreter. Merging does not copy these, and no
-- report shows them.
--
-- The constraints keep portmeter from storing what makes no sense. They do not protect a reader: a
-- file may be damaged, or made by an enemy. The readers in this folder check every value again.

PRAGMA application_id = 0x504D5452; -- 'PMTR'

-- One `portmeter run`, or one `portmeter import`.
CREATE TABLE run (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of starting
  uuid TEXT NOT NULL UNIQUE       -- 32 hexadecimal digits, in the environment of its processes
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '' while it is measured for the first time
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  state TEXT NOT NULL             -- 'running': under way, or killed without a word;
    CHECK (state = 'running' OR state = 'stopped' OR state = 'done'), -- 'stopped': ended early
  kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)), -- boolean: the user wants to keep it
  options TEXT NOT NULL           -- JSON: what the run was asked for, all of it; without names
    CHECK (json_valid(options) AND length(options) <= 268435456),
  suite_digest TEXT NOT NULL      -- digest of the text of every case file: --resume compares it
    CHECK (length(suite_digest) = 32 AND suite_digest NOT GLOB '*[^0-9a-f]*'),
  seed INTEGER NOT NULL,          -- for inputs and run order; any number
  validity TEXT NOT NULL          -- of its outcomes; '' while not known
    CHECK (validity = '' OR validity = 'valid' OR validity = 'invalid'),
  validity_reason TEXT NOT NULL CHECK (length(validity_reason) <= 65535), -- one line where invalid,
                                  -- without names
  latency_validity TEXT NOT NULL  -- of its latencies; '' while not known
    CHECK (latency_validity = '' OR latency_validity = 'valid' OR latency_validity = 'invalid'),
  latency_validity_reason TEXT NOT NULL         -- the same, without names
    CHECK (length(latency_validity_reason) <= 65535),
  sample_id INTEGER REFERENCES sample -- whose functions it measured; NULL: none was asked for
    CHECK (sample_id > 0),
  kind TEXT NOT NULL DEFAULT 'measured' -- 'measured' here; 'published': imported, its tests are
    CHECK (kind = 'measured' OR kind = 'published'), -- rows of imported_test
  source TEXT NOT NULL DEFAULT '' -- published: of what, one line; measured and brought here by
    CHECK (length(source) <= 65535), -- merge: name of the file it came from; else ''
  suite_version TEXT NOT NULL DEFAULT '' -- version of the suites; '' where they state none
    CHECK (length(suite_version) <= 65535)
) STRICT;

-- Paths of the machine that measured a run, with which only this machine can resume it.
CREATE TABLE run_paths (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0), -- of which run
  paths TEXT NOT NULL             -- JSON object: members of the run's options as they are:
    CHECK (json_valid(paths) AND length(paths) <= 268435456) -- suites, only, scratch (its folder)
) STRICT;

-- A shard: the functions of a plan that one process measures. A run that measured one has one row, a
-- run that was merged from shards has one for each that merging met, an undivided run has none.
CREATE TABLE shard (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND count), -- which part of the plan, from 1
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 10000), -- of how many
  plan TEXT NOT NULL              -- digest of what all parts share: suite, seed, options, versions,
    CHECK (length(plan) = 32 AND plan NOT GLOB '*[^0-9a-f]*'), -- and which function is in which part
  uuid TEXT NOT NULL              -- of the run that measured it
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  total INTEGER NOT NULL          -- functions of the whole plan
    CHECK (total BETWEEN 0 AND 1000000000000),
  functions INTEGER NOT NULL      -- of them, those of this part
    CHECK (functions BETWEEN 0 AND total),
  command TEXT NOT NULL           -- measures any part when --shard NUMBER/COUNT is added;
    CHECK (length(command) <= 65535), -- without names
  reason TEXT NOT NULL            -- why the run has no results of it, one line without names; '':
    CHECK (length(reason) <= 65535), -- it has
  latency_reason TEXT NOT NULL    -- why the run has no latencies of it; the same
    CHECK (length(latency_reason) <= 65535),
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- A part of a run: from its start, or from where --resume took it up, to the next end.
CREATE TABLE attempt (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  shard INTEGER NOT NULL DEFAULT 0 -- which one it measured; 0: the run is not divided
    CHECK (shard BETWEEN 0 AND 10000),
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1000000), -- in order, from 1
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '' while under way, and where it was killed
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  machine TEXT NOT NULL           -- JSON: processor, cores, memory, kernel
    CHECK (json_valid(machine) AND length(machine) <= 268435456),
  load_before REAL CHECK (load_before >= 0),    -- load average of one minute; NULL: not known
  load_after REAL CHECK (load_after >= 0),      -- the same at the end
  peak_memory INTEGER NOT NULL DEFAULT 0        -- of all processes together, resident, at most;
    CHECK (peak_memory >= 0),     -- bytes; 0: not known
  peak_scratch INTEGER NOT NULL DEFAULT 0       -- of the scratch folder, at most; bytes; 0: not known
    CHECK (peak_scratch >= 0),
  PRIMARY KEY (run_id, shard, number)
) STRICT, WITHOUT ROWID;

-- Where a run measured: environment, device and variant.
CREATE TABLE target (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535), -- 'pytorch@cuda', as it is typed
  environment TEXT NOT NULL CHECK (length(environment) <= 65535), -- of Python, by name
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- 'cuda'
  variant TEXT NOT NULL CHECK (length(variant) <= 65535), -- 'inductor'; '' for none
  reference TEXT NOT NULL         -- text of the target it is compared with; '' where it is its own
    CHECK (length(reference) <= 65535),
  role TEXT NOT NULL              -- 'subject': asked for; 'reference': what subjects are compared
    CHECK (role = 'subject' OR    -- with; 'oracle': evaluates `expect`; 'noise': its reference
      role = 'reference' OR role = 'oracle' OR role = 'noise'), -- once more, never judged
  evidence TEXT NOT NULL          -- what an answer of it proves
    CHECK (evidence = 'executed' OR evidence = 'lowered' OR evidence = 'shape only'),
  latencies INTEGER NOT NULL CHECK (latencies IN (0, 1)), -- boolean: its calls can be timed
  on_host INTEGER NOT NULL CHECK (on_host IN (0, 1)), -- boolean: made of the host's cores
  hides_fallbacks INTEGER NOT NULL DEFAULT 0    -- boolean: an operation may run on the host instead,
    CHECK (hides_fallbacks IN (0, 1)),          -- and the framework does not count it
  imports TEXT NOT NULL DEFAULT '' -- modules that its drivers import after the framework: 'a,b.c'
    CHECK (length(imports) <= 65535),
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- of the framework
  versions TEXT NOT NULL          -- JSON object: version by package; '' until its driver is ready
    CHECK (versions = '' OR (json_valid(versions) AND length(versions) <= 268435456)),
  python TEXT NOT NULL            -- its version; '' until its driver is ready
    CHECK (length(python) <= 65535),
  device_name TEXT NOT NULL       -- as the framework names it, without names of hosts; '' until a child has started
    CHECK (length(device_name) <= 65535),
  driver_version TEXT NOT NULL CHECK (length(driver_version) <= 65535), -- of the device's driver
  numeric TEXT NOT NULL           -- JSON object: value by numeric mode (TF32, x64, oneDNN)
    CHECK (numeric = '' OR (json_valid(numeric) AND length(numeric) <= 268435456)),
  UNIQUE (run_id, text, role)
) STRICT;

-- The path of a target's Python interpreter, which --resume compares with that of today.
CREATE TABLE interpreter (
  target_id INTEGER PRIMARY KEY REFERENCES target CHECK (target_id > 0), -- of which target
  path TEXT NOT NULL CHECK (length(path) BETWEEN 1 AND 65535) -- as the environment has it
) STRICT;

-- One test of one function at one dtype. The same definition is one row, whatever the runs.
CREATE TABLE test_case (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of all other columns but id
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'rows[float32]'
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- 'float32'; '' without a list of dtypes
  definition TEXT NOT NULL        -- JSON object: the keys of the case language
    CHECK (json_valid(definition) AND length(definition) <= 268435456),
  host_only INTEGER NOT NULL      -- boolean: the function has nothing to do with the device
    CHECK (host_only IN (0, 1)),
  large INTEGER NOT NULL CHECK (large IN (0, 1)), -- boolean: size: large
  kind TEXT NOT NULL              -- how near to daily use, docs/cases.md
    CHECK (kind = 'core' OR kind = 'dtype' OR kind = 'edge')
) STRICT;

-- A process that ran executions, and how it ended.
CREATE TABLE child (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  pid INTEGER NOT NULL CHECK (pid >= 0),        -- 0 where it could not be started
  ending TEXT NOT NULL            -- '' while it lives
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  code INTEGER NOT NULL           -- exit status or number of the signal
    CHECK (code BETWEEN -2147483648 AND 2147483647),
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- one line, without names
  output TEXT NOT NULL CHECK (length(output) <= 268435456), -- what it printed, bounded; without
                                  -- names
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0), -- all it printed, kept or not; bytes
  wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0), -- from the fork to the end
  user_ns INTEGER NOT NULL CHECK (user_ns >= 0), -- processor time in the process
  system_ns INTEGER NOT NULL CHECK (system_ns >= 0), -- processor time in the kernel
  max_rss INTEGER NOT NULL CHECK (max_rss >= 0), -- largest resident size; bytes
  strays INTEGER NOT NULL CHECK (strays >= 0),  -- processes that it left behind (they were killed)
  startup_ns INTEGER NOT NULL     -- starting the backend and one trivial operation; -1: never done
    CHECK (startup_ns >= -1),
  started TEXT NOT NULL           -- JSON: what it said of its device when it had started,
                                  -- without names; ''
    CHECK (started = '' OR (json_valid(started) AND length(started) <= 268435456)),
  threads INTEGER NOT NULL CHECK (threads >= 0) -- computing threads; 0: not known
) STRICT;

-- One case on one target in one repetition: the unit that is done once, and the run's ledger.
CREATE TABLE execution (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0), -- which case
  repetition INTEGER NOT NULL     -- from 0; each in a process of its own
    CHECK (repetition BETWEEN 0 AND 1000000),
  retry TEXT NOT NULL DEFAULT '' -- '': no retry; else why it is one: 'alone', after it
                                  -- failed in a shared process; 'exact mode', after a fast mode
    CHECK (retry = '' OR retry = 'alone' OR retry = 'exact mode'),
  state TEXT NOT NULL DEFAULT 'todo'            -- 'done': it has its one committed result
    CHECK (state IN ('todo', 'done')),
  child_id INTEGER                -- NULL while todo, or where no process could be started
    REFERENCES child DEFERRABLE INITIALLY DEFERRED CHECK (child_id > 0),
  answered INTEGER NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)), -- boolean: a result came
  stage TEXT NOT NULL DEFAULT '' CHECK (length(stage) <= 65535), -- the last one that began
  ending TEXT NOT NULL DEFAULT '' -- of its child where no result came
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  ending_code INTEGER NOT NULL DEFAULT 0        -- of its child where no result came
    CHECK (ending_code BETWEEN -2147483648 AND 2147483647),
  ending_text TEXT NOT NULL DEFAULT '' CHECK (length(ending_text) <= 65535), -- the same
  result TEXT NOT NULL DEFAULT '' -- JSON object, without names: what came, less timings, leaves and what
    CHECK (result = '' OR (json_valid(result) AND length(result) <= 268435456)), -- is empty; ''
  position INTEGER NOT NULL DEFAULT 0 -- how many other executions its process had run before
    CHECK (position BETWEEN 0 AND 1000000000000),
  kills INTEGER NOT NULL DEFAULT 0 -- times that portmeter was killed while it was under way
    CHECK (kills BETWEEN 0 AND 1000000),
  kills_alone INTEGER NOT NULL DEFAULT 0 -- of them the last ones in a row, nothing else being under
    CHECK (kills_alone BETWEEN 0 AND 1000000),  -- way and nothing having been committed between
  UNIQUE (run_id, target_id, case_id, repetition, retry)
) STRICT;
-- What is left of a run, and what it retried, without reading all that it did.
CREATE INDEX execution_todo ON execution (run_id, retry) WHERE state = 'todo';
CREATE INDEX execution_retry ON execution (run_id, retry, state) WHERE retry <> '';

-- What came out of an execution: one row an array, number or object found in its output.
CREATE TABLE leaf (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- of which execution
  part TEXT NOT NULL              -- 'output', 'gradient', or 'input' after the call changed it
    CHECK (part = 'output' OR part = 'gradient' OR part = 'input'),
  position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 1000000), -- in order of finding, from 0
  path TEXT NOT NULL CHECK (length(path) <= 65535), -- 'out[1].weight'; without names
  kind TEXT NOT NULL              -- 'value': number, string, list; 'type': only its type counts;
                                  -- 'container': its class counts, its parts follow
    CHECK (kind = 'array' OR kind = 'value' OR kind = 'container' OR kind = 'type'),
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- of an array: 'float32'
  shape TEXT NOT NULL             -- of an array: JSON, '[4,200]'
    CHECK (shape = '' OR (json_valid(shape) AND length(shape) <= 65535)),
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- of an array, as the framework
                                  -- names it; without names
  on_device INTEGER NOT NULL CHECK (on_device IN (0, 1)), -- boolean: it lives where it should
  digest TEXT NOT NULL            -- of an array: digest of dtype, shape and bytes; '' without bytes
    CHECK (digest = '' OR (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*')),
  value TEXT NOT NULL             -- of a value: canonical JSON; of a container, a type: its name; without names
    CHECK (length(value) <= 268435456 AND (kind <> 'value' OR json_valid(value))),
  kept INTEGER NOT NULL           -- boolean: its bytes must stay in blob; 0 where they were compared
    CHECK (kept IN (0, 1)),       -- and agree, and where nothing is compared with them
  PRIMARY KEY (execution_id, part, position)
) STRICT, WITHOUT ROWID;

-- The bytes of arrays, each once. A leaf whose digest is not here is without bytes: they do not
-- exist (meta), or were not kept.
CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY -- as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  length INTEGER NOT NULL         -- of the array; bytes
    CHECK (length BETWEEN 0 AND 2147483648),
  bytes BLOB NOT NULL             -- a zstd frame with checksum; C order, little-endian
    CHECK (length(bytes) BETWEEN 1 AND 1000000000)
) STRICT;

-- How close an array is to its reference, for pairs that agree and are not the same: enough to
-- compare them by another tolerance when their bytes are gone.
CREATE TABLE closeness (
  digest TEXT NOT NULL            -- of the array, as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  reference TEXT NOT NULL         -- digest of the array that it was compared with
    CHECK (length(reference) = 32 AND reference NOT GLOB '*[^0-9a-f]*'),
  how TEXT NOT NULL               -- which elements are compared: as in `compare` of a case
    CHECK (how = 'close' OR how = 'exact' OR how = 'shape' OR how = 'set' OR how = 'up to sign'),
  points TEXT NOT NULL            -- JSON: [[atol, smallest rtol that passes], ...], atol from 0 up,
    CHECK (json_valid(points) AND length(points) <= 65535), -- rtol null: none passes; all pass
                                  -- from an atol on whose rtol is 0
  PRIMARY KEY (digest, reference, how)
) STRICT, WITHOUT ROWID;

-- Latencies of an execution.
CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- of which execution
  clock TEXT NOT NULL             -- 'cold', 'warm', 'dispatch', 'transfer_in', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  times TEXT NOT NULL             -- JSON: [nanoseconds, ...], one a timing, in order
    CHECK (json_valid(times) AND times NOT GLOB '*[^]0-9,[]*' AND
      length(times) <= 268435456),
  compilations TEXT NOT NULL      -- JSON: [count, ...] beside the times; '' where not known
    CHECK (compilations = '' OR (json_valid(compilations) AND
      compilations NOT GLOB '*[^]0-9,[]*' AND length(compilations) <= 268435456)),
  warmup INTEGER NOT NULL         -- calls before the first timing, which are in no timing
    CHECK (warmup BETWEEN 0 AND 1000000000000),
  factor INTEGER NOT NULL         -- calls that a timing consists of; its time is that of one
    CHECK (factor BETWEEN 1 AND 1000000000000),
  imports INTEGER NOT NULL        -- modules that were imported while the clock ran
    CHECK (imports BETWEEN 0 AND 1000000000000),
  imported TEXT NOT NULL CHECK (length(imported) <= 65535), -- the first of them, or ''
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;
CREATE INDEX timing_imports ON timing (execution_id) WHERE imports > 0;

-- What the framework tells of the first call of an execution; the call's time is in timing, by the
-- clock 'cold'. What is left of that is running, and what the framework does not tell.
CREATE TABLE first_call (
  execution_id INTEGER PRIMARY KEY REFERENCES execution -- of which execution
    CHECK (execution_id > 0),
  tracing_ns INTEGER NOT NULL     -- making a graph of the Python code; -1: it does not tell
    CHECK (tracing_ns BETWEEN -1 AND 9007199254740992),
  lowering_ns INTEGER NOT NULL    -- turning the graph into what the compiler takes; -1 likewise
    CHECK (lowering_ns BETWEEN -1 AND 9007199254740992),
  compiling_ns INTEGER NOT NULL   -- making code of it; -1 likewise
    CHECK (compiling_ns BETWEEN -1 AND 9007199254740992),
  device_memory INTEGER NOT NULL  -- peak above what was in use before the call; bytes; -1 likewise
    CHECK (device_memory BETWEEN -1 AND 9007199254740992)
) STRICT;

-- Known faults that a run had to detect, per target.
CREATE TABLE planted_fault (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- of the known fault
  expected TEXT NOT NULL          -- outcome that shows it was detected
    CHECK (expected = 'pass' OR expected = 'fail' OR expected = 'crash' OR
      expected = 'timeout' OR expected = 'memory' OR expected = 'fallback' OR
      expected = 'blocked' OR expected = 'not applicable' OR expected = 'harness'),
  observed TEXT NOT NULL          -- outcome; 'does not apply' where it cannot exist on the target
    CHECK (observed = 'pass' OR observed = 'fail' OR observed = 'crash' OR
      observed = 'timeout' OR observed = 'memory' OR observed = 'fallback' OR
      observed = 'blocked' OR observed = 'not applicable' OR observed = 'harness' OR
      observed = 'does not apply' OR observed = 'not calibrated'),
  as_expected INTEGER NOT NULL    -- boolean: the outcome expected, or excluded for a reason
    CHECK (as_expected IN (0, 1)),
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line, without names
  PRIMARY KEY (run_id, target_id, name)
) STRICT, WITHOUT ROWID;

-- What an execution is judged to be under the rules. This table and the next four are made
-- anew whenever a run is judged; nothing in them was measured.
CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution -- of which execution
    CHECK (execution_id > 0),
  outcome TEXT NOT NULL           -- what it is judged to be
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- where it failed; '' for a pass
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line; of a pass at most how it ran
  smallest_rtol REAL              -- relative tolerance that passes at atol 0; NULL: none does
    CHECK (smallest_rtol >= 0),
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)), -- boolean: of executions that differ in `retry`
                                  -- alone, the one that verdicts use
  case_counts INTEGER NOT NULL CHECK (case_counts IN (0, 1)), -- boolean: its case is among those that
                                  -- are counted in the verdict of its function
  reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 65535), -- id in rules/; '' for a
                                  -- pass, and where no rule matches
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535) -- id of the rule that gave it; ''
) STRICT;

-- What a case is judged to be on a target: its judgements summed up, so that what shows cases need
-- not read every execution. Made anew whenever the run is judged.
CREATE TABLE judged_case (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0), -- which case
  judged INTEGER NOT NULL         -- executions that have a judgement
    CHECK (judged BETWEEN 1 AND 1000000000000),
  repetitions INTEGER NOT NULL    -- number of the last repetition that verdicts use, from 1; 0: they
    CHECK (repetitions BETWEEN 0 AND 1000001), -- use none
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND judged), -- executions that verdicts use and
                                  -- that pass
  failed INTEGER NOT NULL CHECK (failed BETWEEN 0 AND judged), -- the same that fail in any way
  blocked INTEGER NOT NULL        -- the same that are blocked; portmeter's faults and what does not
    CHECK (blocked BETWEEN 0 AND judged - passed - failed), -- apply are in none of the three
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)), -- boolean: it is counted in the verdict of its
                                  -- function
  alike INTEGER NOT NULL          -- boolean: all its judgements say the same and count, none is of a
                                  -- retry: one tells all
    CHECK (alike = 0 OR (alike = 1 AND judged = max(passed, failed, blocked))),
  expects INTEGER NOT NULL CHECK (expects IN (0, 1)), -- boolean: the case has that key
  checks INTEGER NOT NULL CHECK (checks IN (0, 1)), -- the same
  raises INTEGER NOT NULL CHECK (raises IN (0, 1)), -- the same
  backward INTEGER NOT NULL CHECK (backward IN (0, 1)), -- the same
  outcome TEXT NOT NULL           -- of the first that is failed or blocked, else 'pass'
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- of the same, as in judgement; '' for a pass
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- likewise
  reason TEXT NOT NULL CHECK (length(reason) <= 65535), -- likewise
  rule TEXT NOT NULL CHECK (length(rule) <= 65535), -- likewise
  error REAL CHECK (error >= 0),  -- largest smallest_rtol of those that pass; NULL: none is known
  CHECK ((outcome = 'pass') = (failed + blocked = 0)),
  CHECK (outcome <> 'not applicable' AND outcome <> 'harness'),
  PRIMARY KEY (run_id, target_id, case_id)
) STRICT, WITHOUT ROWID;

-- Of which runs judged_case says all. A run that is measured further loses its row, and so does one
-- that is judged anew until that is done; its cases are then summed up whenever they are read.
CREATE TABLE judged_run (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0), -- which run
  executions INTEGER NOT NULL     -- rows of execution that it had then
    CHECK (executions BETWEEN 0 AND 1000000000000),
  cases INTEGER NOT NULL          -- rows of judged_case that it has
    CHECK (cases BETWEEN 0 AND 1000000000000)
) STRICT;

-- What a function is judged to be on a target.
CREATE TABLE verdict (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  verdict TEXT NOT NULL           -- by the rules of docs/judging.md
    CHECK (verdict = 'works' OR verdict = 'works with limits' OR verdict = 'partly' OR
      verdict = 'fails' OR verdict = 'absent' OR verdict = 'reference fails' OR
      verdict = 'blocked' OR verdict = 'untested' OR verdict = 'not measured'),
  verdict_paper TEXT NOT NULL     -- the same by the paper's counting rules
    CHECK (verdict_paper = 'works' OR verdict_paper = 'works with limits' OR
      verdict_paper = 'partly' OR verdict_paper = 'fails' OR verdict_paper = 'absent' OR
      verdict_paper = 'reference fails' OR verdict_paper = 'blocked' OR
      verdict_paper = 'untested' OR verdict_paper = 'not measured'),
  counted INTEGER NOT NULL        -- cases (dtypes apart) that entered the verdict
    CHECK (counted BETWEEN 0 AND 1000000000000),
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND counted), -- of them, in every repetition
  flaky INTEGER NOT NULL CHECK (flaky BETWEEN 0 AND counted), -- of them, repetitions that disagree
  core INTEGER NOT NULL CHECK (core BETWEEN 0 AND counted), -- core cases that entered the verdict
  core_passed INTEGER NOT NULL CHECK (core_passed BETWEEN 0 AND core), -- of them, as in `passed`
  host_only INTEGER NOT NULL CHECK (host_only IN (0, 1)), -- boolean: nothing of it is on the device
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line: the first failure
  reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 65535), -- of most of its failures; ''
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535), -- id of the rule that gave it; ''
  limits TEXT NOT NULL DEFAULT '' CHECK (length(limits) <= 65535), -- of 'works with limits', one
                                  -- line: 'no float16, empty'; ''
  PRIMARY KEY (run_id, target_id, function)
) STRICT, WITHOUT ROWID;

-- What a person says is the reason of a failure. It wins over the rules and is never made anew.
CREATE TABLE annotation (
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  target TEXT NOT NULL CHECK (length(target) <= 65535), -- as it is typed; '': all targets
  reason TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 65535), -- id of a reason
  note TEXT NOT NULL CHECK (length(note) <= 65535), -- the person's words, one line;
                                  -- without names
  made TEXT NOT NULL              -- time
    CHECK (made GLOB '????-??-??T??:??:??.???Z' AND made NOT GLOB '*[^0-9TZ:.-]*'),
  PRIMARY KEY (framework, function, target)
) STRICT, WITHOUT ROWID;

-- Latencies and ratios with their intervals, as reports print them.
CREATE TABLE statistic (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  scope TEXT NOT NULL             -- what it is about
    CHECK (scope = 'case' OR scope = 'function' OR scope = 'target'),
  function TEXT NOT NULL CHECK (length(function) <= 65535), -- '' for a target
  name TEXT NOT NULL CHECK (length(name) <= 65535), -- of the case; '' for a function or a target
  clock TEXT NOT NULL             -- 'cold', 'warm', 'transfer', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  size TEXT NOT NULL CHECK (size IN ('small', 'large')), -- of the cases
  what TEXT NOT NULL              -- 'latency' (ns); 'reference latency' (ns), over the cases of the
    CHECK (what = 'latency' OR what = 'reference latency' OR what = 'ratio' OR what = 'noise'),
                                  -- ratio; 'ratio' (to the reference); 'noise': a noise floor
  value REAL CHECK (value >= 0),  -- in the unit of `what`; NULL: all cases are unstable
  low REAL CHECK (low >= 0),      -- lower end of the 95 % interval; NULL: too few processes
  high REAL CHECK (high >= 0),    -- upper end
  processes INTEGER NOT NULL      -- with timings of all its cases; of a target: its functions; of
                                  -- its noise: its cases
    CHECK (processes BETWEEN 0 AND 1000000000000),
  reference_processes INTEGER NOT NULL -- the same on the reference
    CHECK (reference_processes BETWEEN 0 AND 1000000000000),
  unstable INTEGER NOT NULL       -- boolean: process medians more than a factor of three apart
    CHECK (unstable IN (0, 1))
) STRICT;
CREATE INDEX statistic_of_run ON statistic (run_id, scope);
CREATE INDEX statistic_unstable ON statistic (run_id) WHERE unstable = 1;

-- The public functions of one version of a framework, or a flat list of bare names.
CREATE TABLE inventory (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of framework, version, flat and document
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- of the framework; '' of a flat list
  environment TEXT NOT NULL       -- whose interpreter walked through it last; '' of a flat list
    CHECK (length(environment) <= 65535),
  flat INTEGER NOT NULL CHECK (flat IN (0, 1)), -- boolean: the document is a JSON array of names
  recorded TEXT NOT NULL          -- time; the last one, where the same was found again
    CHECK (recorded GLOB '????-??-??T??:??:??.???Z' AND recorded NOT GLOB '*[^0-9TZ:.-]*'),
  length INTEGER NOT NULL         -- of the document; bytes
    CHECK (length BETWEEN 0 AND 268435456),
  document BLOB NOT NULL          -- JSON in a zstd frame with checksum
    CHECK (length(document) BETWEEN 1 AND 1000000000)
) STRICT;

-- One `portmeter scan`: use of frameworks in a corpus.
CREATE TABLE scan (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of finishing
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time
    CHECK (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: paths and all that it was asked for; without names
    CHECK (json_valid(options) AND length(options) <= 268435456),
  totals TEXT NOT NULL            -- JSON: counts of inputs, files, bytes
    CHECK (json_valid(totals) AND length(totals) <= 268435456),
  damages TEXT NOT NULL           -- JSON: [{"input", "offset", "unpacked", "what"}]; without names
    CHECK (json_valid(damages) AND length(damages) <= 268435456),
  types INTEGER NOT NULL CHECK (types IN (0, 1)), -- boolean: it inferred the types of values
  places INTEGER NOT NULL CHECK (places IN (0, 1)) -- boolean: `place` has its uses
) STRICT;

-- A part of a divided scan. A scan of one part has one row; a scan that was merged from parts has one
-- for each of them; an undivided scan has none.
CREATE TABLE scan_shard (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND count), -- which part
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 10000), -- of how many
  plan TEXT NOT NULL              -- digest of what all parts have in common: names, options, paths
    CHECK (length(plan) = 32 AND plan NOT GLOB '*[^0-9a-f]*'),
  inputs TEXT NOT NULL            -- digest of the names and sizes of all that the paths lead to
    CHECK (length(inputs) = 32 AND inputs NOT GLOB '*[^0-9a-f]*'),
  uuid TEXT NOT NULL              -- of the scan of this part
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  total INTEGER NOT NULL          -- projects of all parts
    CHECK (total BETWEEN 0 AND 1000000000000),
  projects INTEGER NOT NULL       -- projects of this part
    CHECK (projects BETWEEN 0 AND total),
  command TEXT NOT NULL           -- reads a part, with --shard NUMBER/COUNT; without names
    CHECK (length(command) <= 65535),
  PRIMARY KEY (scan_id, number)
) STRICT, WITHOUT ROWID;

-- Which repositories use a name, by a part of a scan: several parts may have read files of the same
-- repository. The rows of a scan are gone when all its parts are merged.
CREATE TABLE scan_repository (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 10000), -- of which part
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- as in frequency
    CHECK (rule IN ('paper', 'resolved', 'inferred')),
  digests BLOB NOT NULL           -- for each name: its length (4 bytes), the name, how many digests
    CHECK (length(digests) BETWEEN 8 AND 1000000000), -- (4), and the digests of repository and name (8 each);
                                  -- numbers in little-endian order
  PRIMARY KEY (scan_id, framework, rule, number)
) STRICT, WITHOUT ROWID;

-- What a scan says of one framework.
CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  inventory_id INTEGER NOT NULL REFERENCES inventory -- whose names it counted
    CHECK (inventory_id > 0),
  paper_files INTEGER NOT NULL    -- files that the paper's rule looked at
    CHECK (paper_files BETWEEN 0 AND 1000000000000),
  importing_files INTEGER NOT NULL -- files that import it, by the resolved rule
    CHECK (importing_files BETWEEN 0 AND 1000000000000),
  unlisted INTEGER NOT NULL       -- calls of what begins at the framework and is in no inventory
    CHECK (unlisted BETWEEN 0 AND 1000000000000),
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;

-- Calls of names that begin at a framework and are not in the inventory of the scan.
CREATE TABLE unlisted (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'torch.lost'; '...' at its end
                                  -- where it is longer
  calls INTEGER NOT NULL CHECK (calls BETWEEN 0 AND 1000000000000), -- of it
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that call it
  PRIMARY KEY (scan_id, framework, name)
) STRICT, WITHOUT ROWID;

-- How often a scan found a name; a name that it did not find has no row.
CREATE TABLE frequency (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- 'paper': the name is bare, 'argsort'; else it is canonical,
    CHECK (rule IN ('paper', 'resolved', 'inferred')), -- 'torch.argsort'. 'resolved': by imports;
                                  -- 'inferred': by imports and by the types of values
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- of the function
  kind TEXT NOT NULL              -- '' by the paper's rule
    CHECK (kind = '' OR kind = 'function' OR kind = 'class' OR kind = 'method'),
  uses INTEGER NOT NULL           -- paper: hits; other rules: calls
    CHECK (uses BETWEEN 0 AND 1000000000000),
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that use it
  repositories INTEGER NOT NULL   -- repositories that use it
    CHECK (repositories BETWEEN 0 AND 1000000000000),
  resolved INTEGER NOT NULL       -- paper: hits that are a function of the framework
    CHECK (resolved BETWEEN 0 AND 1000000000000),
  possible_method INTEGER NOT NULL -- paper: hits that may be a method of one of its classes
    CHECK (possible_method BETWEEN 0 AND 1000000000000),
  other INTEGER NOT NULL          -- paper: hits that are neither; the three add up to uses
    CHECK (other BETWEEN 0 AND 1000000000000),
  referenced INTEGER NOT NULL     -- resolved, inferred: mentions that are no calls
    CHECK (referenced BETWEEN 0 AND 1000000000000),
  rebound INTEGER NOT NULL        -- resolved: uses through a name that the file binds otherwise too
    CHECK (rebound BETWEEN 0 AND 1000000000000),
  instance_calls INTEGER NOT NULL -- inferred: calls of instances of the class, which are in no
    CHECK (instance_calls BETWEEN 0 AND 1000000000000), -- other count
  possible INTEGER NOT NULL       -- inferred: calls that may be of it: it is one of several that
    CHECK (possible BETWEEN 0 AND 1000000000000), -- types allow, or only the name of a method tells;
                                  -- in no other count
  PRIMARY KEY (scan_id, framework, rule, name)
) STRICT, WITHOUT ROWID;

-- Where uses are: five tables, so that a use takes some 20 bytes. This one: a Python text with uses.
CREATE TABLE place_file (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of reading, or of merging
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  input TEXT NOT NULL CHECK (length(input) BETWEEN 1 AND 65535), -- path, '-', or archive:member;
                                  -- without names
  record INTEGER NOT NULL         -- line of JSON that has it, from 1; 0: it is all of the input
    CHECK (record BETWEEN 0 AND 1000000000000),
  number INTEGER NOT NULL         -- place of the input in the order of reading: the ids of a scan
    CHECK (number >= 0)           -- that was merged from parts are in another order
) STRICT;
CREATE INDEX place_file_order ON place_file (scan_id, number);

-- A class or function of such a text that has uses in it.
CREATE TABLE place_scope (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- of which text
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295), -- as in place
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'Net.forward'
  PRIMARY KEY (file_id, number)
) STRICT, WITHOUT ROWID;

-- What is used, and how.
CREATE TABLE place_use (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- canonical, 'torch.argsort'
  form TEXT NOT NULL              -- 'instance call': of an instance of the class `name`
    CHECK (form IN ('call', 'reference', 'instance call')),
  how TEXT NOT NULL               -- how it was found; 'one of': the type of a value allows several
    CHECK (how IN ('import', 'inferred', 'one of', 'by name')),
  UNIQUE (scan_id, framework, name, form, how)
) STRICT;

-- What inferred uses follow from. The same text may have several rows.
CREATE TABLE place_chain (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535) -- one line, without names
) STRICT;

-- One use. One that is found twice is one row.
CREATE TABLE place (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- in which text
  cell INTEGER NOT NULL CHECK (cell BETWEEN 0 AND 4294967295), -- of a notebook, from 1; else 0
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 4294967295), -- of the text or the cell
  byte INTEGER NOT NULL CHECK (byte BETWEEN 1 AND 4294967295), -- of the line, from 1
  use_id INTEGER NOT NULL REFERENCES place_use CHECK (use_id > 0), -- what is used there
  scope INTEGER NOT NULL          -- number of place_scope; 0: at the top of the text
    CHECK (scope BETWEEN 0 AND 4294967295),
  chain_id INTEGER REFERENCES place_chain CHECK (chain_id > 0), -- what it follows from, or NULL
  PRIMARY KEY (file_id, cell, line, byte, use_id)
) STRICT, WITHOUT ROWID;

-- Functions drawn to be measured, with every step of the drawing.
CREATE TABLE sample (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of drawing
  scan_id INTEGER REFERENCES scan -- that ranked them; NULL: a ranking given as a file
    CHECK (scan_id > 0),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- by which they are ranked
    CHECK (rule IN ('paper', 'resolved', 'inferred')),
  drawn TEXT NOT NULL             -- time
    CHECK (drawn GLOB '????-??-??T??:??:??.???Z' AND drawn NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: all that it was asked for
    CHECK (json_valid(options) AND length(options) <= 268435456),
  document TEXT NOT NULL          -- JSON: strata, members, audit trail
    CHECK (json_valid(document) AND length(document) <= 268435456)
) STRICT;

-- What the verdicts of a run say of a whole framework. Made anew whenever the run is judged.
-- Shares are from 0 to 1 but for rounding.
CREATE TABLE estimate (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  sample_id INTEGER NOT NULL REFERENCES sample CHECK (sample_id > 0), -- from which sample
  basis TEXT NOT NULL             -- 'function': each counts once; 'use': share of surviving calls
    CHECK (basis IN ('function', 'use')),
  value REAL CHECK (value BETWEEN -1e-9 AND 1.000000001), -- share; NULL: nothing is known
  low REAL CHECK (low BETWEEN -1e-9 AND 1.000000001), -- lower end of the 95 % interval
  high REAL CHECK (high BETWEEN -1e-9 AND 1.000000001), -- upper end
  members INTEGER NOT NULL CHECK (members BETWEEN 0 AND 1000000000000), -- of the sample
  marked INTEGER NOT NULL         -- of them, with a verdict that counts
    CHECK (marked BETWEEN 0 AND members),
  unknown REAL                    -- share of the weight in strata without any verdict
    CHECK (unknown BETWEEN -1e-9 AND 1.000000001),
  PRIMARY KEY (run_id, target_id, sample_id, basis)
) STRICT, WITHOUT ROWID;

-- A number that a publication prints: one cell of one of its tables, or of a sentence.
CREATE TABLE published (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which import
  tbl TEXT NOT NULL CHECK (length(tbl) BETWEEN 1 AND 65535), -- '1': its table 1; 'text': sentences
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 1000000), -- row of the table, from 1
  subject TEXT NOT NULL CHECK (length(subject) <= 65535), -- what the row is about: 'torch.argsort'
  item TEXT NOT NULL CHECK (length(item) BETWEEN 1 AND 65535), -- what the column is: 'GPU (ms)'
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- as it is printed: '22%', '5/65'
  value REAL                      -- its first number: 22, 5; NULL: it has none
    CHECK (value BETWEEN -1e300 AND 1e300),
  PRIMARY KEY (run_id, tbl, line, item)
) STRICT, WITHOUT ROWID;

-- A test of a report that was imported: somebody else's execution.
CREATE TABLE imported_test (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which import
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'argsort': its test file
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'argsort_test.py::Sort::test_nan'
  outcome TEXT NOT NULL           -- as the report says it; '': it was timed, and is in no report
    CHECK (outcome IN ('', 'passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed')),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- of a failure: 'setup', 'call', 'teardown'
  type TEXT NOT NULL CHECK (length(type) <= 65535), -- of a failure: of the exception, or ''
  message TEXT NOT NULL CHECK (length(message) <= 268435456), -- of a failure: the exception's,
                                  -- without names
  excluded TEXT NOT NULL CHECK (length(excluded) <= 65535), -- why it does not count; '': it counts
  reason TEXT NOT NULL CHECK (length(reason) <= 65535), -- as in judgement
  rule TEXT NOT NULL CHECK (length(rule) <= 65535), -- as in judgement
  UNIQUE (run_id, target_id, name)
) STRICT;

-- The times of an imported test, one row a timing file.
CREATE TABLE imported_timing (
  test_id INTEGER NOT NULL REFERENCES imported_test CHECK (test_id > 0), -- of which test
  repetition INTEGER NOT NULL CHECK (repetition BETWEEN 0 AND 1000000), -- of the file, from 0
  times TEXT NOT NULL             -- JSON: [nanoseconds, ...], one an operation that was timed
    CHECK (json_valid(times) AND times NOT GLOB '*[^]0-9,[]*' AND
      length(times) <= 268435456),
  whole_ns INTEGER NOT NULL CHECK (whole_ns >= -1), -- of the test; -1: not known
  PRIMARY KEY (test_id, repetition)
) STRICT, WITHOUT ROWID;
