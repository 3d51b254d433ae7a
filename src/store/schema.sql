-- The whole schema of a portmeter database, version 2. A new file is made from this text; an older
-- file is brought here by the steps in open.c. SQLite keeps the comments inside the statements, so
-- `.schema` in its shell shows them.
--
-- Text is UTF-8 and never NULL: '' means "nothing to say". Booleans are 0 or 1. Times are
-- nanoseconds unless a column says otherwise. NULL in a REAL column stands for "not a number".

PRAGMA application_id = 0x504D5452; -- 'PMTR'

-- One `portmeter run`.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,         -- in order of starting
  uuid TEXT NOT NULL UNIQUE,      -- stands in the environment of every process of the run
  started TEXT NOT NULL,          -- ISO 8601, UTC
  finished TEXT NOT NULL,         -- ISO 8601, UTC; '' while under way
  state TEXT NOT NULL             -- 'running': under way, or killed without a word;
    CHECK (state IN ('running', 'stopped', 'done')), -- 'stopped': ended early by the user
  options TEXT NOT NULL,          -- JSON: what the run was asked for, all of it
  machine TEXT NOT NULL,          -- JSON: processor, cores, memory, kernel, load before and after
  suite_digest TEXT NOT NULL,     -- of the text of every case file: --resume compares it
  seed INTEGER NOT NULL,          -- of inputs, order and resampling
  validity TEXT NOT NULL          -- what the canaries came to, '' while not known
    CHECK (validity IN ('', 'valid', 'invalid')),
  validity_reason TEXT NOT NULL,  -- one line where invalid
  sample_id INTEGER REFERENCES sample -- whose functions it measured; NULL: none was asked for
) STRICT;

-- Where a run measured: environment, device and mode.
CREATE TABLE target (
  id INTEGER PRIMARY KEY,         -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  text TEXT NOT NULL,             -- 'pytorch@cuda', as it is written on the command line
  environment TEXT NOT NULL,      -- name of the Python environment
  framework TEXT NOT NULL,        -- 'pytorch'
  device TEXT NOT NULL,           -- 'cuda'
  mode TEXT NOT NULL,             -- 'inductor'; '' for none
  control TEXT NOT NULL,          -- text of the target it is compared with; '' where it is its own
  role TEXT NOT NULL              -- 'subject': asked for; 'control': the reference;
    CHECK (role IN ('subject', 'control', 'oracle')), -- 'oracle': evaluates `expect`
  evidence TEXT NOT NULL,         -- 'executed', 'lowered', 'shape only'
  latencies INTEGER NOT NULL,     -- boolean: its calls can be timed
  on_host INTEGER NOT NULL,       -- boolean: made of the host's cores
  version TEXT NOT NULL,          -- of the framework; '' until its driver has imported it
  versions TEXT NOT NULL,         -- JSON object: version by package
  python TEXT NOT NULL,           -- version of the interpreter
  device_name TEXT NOT NULL,      -- as the framework gives it; '' until a child has started
  driver_version TEXT NOT NULL,   -- of the device's driver
  numeric TEXT NOT NULL,          -- JSON object: value by numeric mode (TF32, x64, oneDNN)
  UNIQUE (run_id, text)
) STRICT;

-- One test of one function at one dtype. The same definition is one row, whatever the runs.
CREATE TABLE test_case (
  id INTEGER PRIMARY KEY,         -- in order of adding
  digest TEXT NOT NULL UNIQUE,    -- of all other columns but id
  framework TEXT NOT NULL,        -- 'pytorch'
  function TEXT NOT NULL,         -- 'torch.argsort'
  name TEXT NOT NULL,             -- 'rows[float32]'
  dtype TEXT NOT NULL,            -- 'float32'; '' where the case has no list of dtypes
  definition TEXT NOT NULL,       -- JSON: the keys of the case language
  host_only INTEGER NOT NULL,     -- boolean: the function has nothing to do with the device
  large INTEGER NOT NULL          -- boolean: size: large
) STRICT;

-- A process that ran executions, and how it ended.
CREATE TABLE child (
  id INTEGER PRIMARY KEY,         -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  pid INTEGER NOT NULL,           -- 0 where it could not be started
  ending TEXT NOT NULL,           -- 'exit', 'signal', 'deadline', 'processes', 'protocol', ...
  code INTEGER NOT NULL,          -- exit status or number of the signal
  text TEXT NOT NULL,             -- one line about the ending
  output TEXT NOT NULL,           -- what it printed, bounded
  output_bytes INTEGER NOT NULL,  -- how much it printed, kept or not; bytes
  wall_ns INTEGER NOT NULL,       -- from the fork to the end
  user_ns INTEGER NOT NULL,       -- processor time in the process
  system_ns INTEGER NOT NULL,     -- processor time in the kernel
  max_rss INTEGER NOT NULL,       -- largest resident size; bytes
  strays INTEGER NOT NULL,        -- processes that it left behind (they were killed)
  startup_ns INTEGER NOT NULL,    -- starting the backend and one trivial operation; -1: never done
  started TEXT NOT NULL,          -- JSON: what it said of its device when it had started
  threads INTEGER NOT NULL        -- computing threads; 0: not known
) STRICT;

-- One case on one target in one repetition: the unit that is done once, and the run's ledger.
CREATE TABLE execution (
  id INTEGER PRIMARY KEY,         -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  case_id INTEGER NOT NULL REFERENCES test_case, -- which case
  repetition INTEGER NOT NULL,    -- from 0; each in a process of its own
  state TEXT NOT NULL DEFAULT 'todo'         -- 'done': it has its one committed result
    CHECK (state IN ('todo', 'done')),
  child_id INTEGER                -- NULL while todo, or where no process could be started
    REFERENCES child DEFERRABLE INITIALLY DEFERRED,
  answered INTEGER NOT NULL DEFAULT 0,       -- boolean: a result came
  stage TEXT NOT NULL DEFAULT '',            -- the last one that began
  ending TEXT NOT NULL DEFAULT '',           -- of its child where no result came
  ending_code INTEGER NOT NULL DEFAULT 0,    -- of its child where no result came
  ending_text TEXT NOT NULL DEFAULT '',      -- of its child where no result came
  result TEXT NOT NULL DEFAULT '',           -- JSON: what came, less timings and leaves
  shared_note TEXT NOT NULL DEFAULT ''       -- it went wrong in a shared child first, and then
    CHECK (shared_note IN ('', 'own', 'inherited')), -- alone too ('own') or not ('inherited')
  shared_detail TEXT NOT NULL DEFAULT '',    -- JSON: what went wrong there
  UNIQUE (run_id, target_id, case_id, repetition)
) STRICT;

-- What came out of an execution: one row an array, number or object found in its output.
CREATE TABLE leaf (
  execution_id INTEGER NOT NULL REFERENCES execution, -- of which execution
  part TEXT NOT NULL              -- 'output' or 'gradient'
    CHECK (part IN ('output', 'gradient')),
  position INTEGER NOT NULL,      -- in order of finding, from 0
  path TEXT NOT NULL,             -- 'out[1].weight'
  kind TEXT NOT NULL              -- 'value': number, string, list; 'type': only its type counts
    CHECK (kind IN ('array', 'value', 'type')),
  dtype TEXT NOT NULL,            -- of an array: 'float32'
  shape TEXT NOT NULL,            -- of an array: JSON, '[4,200]'
  device TEXT NOT NULL,           -- of an array, as the framework names it
  on_device INTEGER NOT NULL,     -- boolean: it lives where it should
  digest TEXT NOT NULL,           -- of an array: XXH3 128 over dtype, shape and bytes; '' without bytes
  value TEXT NOT NULL,            -- of a value: canonical JSON; of a type: its name
  PRIMARY KEY (execution_id, part, position)
) STRICT, WITHOUT ROWID;

-- The bytes of arrays, each once. A leaf whose digest is not here had its bytes left out.
CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY, -- as in leaf
  length INTEGER NOT NULL,        -- of the array; bytes
  bytes BLOB NOT NULL             -- a zstd frame with checksum; C order, little-endian
) STRICT;

-- Latencies of an execution.
CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution, -- of which execution
  clock TEXT NOT NULL,            -- 'cold', 'warm', 'dispatch', 'transfer_in', 'backward', ...
  samples TEXT NOT NULL,          -- JSON: [nanoseconds, ...] in order of taking
  compilations TEXT NOT NULL,     -- JSON: [count, ...] beside the samples; '' where not known
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;

-- Known faults that a run had to tell, per target.
CREATE TABLE canary (
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  name TEXT NOT NULL,             -- of the known fault
  expected TEXT NOT NULL,         -- outcome that shows it was told
  observed TEXT NOT NULL,         -- outcome; 'left out' where it cannot exist on the target
  told INTEGER NOT NULL,          -- boolean: as expected, or left out for a reason
  detail TEXT NOT NULL,           -- one line
  PRIMARY KEY (run_id, target_id, name)
) STRICT, WITHOUT ROWID;

-- What an execution came to under the rules. This table and the next two are made anew whenever a
-- run is judged; nothing in them was measured.
CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution, -- of which execution
  outcome TEXT NOT NULL,          -- 'pass', 'fail', 'crash', 'timeout', 'memory', 'fallback', ...
  stage TEXT NOT NULL,            -- where it failed; '' for a pass
  detail TEXT NOT NULL,           -- one line; '' for a pass
  smallest_rtol REAL              -- relative tolerance that passes at atol 0; NULL: none does
) STRICT;

-- What a function came to on a target.
CREATE TABLE verdict (
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  function TEXT NOT NULL,         -- 'torch.argsort'
  verdict TEXT NOT NULL,          -- 'success', 'partial failure', 'complete failure', 'absent', ...
  verdict_study TEXT NOT NULL,    -- the same as the study counts
  counted INTEGER NOT NULL,       -- cases (dtypes apart) that entered the verdict
  passed INTEGER NOT NULL,        -- of them, in every repetition
  flaky INTEGER NOT NULL,         -- of them, repetitions that disagree
  host_only INTEGER NOT NULL,     -- boolean: nothing of it is on the device
  detail TEXT NOT NULL,           -- one line: the first failure
  PRIMARY KEY (run_id, target_id, function)
) STRICT, WITHOUT ROWID;

-- Latencies and ratios with their intervals, as reports print them.
CREATE TABLE figure (
  id INTEGER PRIMARY KEY,         -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  scope TEXT NOT NULL             -- what it is a figure of
    CHECK (scope IN ('case', 'function', 'target')),
  function TEXT NOT NULL,         -- '' for a target
  name TEXT NOT NULL,             -- of the case; '' for a function or a target
  clock TEXT NOT NULL,            -- 'cold', 'warm', 'transfer', 'backward', ...
  size TEXT NOT NULL,             -- 'small' or 'large'
  what TEXT NOT NULL,             -- 'latency' (nanoseconds) or 'ratio' (to the control)
  value REAL,                     -- in the unit of `what`
  low REAL,                       -- lower end of the 95 % interval; NULL: too few processes
  high REAL,                      -- upper end
  processes INTEGER NOT NULL,     -- that took samples on the target
  control_processes INTEGER NOT NULL, -- the same on the control
  unstable INTEGER NOT NULL       -- boolean: process medians more than a factor of three apart
) STRICT;
CREATE INDEX figure_of_run ON figure (run_id, scope);

-- The public functions of one version of a framework, or a flat list of bare names.
CREATE TABLE inventory (
  id INTEGER PRIMARY KEY,         -- in order of adding
  digest TEXT NOT NULL UNIQUE,    -- of framework, version, flat and document
  framework TEXT NOT NULL,        -- 'pytorch'
  version TEXT NOT NULL,          -- of the framework; '' of a flat list
  environment TEXT NOT NULL,      -- whose interpreter walked through it last; '' of a flat list
  flat INTEGER NOT NULL,          -- boolean: the document is a JSON array of bare names
  recorded TEXT NOT NULL,         -- ISO 8601, UTC; the last time, where the same was found again
  length INTEGER NOT NULL,        -- of the document; bytes
  document BLOB NOT NULL          -- JSON in a zstd frame with checksum
) STRICT;

-- One `portmeter scan`: use of frameworks in a corpus.
CREATE TABLE scan (
  id INTEGER PRIMARY KEY,         -- in order of finishing
  started TEXT NOT NULL,          -- ISO 8601, UTC
  finished TEXT NOT NULL,         -- ISO 8601, UTC
  options TEXT NOT NULL,          -- JSON: paths and all that it was asked for
  totals TEXT NOT NULL,           -- JSON: counts of inputs, files, bytes
  damages TEXT NOT NULL           -- JSON: [{"input", "offset", "unpacked", "what"}]
) STRICT;

-- What a scan says of one framework.
CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan, -- of which scan
  framework TEXT NOT NULL,        -- 'pytorch'
  inventory_id INTEGER NOT NULL REFERENCES inventory, -- whose names it counted
  study_files INTEGER NOT NULL,   -- files that the study's rule looked at
  importing_files INTEGER NOT NULL, -- files that import it, by the resolved rule
  unlisted INTEGER NOT NULL,      -- calls of what begins at the framework and is in no inventory
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;

-- How often a scan found a name; a name that it did not find has no row.
CREATE TABLE frequency (
  scan_id INTEGER NOT NULL REFERENCES scan, -- of which scan
  framework TEXT NOT NULL,        -- 'pytorch'
  rule TEXT NOT NULL              -- 'study': the name is bare, 'argsort';
    CHECK (rule IN ('study', 'resolved')), -- 'resolved': it is canonical, 'torch.argsort'
  name TEXT NOT NULL,             -- of the function
  kind TEXT NOT NULL,             -- 'function', 'class', 'method'; '' by the study's rule
  uses INTEGER NOT NULL,          -- study: hits; resolved: calls
  files INTEGER NOT NULL,         -- files that use it
  repositories INTEGER NOT NULL,  -- repositories that use it
  resolved INTEGER NOT NULL,      -- study: hits that are a function of the framework
  possible_method INTEGER NOT NULL, -- study: hits that may be a method of one of its classes
  other INTEGER NOT NULL,         -- study: hits that are neither; the three add up to uses
  referenced INTEGER NOT NULL,    -- resolved: mentions that are no calls
  rebound INTEGER NOT NULL,       -- resolved: uses through a name that the file binds otherwise too
  PRIMARY KEY (scan_id, framework, rule, name)
) STRICT, WITHOUT ROWID;

-- Functions drawn to be measured, with every step of the drawing.
CREATE TABLE sample (
  id INTEGER PRIMARY KEY,         -- in order of drawing
  scan_id INTEGER REFERENCES scan, -- that ranked them; NULL: a ranking given as a file
  framework TEXT NOT NULL,        -- 'pytorch'
  rule TEXT NOT NULL              -- by which they are ranked
    CHECK (rule IN ('study', 'resolved')),
  drawn TEXT NOT NULL,            -- ISO 8601, UTC
  options TEXT NOT NULL,          -- JSON: all that it was asked for
  document TEXT NOT NULL          -- JSON: strata, members, audit trail
) STRICT;

-- What the verdicts of a run say of a whole framework. Made anew whenever the run is judged.
CREATE TABLE estimate (
  run_id INTEGER NOT NULL REFERENCES run,       -- of which run
  target_id INTEGER NOT NULL REFERENCES target, -- on which target
  sample_id INTEGER NOT NULL REFERENCES sample, -- from which sample
  basis TEXT NOT NULL             -- 'function': each counts once; 'use': share of calls that survive
    CHECK (basis IN ('function', 'use')),
  value REAL,                     -- share from 0 to 1; NULL: nothing is known
  low REAL,                       -- lower end of the 95 % interval
  high REAL,                      -- upper end
  members INTEGER NOT NULL,       -- of the sample
  marked INTEGER NOT NULL,        -- of them, with a verdict that counts
  unknown REAL,                   -- share of the weight in strata without any verdict
  PRIMARY KEY (run_id, target_id, sample_id, basis)
) STRICT, WITHOUT ROWID;
