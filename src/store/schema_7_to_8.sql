-- From version 7 to version 8: what frameworks tell of first calls. Before, the peak of device memory
-- was a member of the answer. Never edited again; what the columns mean is in schema.sql.

CREATE TABLE first_call (
  execution_id INTEGER PRIMARY KEY REFERENCES execution
    CHECK (execution_id > 0),
  tracing_ns INTEGER NOT NULL
    CHECK (tracing_ns BETWEEN -1 AND 9007199254740992),
  lowering_ns INTEGER NOT NULL
    CHECK (lowering_ns BETWEEN -1 AND 9007199254740992),
  compiling_ns INTEGER NOT NULL
    CHECK (compiling_ns BETWEEN -1 AND 9007199254740992),
  device_memory INTEGER NOT NULL
    CHECK (device_memory BETWEEN -1 AND 9007199254740992)
) STRICT;

INSERT INTO first_call SELECT id, -1, -1, -1, json_extract(result, '$.device_memory') FROM execution
  WHERE CASE WHEN result = '' THEN 0 ELSE json_type(result, '$.device_memory') = 'integer' AND
    json_extract(result, '$.device_memory') BETWEEN 0 AND 9007199254740992 END;
