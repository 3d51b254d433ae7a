-- The rows of a small database, for the tables of src/storage/store/schema.sql: two runs of the null framework, one
-- of them unfinished in part, their judgements, a scan with places and a sample. See good.c.
PRAGMA foreign_keys = OFF;
BEGIN;
INSERT INTO run (id, uuid, started, finished, state, kept, options, suite_digest, seed, validity, validity_reason, latency_validity, latency_validity_reason, sample_id, kind, source, suite_version) VALUES
  (1, '8a1ce50ec964b603ec3cebbd076b5bef', '2026-11-22T04:42:09.613Z', '2026-11-22T04:42:14.816Z', 'done', 0, '{"command":"run","functions":[],"isolation":"function","jobs":2,"keep_values":false,"measured":["null.fails","null.partly","null.works"],"memory":0,"mode":"default","noise":0,"only":null,"outcomes_only":true,"repetitions":0,"sample":0,"seed":1,"suites":["~/suite"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[],"warm":"timings=100,enough=30,least=5,warmup=5ms,work=20ms,budget=200ms,long=1s"}', '8494ffce89cab1fb2ca0c34405012b5e', 1, 'valid', '', 'valid', '', NULL, 'measured', '', '');
INSERT INTO run (id, uuid, started, finished, state, kept, options, suite_digest, seed, validity, validity_reason, latency_validity, latency_validity_reason, sample_id, kind, source, suite_version) VALUES
  (2, 'd50583fe310b75a82a3f6561928cc998', '2026-11-22T04:42:25.826Z', '2026-11-22T04:42:32.424Z', 'done', 0, '{"command":"run","functions":[],"isolation":"function","jobs":2,"keep_values":true,"measured":["null.works"],"memory":0,"mode":"default","noise":0,"only":null,"outcomes_only":false,"repetitions":2,"sample":0,"seed":1,"suites":["~/suite/null.works.yaml"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[],"warm":"timings=4,enough=3,least=2,warmup=5ms,work=1us,budget=200ms,long=1s"}', '7d5e5bc1eee52343bd0574f0dc791e4d', 1, 'valid', '', 'valid', '', NULL, 'measured', '', '');
INSERT INTO run_paths (run_id, paths) VALUES
  (1, '{"only":null,"scratch":"/tmp/portmeter-000000","suites":["/home/user/suite"]}');
INSERT INTO run_paths (run_id, paths) VALUES
  (2, '{"only":null,"scratch":"/tmp/portmeter-000000","suites":["/home/user/suite/null.works.yaml"]}');
INSERT INTO attempt (run_id, number, started, finished, machine, load_before, load_after, peak_memory, peak_scratch) VALUES
  (1, 1, '2026-11-22T04:42:09.614Z', '2026-11-22T04:42:14.816Z', '{"architecture":"x86_64","contains":true,"kernel":"6.1.0","logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}', 9.73, 9.38, 0, 0);
INSERT INTO attempt (run_id, number, started, finished, machine, load_before, load_after, peak_memory, peak_scratch) VALUES
  (2, 1, '2026-11-22T04:42:25.827Z', '2026-11-22T04:42:32.424Z', '{"architecture":"x86_64","contains":true,"kernel":"6.1.0","logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}', 9.32, 9.13, 0, 0);
INSERT INTO target (id, run_id, text, environment, framework, device, variant, reference, role, evidence, latencies, on_host, version, versions, python, device_name, driver_version, numeric) VALUES
  (1, 1, 'null@null', 'null', 'null', 'null', '', 'null@host', 'subject', 'executed', 0, 1, '3.11.2', '{"python":"3.11.2"}', '3.11.2', 'null', '', '{}');
INSERT INTO target (id, run_id, text, environment, framework, device, variant, reference, role, evidence, latencies, on_host, version, versions, python, device_name, driver_version, numeric) VALUES
  (2, 1, 'null@host', 'null', 'null', 'host', '', '', 'reference', 'executed', 0, 1, '3.11.2', '{"python":"3.11.2"}', '3.11.2', 'null', '', '{}');
INSERT INTO target (id, run_id, text, environment, framework, device, variant, reference, role, evidence, latencies, on_host, version, versions, python, device_name, driver_version, numeric) VALUES
  (3, 2, 'null@null', 'null', 'null', 'null', '', 'null@host', 'subject', 'executed', 1, 1, '3.11.2', '{"python":"3.11.2"}', '3.11.2', 'null', '', '{}');
INSERT INTO target (id, run_id, text, environment, framework, device, variant, reference, role, evidence, latencies, on_host, version, versions, python, device_name, driver_version, numeric) VALUES
  (4, 2, 'null@host', 'null', 'null', 'host', '', '', 'reference', 'executed', 1, 1, '3.11.2', '{"python":"3.11.2"}', '3.11.2', 'null', '', '{}');
INSERT INTO interpreter (target_id, path) VALUES
  (1, '/usr/bin/python3');
INSERT INTO interpreter (target_id, path) VALUES
  (2, '/usr/bin/python3');
INSERT INTO interpreter (target_id, path) VALUES
  (3, '/usr/bin/python3');
INSERT INTO interpreter (target_id, path) VALUES
  (4, '/usr/bin/python3');
INSERT INTO test_case (id, digest, framework, function, name, dtype, definition, host_only, large, kind) VALUES
  (1, 'e332443666a331621ec687e5bc918fec', 'null', 'null.fails', 'value', '', '{"call":"wrongvalue","compare":"close","function":"null.fails","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}', 0, 0, 'core');
INSERT INTO test_case (id, digest, framework, function, name, dtype, definition, host_only, large, kind) VALUES
  (2, '1c7dcb11e7bc40c96c3617ad3524c0c4', 'null', 'null.partly', 'fine', '', '{"call":"ok","compare":"close","function":"null.partly","inputs":{},"name":"fine","output":"out","repeat":"pure","size":"small"}', 0, 0, 'core');
INSERT INTO test_case (id, digest, framework, function, name, dtype, definition, host_only, large, kind) VALUES
  (3, 'b67ff915dab5b543de31648999342116', 'null', 'null.partly', 'value', '', '{"call":"wrongvalue","compare":"close","function":"null.partly","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}', 0, 0, 'core');
INSERT INTO test_case (id, digest, framework, function, name, dtype, definition, host_only, large, kind) VALUES
  (4, 'd97c510a492bd87e1ce06ea87dc0754b', 'null', 'null.works', 'array', '', '{"call":"nearvalue","compare":"close","function":"null.works","inputs":{"x":"float32[3] normal"},"name":"array","output":"out","repeat":"pure","size":"small"}', 0, 0, 'core');
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (1, 1, 2, 16047, 'exit', 0, '', '', 0, 25967548, 4307000, 4010000, 14000128, 0, 594868, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":594868,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (2, 1, 2, 16046, 'exit', 0, '', '', 0, 46197626, 9027000, 0, 14102528, 0, 530829, '{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":530829,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (3, 1, 2, 16048, 'exit', 0, '', '', 0, 24766402, 0, 8592000, 14000128, 0, 504118, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":504118,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (4, 1, 1, 16049, 'exit', 0, '', '', 0, 37684106, 8791000, 0, 14102528, 0, 539858, '{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":539858,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (5, 1, 2, 16050, 'exit', 0, '', '', 0, 32075767, 9255000, 0, 14000128, 0, 475858, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":475858,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (6, 1, 1, 16051, 'exit', 0, '', '', 0, 52541874, 0, 8768000, 14000128, 0, 513448, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":513448,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (7, 1, 2, 16052, 'exit', 0, '', '', 0, 83762143, 0, 10260000, 14102528, 0, 560908, '{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":560908,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (8, 1, 1, 16053, 'exit', 0, '', '', 0, 31080540, 0, 9426000, 14000128, 0, 558748, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":558748,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (9, 1, 2, 16054, 'exit', 0, '', '', 0, 29288186, 5643000, 3403000, 14000128, 0, 547658, '{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":547658,"threads":1}', 1);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (10, 2, 3, 16945, 'exit', 0, '', '', 0, 38981881, 11605000, 5802000, 14352384, 0, 520698, '{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":520698,"threads":2}', 2);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (11, 2, 4, 16946, 'exit', 0, '', '', 0, 43571216, 5828000, 11656000, 14282752, 0, 573328, '{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":573328,"threads":2}', 2);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (12, 2, 3, 16947, 'exit', 0, '', '', 0, 35641934, 12586000, 4982000, 14282752, 0, 539768, '{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":539768,"threads":2}', 2);
INSERT INTO child (id, run_id, target_id, pid, ending, code, text, output, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays, startup_ns, started, threads) VALUES
  (13, 2, 4, 16949, 'exit', 0, '', '', 0, 28792008, 5362000, 5379000, 14352384, 0, 485899, '{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":485899,"threads":2}', 2);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (1, 1, 1, 1, 0, '', 'done', 6, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":1,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (2, 1, 2, 1, 0, '', 'done', 1, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":2,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (3, 1, 2, 1, 1, '', 'done', 9, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":3,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (4, 1, 1, 2, 0, '', 'done', 8, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":4,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 1, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (5, 1, 2, 2, 0, '', 'done', 5, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":5,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 1, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (6, 1, 2, 2, 1, '', 'done', 7, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":6,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (7, 1, 1, 3, 0, '', 'done', 8, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":7,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (8, 1, 2, 3, 0, '', 'done', 5, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":8,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (9, 1, 2, 3, 1, '', 'done', 7, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":9,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 1, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (10, 1, 1, 4, 0, '', 'done', 4, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":10,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (11, 1, 2, 4, 0, '', 'done', 2, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":11,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (12, 1, 2, 4, 1, '', 'done', 3, 1, 'compare', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":12,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (13, 2, 3, 4, 0, '', 'done', 12, 1, 'run', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":13,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (14, 2, 3, 4, 1, '', 'done', 10, 1, 'run', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":14,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (15, 2, 4, 4, 0, '', 'done', 13, 1, 'run', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":15,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}', 0, 0, 0);
INSERT INTO execution (id, run_id, target_id, case_id, repetition, retry, state, child_id, answered, stage, ending, ending_code, ending_text, result, position, kills, kills_alone) VALUES
  (16, 2, 4, 4, 1, '', 'done', 11, 1, 'run', '', 0, '', '{"absent":false,"check":null,"check_detected":null,"destroyed":null,"device_memory":null,"execution":16,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}', 0, 0, 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (1, 'output', 0, 'out', 'array', 'float32', '[3]', 'null', 1, '9d897bbe244fb6c40195654dcb21a44b', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (2, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '3cda82d3e8d7a0630fde5e175fb71e9d', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (3, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '3cda82d3e8d7a0630fde5e175fb71e9d', '', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (4, 'output', 0, 'out', 'value', '', '', '', 0, '', '{"tuple":[]}', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (5, 'output', 0, 'out', 'value', '', '', '', 0, '', '{"tuple":[]}', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (6, 'output', 0, 'out', 'value', '', '', '', 0, '', '{"tuple":[]}', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (7, 'output', 0, 'out', 'array', 'float32', '[3]', 'null', 1, 'd9803e609b2370e3479877630b0365b3', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (8, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, 'f26d2957623c77e2e80b9a34e5a7b4f9', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (9, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, 'f26d2957623c77e2e80b9a34e5a7b4f9', '', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (10, 'output', 0, 'out', 'array', 'float32', '[3]', 'null', 1, '2beec51ab8127ab209d1d50e557fcd28', '', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (11, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '022e40baa403602f426eefcb2cf77763', '', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (12, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '022e40baa403602f426eefcb2cf77763', '', 0);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (13, 'output', 0, 'out', 'array', 'float32', '[3]', 'null', 1, '2beec51ab8127ab209d1d50e557fcd28', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (14, 'output', 0, 'out', 'array', 'float32', '[3]', 'null', 1, '2beec51ab8127ab209d1d50e557fcd28', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (15, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '022e40baa403602f426eefcb2cf77763', '', 1);
INSERT INTO leaf (execution_id, part, position, path, kind, dtype, shape, device, on_device, digest, value, kept) VALUES
  (16, 'output', 0, 'out', 'array', 'float32', '[3]', 'host', 1, '022e40baa403602f426eefcb2cf77763', '', 1);
INSERT INTO blob (digest, length, bytes) VALUES
  ('3cda82d3e8d7a0630fde5e175fb71e9d', 12, X'28B52FFD240C610000C02C1EBF15BE13C0E3C531BF168A4180');
INSERT INTO blob (digest, length, bytes) VALUES
  ('f26d2957623c77e2e80b9a34e5a7b4f9', 12, X'28B52FFD240C610000CC4076BBDBD083BF0A17B1BE094F15F9');
INSERT INTO blob (digest, length, bytes) VALUES
  ('9d897bbe244fb6c40195654dcb21a44b', 12, X'28B52FFD240C6100003FD3E140EA41EC3F1C3ACE406A9E02C9');
INSERT INTO blob (digest, length, bytes) VALUES
  ('d9803e609b2370e3479877630b0365b3', 12, X'28B52FFD240C61000033BF8944242F7C40F5E84E41288EC418');
INSERT INTO blob (digest, length, bytes) VALUES
  ('2beec51ab8127ab209d1d50e557fcd28', 12, X'28B52FFD240C610000EAD52F3FDA222EBFF600B1BF59533695');
INSERT INTO blob (digest, length, bytes) VALUES
  ('022e40baa403602f426eefcb2cf77763', 12, X'28B52FFD240C610000EBD52F3FDA222EBFF600B1BF8779ABEC');
INSERT INTO closeness (digest, reference, how, points) VALUES
  ('2beec51ab8127ab209d1d50e557fcd28', '022e40baa403602f426eefcb2cf77763', 'close', '[[0.0,8.6778715923191464e-8],[1e-8,7.2219663310731233e-8],[9.9999999999999995e-8,0.0]]');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (13, 'cold', '[99219]', '', 0, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (13, 'warm', '[12959,12020,7770]', '', 1023, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (14, 'cold', '[98640]', '', 0, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (14, 'warm', '[17250,11590,8570]', '', 1023, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (15, 'cold', '[31350]', '', 0, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (15, 'warm', '[7380,4840,3460]', '', 127, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (16, 'cold', '[38290]', '', 0, 1, 0, '');
INSERT INTO timing (execution_id, clock, times, compilations, warmup, factor, imports, imported) VALUES
  (16, 'warm', '[9700,47249,8090]', '', 2047, 1, 0, '');
INSERT INTO first_call (execution_id, tracing_ns, lowering_ns, compiling_ns, device_memory) VALUES
  (13, 40000, 10000, 30000, -1);
INSERT INTO first_call (execution_id, tracing_ns, lowering_ns, compiling_ns, device_memory) VALUES
  (14, 50000, -1, -1, 4096);
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'NaN', 'fail', 'fail', 1, 'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'crash', 'crash', 'crash', 1, 'ended by SIGSEGV');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'hang', 'timeout', 'timeout', 1, 'took too long: took longer than 2 s');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'memory', 'memory', 'memory', 1, 'MemoryError');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'work 1', 'pass', 'does not apply', 1, 'no latencies are measured');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'work 2', 'pass', 'does not apply', 1, 'no latencies are measured');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'wrong device', 'fallback', 'fallback', 1, 'out is on host');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 1, 'wrong dtype', 'fail', 'fail', 1, 'out: dtype uint8 for float32');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'NaN', 'fail', 'fail', 1, 'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'crash', 'crash', 'crash', 1, 'ended by SIGSEGV');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'hang', 'timeout', 'timeout', 1, 'took too long: took longer than 2 s');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'memory', 'memory', 'memory', 1, 'MemoryError');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'work 1', 'pass', 'does not apply', 1, 'no latencies are measured');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'work 2', 'pass', 'does not apply', 1, 'no latencies are measured');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'wrong device', 'fallback', 'does not apply', 1, 'it has the same device as its reference');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (1, 2, 'wrong dtype', 'fail', 'fail', 1, 'out: dtype uint8 for float32');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'NaN', 'fail', 'fail', 1, 'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'crash', 'crash', 'crash', 1, 'ended by SIGSEGV');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'hang', 'timeout', 'timeout', 1, 'took too long: took longer than 2 s');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'memory', 'memory', 'memory', 1, 'MemoryError');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'work 1', 'pass', 'pass', 1, '');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'work 2', 'pass', 'pass', 1, 'n units take 20.210 ms, 2n units take 40.217 ms');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'wrong device', 'fallback', 'fallback', 1, 'out is on host');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 3, 'wrong dtype', 'fail', 'fail', 1, 'out: dtype uint8 for float32');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'NaN', 'fail', 'fail', 1, 'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'crash', 'crash', 'crash', 1, 'ended by SIGSEGV');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'hang', 'timeout', 'timeout', 1, 'took too long: took longer than 2 s');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'memory', 'memory', 'memory', 1, 'MemoryError');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'work 1', 'pass', 'pass', 1, '');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'work 2', 'pass', 'pass', 1, 'n units take 20.233 ms, 2n units take 40.221 ms');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'wrong device', 'fallback', 'does not apply', 1, 'it has the same device as its reference');
INSERT INTO planted_fault (run_id, target_id, name, expected, observed, as_expected, detail) VALUES
  (2, 4, 'wrong dtype', 'fail', 'fail', 1, 'out: dtype uint8 for float32');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (1, 'fail', 'compare', 'out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)', 1.24215499996913028015e+01, 1, 1, 'wrong result', 'compared');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (2, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (3, 'pass', '', '', 0.0, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (4, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (5, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (6, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (7, 'fail', 'compare', 'out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)', 2.93272549670587817666e+05, 1, 1, 'wrong result', 'compared');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (8, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (9, 'pass', '', '', 0.0, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (10, 'pass', '', '', 8.67787159231914637883e-08, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (11, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (12, 'pass', '', '', 0.0, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (13, 'pass', '', '', 8.67787159231914637883e-08, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (14, 'pass', '', '', 8.67787159231914637883e-08, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (15, 'pass', '', '', NULL, 1, 1, '', '');
INSERT INTO judgement (execution_id, outcome, stage, detail, smallest_rtol, counts, case_counts, reason, rule) VALUES
  (16, 'pass', '', '', 0.0, 1, 1, '', '');
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 'fail', 'compare', 'out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)', 'wrong result', 'compared', NULL);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 1, 2, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', NULL);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 1, 3, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 'fail', 'compare', 'out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)', 'wrong result', 'compared', NULL);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 1, 4, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 8.67787159231914637883e-08);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 2, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 0.0);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 2, 2, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', NULL);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 2, 3, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 0.0);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (1, 2, 4, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 0.0);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (2, 3, 4, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 8.67787159231914637883e-08);
INSERT INTO judged_case (run_id, target_id, case_id, judged, repetitions, passed, failed, blocked, counts, alike, expects, checks, raises, backward, outcome, stage, detail, reason, rule, error) VALUES
  (2, 4, 4, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 'pass', '', '', '', '', 0.0);
INSERT INTO judged_run (run_id, executions, cases) VALUES
  (1, 12, 8);
INSERT INTO judged_run (run_id, executions, cases) VALUES
  (2, 4, 2);
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 1, 'null.fails', 'fails', 'fails', 1, 0, 0, 1, 0, 0, 'out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)', 'wrong result', 'compared', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 1, 'null.partly', 'partly', 'partly', 2, 1, 0, 2, 1, 0, 'out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)', 'wrong result', 'compared', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 1, 'null.works', 'works', 'works', 1, 1, 0, 1, 1, 0, '', '', '', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 2, 'null.fails', 'works', 'works', 1, 1, 0, 1, 1, 0, '', '', '', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 2, 'null.partly', 'works', 'works', 2, 2, 0, 2, 2, 0, '', '', '', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (1, 2, 'null.works', 'works', 'works', 1, 1, 0, 1, 1, 0, '', '', '', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (2, 3, 'null.works', 'works', 'works', 1, 1, 0, 1, 1, 0, '', '', '', '');
INSERT INTO verdict (run_id, target_id, function, verdict, verdict_paper, counted, passed, flaky, core, core_passed, host_only, detail, reason, rule, limits) VALUES
  (2, 4, 'null.works', 'works', 'works', 1, 1, 0, 1, 1, 0, '', '', '', '');
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (1, 2, 3, 'case', 'null.works', 'array', 'warm', 'small', 'latency', 1.18030419807776543162e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (2, 2, 3, 'case', 'null.works', 'array', 'warm', 'small', 'ratio', 1.72260381166580844869e+00, NULL, NULL, 2, 2, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (3, 2, 3, 'function', 'null.works', '', 'warm', 'small', 'latency', 1.18030419807776543162e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (4, 2, 3, 'function', 'null.works', '', 'warm', 'small', 'reference latency', 6.85186106105487306196e+03, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (5, 2, 3, 'function', 'null.works', '', 'warm', 'small', 'ratio', 1.72260381166580844869e+00, NULL, NULL, 2, 2, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (6, 2, 3, 'target', '', '', 'warm', 'small', 'ratio', 1.72260381166580844869e+00, NULL, NULL, 1, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (7, 2, 4, 'case', 'null.works', 'array', 'warm', 'small', 'latency', 6.85186106105487306196e+03, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (8, 2, 4, 'function', 'null.works', '', 'warm', 'small', 'latency', 6.85186106105487306196e+03, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (9, 2, 3, 'case', 'null.works', 'array', 'cold', 'small', 'latency', 9.89290764133579505167e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (10, 2, 3, 'case', 'null.works', 'array', 'cold', 'small', 'ratio', 2.85537070053531527591e+00, NULL, NULL, 2, 2, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (11, 2, 3, 'function', 'null.works', '', 'cold', 'small', 'latency', 9.89290764133579505167e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (12, 2, 3, 'function', 'null.works', '', 'cold', 'small', 'reference latency', 3.46466665063177497356e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (13, 2, 3, 'function', 'null.works', '', 'cold', 'small', 'ratio', 2.85537070053531527591e+00, NULL, NULL, 2, 2, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (14, 2, 3, 'target', '', '', 'cold', 'small', 'ratio', 2.85537070053531527591e+00, NULL, NULL, 1, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (15, 2, 4, 'case', 'null.works', 'array', 'cold', 'small', 'latency', 3.46466665063177497356e+04, NULL, NULL, 2, 0, 0);
INSERT INTO statistic (id, run_id, target_id, scope, function, name, clock, size, what, value, low, high, processes, reference_processes, unstable) VALUES
  (16, 2, 4, 'function', 'null.works', '', 'cold', 'small', 'latency', 3.46466665063177497356e+04, NULL, NULL, 2, 0, 0);
INSERT INTO inventory (id, digest, framework, version, environment, flat, recorded, length, document) VALUES
  (1, 'c0d5c920de9163906b01fdab18ef0efa', 'jax', '', '', 1, '2026-11-22T04:42:40.026Z', 17, X'28B52FFD24118900005B22706C7573222C20226D696E7573225DA304C8DE');
INSERT INTO inventory (id, digest, framework, version, environment, flat, recorded, length, document) VALUES
  (2, 'ed44eb0b88a0c0e7f467feade2029798', 'jax', '7.7', 'jax', 0, '2026-11-22T12:30:19.028Z', 1659, X'28B52FFD647B05CD100066984621406BDB06C041347CE9720B357144D5B2CD16C7186386D1AFDFA5C9D31A2EC318133F003D003B00E780AFADB6D2988557BDDE65812420201940D50D4790102042462E28789BB3E4050F22700ED8561F7F8107C1066FB72F9A02F0FBAC791D9E0326BB521E3A0267CD75911CE481CCF47939968CE341FE562E9DCAD9FDA541E2BC4AA2F043E94D97273C4842A696341C635AF297BAF2BD5C4A6AAA48E682E42C1B3A1001A9B25F5FA193F12E0CD7841042EB09214428E87917BE5B57A83D255588E85C28BB6612CADDF9486BF131CBA594AD0B67B815CAAE44C257BD6955078F8407BE6ED99CD6D3A9FA9C6DE7C0CB7CC0101AAA59D9ED4CF98EF12F262D430722CF8D4148B1AB967D83BEFE738C2B4C3A376F6B2598D7DA54BD67A88199629099244921C3763042A3945D751280031588C3A07348294109896494A48C92681803D81E26C3BB5E1AC9B4A81473CAE126F918ED002618AFDB01EA33294924CC1177C9B45A7C1324825FC5240DA0F7D8E64FAA4B02E0F5561FB1D1D2DD9F38A809599CC9238BE867D0AE51C27EDEAA0A9B3BFBF8C83F8C4DB4D0C920CF2D6869C70AA4C72FB207422A852A46FCA3BC24268CF125F9FDB4D6882F1F9AC163E82468519E428F04B61F3A02A117E7FD168592F2C7AB68C28460BA456BF057EB2AF2DD238E84B6CC11939BB144901E7D47B8E3148104835067EBD7ADF1DD16BB3070359819341A34B51448739380BDD7E0FBEDE95B2BF255017F8BD166');
INSERT INTO scan (id, started, finished, options, totals, damages, types, places) VALUES
  (1, '2026-11-22T04:42:40.052Z', '2026-11-22T04:42:40.053Z', '{"every_file":false,"flat":{"jax":{"file":"flat.json","inventory":1}},"frameworks":["jax"],"paths":["a.py"],"threads":2}', '{"bytes_read":48,"bytes_unpacked":48,"damages":0,"files":1,"ignored":0,"inputs":1,"lexed_bytes":48,"lexed_files":1,"text_bytes":48,"without_content":0}', '[]', 0, 0);
INSERT INTO scan (id, started, finished, options, totals, damages, types, places) VALUES
  (2, '2026-11-22T12:30:19.061Z', '2026-11-22T12:30:19.062Z', '{"every_file":false,"flat":{},"frameworks":["jax"],"paths":["a.py"],"threads":1}', '{"bytes_read":120,"bytes_unpacked":120,"damages":0,"files":1,"ignored":0,"inputs":1,"lexed_bytes":120,"lexed_files":1,"text_bytes":120,"without_content":0}', '[]', 1, 1);
INSERT INTO scanned (scan_id, framework, inventory_id, paper_files, importing_files, unlisted) VALUES
  (1, 'jax', 1, 1, 1, 0);
INSERT INTO scanned (scan_id, framework, inventory_id, paper_files, importing_files, unlisted) VALUES
  (2, 'jax', 2, 1, 1, 1);
INSERT INTO unlisted (scan_id, framework, name, calls, files) VALUES
  (2, 'jax', 'jax.lost', 1, 1);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (1, 'jax', 'resolved', 'minus', '', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (1, 'jax', 'resolved', 'plus', '', 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (1, 'jax', 'paper', 'minus', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (1, 'jax', 'paper', 'plus', '', 2, 1, 0, 2, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'inferred', 'jax.Array', 'class', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'inferred', 'jax.Array.view', 'method', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'inferred', 'jax.jit', 'function', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'resolved', 'jax.Array', 'class', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'resolved', 'jax.jit', 'function', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'paper', 'Array', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO frequency (scan_id, framework, rule, name, kind, uses, files, repositories, resolved, possible_method, other, referenced, rebound, instance_calls, possible) VALUES
  (2, 'jax', 'paper', 'jit', '', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO place_file (id, scan_id, input, record, number) VALUES
  (1, 2, 'a.py', 0, 0);
INSERT INTO place_scope (file_id, number, name) VALUES
  (1, 1, 'Net.go');
INSERT INTO place_use (id, scan_id, framework, name, form, how) VALUES
  (1, 2, 'jax', 'jax.Array', 'call', 'import');
INSERT INTO place_use (id, scan_id, framework, name, form, how) VALUES
  (2, 2, 'jax', 'jax.Array.view', 'call', 'inferred');
INSERT INTO place_use (id, scan_id, framework, name, form, how) VALUES
  (3, 2, 'jax', 'jax.jit', 'call', 'import');
INSERT INTO place (file_id, cell, line, byte, use_id, scope, chain_id) VALUES
  (1, 0, 6, 13, 1, 1, NULL);
INSERT INTO place (file_id, cell, line, byte, use_id, scope, chain_id) VALUES
  (1, 0, 7, 18, 2, 1, NULL);
INSERT INTO place (file_id, cell, line, byte, use_id, scope, chain_id) VALUES
  (1, 0, 10, 1, 3, 0, NULL);
INSERT INTO sample (id, scan_id, framework, rule, drawn, options, document) VALUES
  (1, 1, 'jax', 'resolved', '2026-11-22T04:42:40.145Z', '{"all":false,"by":"resolved","exclude":[],"framework":"jax","inventory":0,"left_out":[],"only_tested":false,"per_decile":5,"pins":[],"scan":1,"seed":1,"strata":"disjoint","suite_digest":"","suites":[],"top":20,"unused":false}', '{"framework":"jax","members":[{"name":"plus","rank":1,"stratum":0,"uses":2},{"name":"minus","rank":2,"stratum":0,"uses":1}],"per_decile":5,"percentiles":[1.0,1.1000000000000001,1.2,1.3,1.3999999999999999,1.5,1.6000000000000001,1.7,1.8,1.8999999999999999,2.0],"ranked":2,"rule":"disjoint","schema":"portmeter-sample","seed":"1","steps":[{"name":"plus","rank":1,"replaces":"","step":"top","stratum":0,"uses":2,"why":""},{"name":"minus","rank":2,"replaces":"","step":"top","stratum":0,"uses":1,"why":""}],"strata":[{"certain":true,"closed":true,"drawn":2,"eligible":2.0,"high":2.0,"low":1.0,"name":"top 20","size":2,"taken":2,"unevenness":0.11111111111111116,"uses":3.0,"wanted":2}],"top":20,"version":1}');
COMMIT;
