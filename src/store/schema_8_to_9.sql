-- From version 8 to version 9: the judgements of each case summed up, which the next judging does, and
-- indexes of the few rows that reports look for. Never edited again; what the columns mean is in
-- schema.sql.

CREATE TABLE judged_case (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0),
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0),
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0),
  judged INTEGER NOT NULL
    CHECK (judged BETWEEN 1 AND 1000000000000),
  repetitions INTEGER NOT NULL
    CHECK (repetitions BETWEEN 0 AND 1000001),
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND judged),
  failed INTEGER NOT NULL CHECK (failed BETWEEN 0 AND judged),
  blocked INTEGER NOT NULL
    CHECK (blocked BETWEEN 0 AND judged - passed - failed),
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)),
  alike INTEGER NOT NULL
    CHECK (alike = 0 OR (alike = 1 AND judged = max(passed, failed, blocked))),
  expects INTEGER NOT NULL CHECK (expects IN (0, 1)),
  checks INTEGER NOT NULL CHECK (checks IN (0, 1)),
  raises INTEGER NOT NULL CHECK (raises IN (0, 1)),
  backward INTEGER NOT NULL CHECK (backward IN (0, 1)),
  outcome TEXT NOT NULL
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535),
  detail TEXT NOT NULL CHECK (length(detail) <= 65535),
  why TEXT NOT NULL CHECK (length(why) <= 65535),
  rule TEXT NOT NULL CHECK (length(rule) <= 65535),
  error REAL CHECK (error >= 0),
  CHECK ((outcome = 'pass') = (failed + blocked = 0)),
  CHECK (outcome <> 'not applicable' AND outcome <> 'harness'),
  PRIMARY KEY (run_id, target_id, case_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE judged_run (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0),
  executions INTEGER NOT NULL
    CHECK (executions BETWEEN 0 AND 1000000000000),
  cases INTEGER NOT NULL
    CHECK (cases BETWEEN 0 AND 1000000000000)
) STRICT;

CREATE INDEX execution_todo ON execution (run_id, reason) WHERE state = 'todo';
CREATE INDEX execution_repeated ON execution (run_id, reason, state) WHERE reason <> '';
CREATE INDEX timing_imports ON timing (execution_id) WHERE imports > 0;
CREATE INDEX statistic_unstable ON statistic (run_id) WHERE unstable = 1;
