-- The schema of version 1, as portmeter 0.1.0 first made it. Never edited again: a file that says it
-- is of this version is compared with it. What the columns mean is in schema.sql.

PRAGMA application_id = 0x504D5452;

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  started TEXT NOT NULL,
  finished TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('running', 'stopped', 'done')),
  options TEXT NOT NULL,
  machine TEXT NOT NULL,
  suite_digest TEXT NOT NULL,
  seed INTEGER NOT NULL,
  validity TEXT NOT NULL
    CHECK (validity IN ('', 'valid', 'invalid')),
  validity_reason TEXT NOT NULL
) STRICT;

CREATE TABLE target (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  text TEXT NOT NULL,
  environment TEXT NOT NULL,
  framework TEXT NOT NULL,
  device TEXT NOT NULL,
  mode TEXT NOT NULL,
  control TEXT NOT NULL,
  role TEXT NOT NULL
    CHECK (role IN ('subject', 'control', 'oracle')),
  evidence TEXT NOT NULL,
  latencies INTEGER NOT NULL,
  on_host INTEGER NOT NULL,
  version TEXT NOT NULL,
  versions TEXT NOT NULL,
  python TEXT NOT NULL,
  device_name TEXT NOT NULL,
  driver_version TEXT NOT NULL,
  numeric TEXT NOT NULL,
  UNIQUE (run_id, text)
) STRICT;

CREATE TABLE test_case (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  framework TEXT NOT NULL,
  function TEXT NOT NULL,
  name TEXT NOT NULL,
  dtype TEXT NOT NULL,
  definition TEXT NOT NULL,
  host_only INTEGER NOT NULL,
  large INTEGER NOT NULL
) STRICT;

CREATE TABLE child (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  pid INTEGER NOT NULL,
  ending TEXT NOT NULL,
  code INTEGER NOT NULL,
  text TEXT NOT NULL,
  output TEXT NOT NULL,
  output_bytes INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  user_ns INTEGER NOT NULL,
  system_ns INTEGER NOT NULL,
  max_rss INTEGER NOT NULL,
  strays INTEGER NOT NULL,
  startup_ns INTEGER NOT NULL,
  started TEXT NOT NULL,
  threads INTEGER NOT NULL
) STRICT;

CREATE TABLE execution (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  case_id INTEGER NOT NULL REFERENCES test_case,
  repetition INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'todo'
    CHECK (state IN ('todo', 'done')),
  child_id INTEGER
    REFERENCES child DEFERRABLE INITIALLY DEFERRED,
  answered INTEGER NOT NULL DEFAULT 0,
  stage TEXT NOT NULL DEFAULT '',
  ending TEXT NOT NULL DEFAULT '',
  ending_code INTEGER NOT NULL DEFAULT 0,
  ending_text TEXT NOT NULL DEFAULT '',
  result TEXT NOT NULL DEFAULT '',
  shared_note TEXT NOT NULL DEFAULT ''
    CHECK (shared_note IN ('', 'own', 'inherited')),
  shared_detail TEXT NOT NULL DEFAULT '',
  UNIQUE (run_id, target_id, case_id, repetition)
) STRICT;

CREATE TABLE leaf (
  execution_id INTEGER NOT NULL REFERENCES execution,
  part TEXT NOT NULL
    CHECK (part IN ('output', 'gradient')),
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL
    CHECK (kind IN ('array', 'value', 'type')),
  dtype TEXT NOT NULL,
  shape TEXT NOT NULL,
  device TEXT NOT NULL,
  on_device INTEGER NOT NULL,
  digest TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (execution_id, part, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY,
  length INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution,
  clock TEXT NOT NULL,
  samples TEXT NOT NULL,
  compilations TEXT NOT NULL,
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;

CREATE TABLE canary (
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  name TEXT NOT NULL,
  expected TEXT NOT NULL,
  observed TEXT NOT NULL,
  told INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (run_id, target_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution,
  outcome TEXT NOT NULL,
  stage TEXT NOT NULL,
  detail TEXT NOT NULL,
  smallest_rtol REAL
) STRICT;

CREATE TABLE verdict (
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  function TEXT NOT NULL,
  verdict TEXT NOT NULL,
  verdict_study TEXT NOT NULL,
  counted INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  flaky INTEGER NOT NULL,
  host_only INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (run_id, target_id, function)
) STRICT, WITHOUT ROWID;

CREATE TABLE figure (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  scope TEXT NOT NULL
    CHECK (scope IN ('case', 'function', 'target')),
  function TEXT NOT NULL,
  name TEXT NOT NULL,
  clock TEXT NOT NULL,
  size TEXT NOT NULL,
  what TEXT NOT NULL,
  value REAL,
  low REAL,
  high REAL,
  processes INTEGER NOT NULL,
  control_processes INTEGER NOT NULL,
  unstable INTEGER NOT NULL
) STRICT;
CREATE INDEX figure_of_run ON figure (run_id, scope);
