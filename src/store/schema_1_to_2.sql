-- From version 1 to version 2: inventories, scans, samples and estimates. Never edited again; what
-- the columns mean stands in schema.sql.

CREATE TABLE inventory (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  framework TEXT NOT NULL,
  version TEXT NOT NULL,
  environment TEXT NOT NULL,
  flat INTEGER NOT NULL,
  recorded TEXT NOT NULL,
  length INTEGER NOT NULL,
  document BLOB NOT NULL
) STRICT;

CREATE TABLE scan (
  id INTEGER PRIMARY KEY,
  started TEXT NOT NULL,
  finished TEXT NOT NULL,
  options TEXT NOT NULL,
  totals TEXT NOT NULL,
  damages TEXT NOT NULL
) STRICT;

CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan,
  framework TEXT NOT NULL,
  inventory_id INTEGER NOT NULL REFERENCES inventory,
  study_files INTEGER NOT NULL,
  importing_files INTEGER NOT NULL,
  unlisted INTEGER NOT NULL,
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;

CREATE TABLE frequency (
  scan_id INTEGER NOT NULL REFERENCES scan,
  framework TEXT NOT NULL,
  rule TEXT NOT NULL
    CHECK (rule IN ('study', 'resolved')),
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  uses INTEGER NOT NULL,
  files INTEGER NOT NULL,
  repositories INTEGER NOT NULL,
  resolved INTEGER NOT NULL,
  possible_method INTEGER NOT NULL,
  other INTEGER NOT NULL,
  referenced INTEGER NOT NULL,
  rebound INTEGER NOT NULL,
  PRIMARY KEY (scan_id, framework, rule, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
  id INTEGER PRIMARY KEY,
  scan_id INTEGER REFERENCES scan,
  framework TEXT NOT NULL,
  rule TEXT NOT NULL
    CHECK (rule IN ('study', 'resolved')),
  drawn TEXT NOT NULL,
  options TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;

CREATE TABLE estimate (
  run_id INTEGER NOT NULL REFERENCES run,
  target_id INTEGER NOT NULL REFERENCES target,
  sample_id INTEGER NOT NULL REFERENCES sample,
  basis TEXT NOT NULL
    CHECK (basis IN ('function', 'use')),
  value REAL,
  low REAL,
  high REAL,
  members INTEGER NOT NULL,
  marked INTEGER NOT NULL,
  unknown REAL,
  PRIMARY KEY (run_id, target_id, sample_id, basis)
) STRICT, WITHOUT ROWID;

ALTER TABLE run ADD COLUMN sample_id INTEGER REFERENCES sample;
