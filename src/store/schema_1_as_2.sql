-- Lets a file of version 1 that is only read be read as one of version 2: temporary views, in
-- memory, stand before the file's own tables.

CREATE TEMP VIEW run AS SELECT *, NULL AS sample_id FROM main.run;
CREATE TEMP VIEW inventory AS
  SELECT 0 AS id, '' AS digest, '' AS framework, '' AS version, '' AS environment, 0 AS flat,
    '' AS recorded, 0 AS length, x'' AS document WHERE 0;
CREATE TEMP VIEW scan AS
  SELECT 0 AS id, '' AS started, '' AS finished, '' AS options, '' AS totals, '' AS damages WHERE 0;
CREATE TEMP VIEW scanned AS
  SELECT 0 AS scan_id, '' AS framework, 0 AS inventory_id, 0 AS study_files, 0 AS importing_files,
    0 AS unlisted WHERE 0;
CREATE TEMP VIEW frequency AS
  SELECT 0 AS scan_id, '' AS framework, '' AS rule, '' AS name, '' AS kind, 0 AS uses, 0 AS files,
    0 AS repositories, 0 AS resolved, 0 AS possible_method, 0 AS other, 0 AS referenced,
    0 AS rebound WHERE 0;
CREATE TEMP VIEW sample AS
  SELECT 0 AS id, 0 AS scan_id, '' AS framework, '' AS rule, '' AS drawn, '' AS options,
    '' AS document WHERE 0;
CREATE TEMP VIEW estimate AS
  SELECT 0 AS run_id, 0 AS target_id, 0 AS sample_id, '' AS basis, 0.0 AS value, 0.0 AS low,
    0.0 AS high, 0 AS members, 0 AS marked, 0.0 AS unknown WHERE 0;
