-- From version 6 to version 7. The tables of version 6 are named old_<name> meanwhile. Never edited
-- again; what the columns mean is in schema.sql.

INSERT INTO inventory SELECT id, digest, framework, version, environment, flat, recorded, length,
    document FROM old_inventory;
INSERT INTO scan SELECT id, started, finished, options, totals, damages, types, places FROM
    old_scan;
INSERT INTO scanned SELECT scan_id, framework, inventory_id, study_files, importing_files, unlisted
    FROM old_scanned;
INSERT INTO frequency SELECT scan_id, framework, rule, name, kind, uses, files, repositories,
    resolved, possible_method, other, referenced, rebound, instance_calls, possible FROM
    old_frequency;
INSERT INTO unlisted SELECT scan_id, framework, name, calls, files FROM old_unlisted;
INSERT INTO place_file SELECT id, scan_id, input, record FROM old_place_file;
INSERT INTO place_scope SELECT file_id, number, name FROM old_place_scope;
INSERT INTO place_use SELECT id, scan_id, framework, name, form, how FROM old_place_use;
INSERT INTO place_chain SELECT id, scan_id, text FROM old_place_chain;
INSERT INTO place SELECT file_id, cell, line, byte, use_id, scope, chain_id FROM old_place;
INSERT INTO sample SELECT id, scan_id, framework, rule, drawn, options, document FROM old_sample;
INSERT INTO run SELECT id, uuid, started, finished, state, kept, options, suite_digest, seed,
    validity, validity_reason, latency_validity, latency_validity_reason, sample_id, 'measured', '',
    '' FROM old_run;
INSERT INTO sitting SELECT run_id, number, started, finished, machine, load_before, load_after,
    0, 0 FROM old_sitting;
INSERT INTO target SELECT id, run_id, text, environment, framework, device, mode, control, role,
    evidence, latencies, on_host, version, versions, interpreter, python, device_name,
    driver_version, numeric FROM old_target;
INSERT INTO test_case SELECT id, digest, framework, function, name, dtype, definition, host_only,
    large FROM old_test_case;
INSERT INTO child SELECT id, run_id, target_id, pid, ending, code, text, output, output_bytes,
    wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads FROM old_child;
INSERT INTO execution SELECT id, run_id, target_id, case_id, repetition, reason, state, child_id,
    answered, stage, ending, ending_code, ending_text, result, shared, kills, kills_alone FROM
    old_execution;
INSERT INTO leaf SELECT execution_id, part, position, path, kind, dtype, shape, device, on_device,
    digest, value, kept FROM old_leaf;
INSERT INTO blob SELECT digest, length, bytes FROM old_blob;
INSERT INTO closeness SELECT digest, reference, how, points FROM old_closeness;
INSERT INTO timing SELECT execution_id, clock, samples, compilations, warmup, factor, imports,
    imported FROM old_timing;
INSERT INTO canary SELECT run_id, target_id, name, expected, observed, as_expected, detail FROM
    old_canary;
INSERT INTO judgement SELECT execution_id, outcome, stage, detail, smallest_rtol, counts,
    case_counts, '', '' FROM old_judgement;
INSERT INTO verdict SELECT run_id, target_id, function, verdict, verdict_study, counted, passed,
    flaky, host_only, detail, '', '' FROM old_verdict;
INSERT INTO statistic SELECT id, run_id, target_id, scope, function, name, clock, size, what, value,
    low, high, processes, control_processes, unstable FROM old_statistic;
INSERT INTO estimate SELECT run_id, target_id, sample_id, basis, value, low, high, members, marked,
    unknown FROM old_estimate;
