-- A database as portmeter made it with schema version 2: two runs of the null framework, a flat list, a scan and a sample.
PRAGMA application_id = 0x504D5452;
PRAGMA user_version = 2;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO run VALUES(1,'5dbed432195efcaabce5639f10922ae2','2026-11-21T22:20:39.556Z','2026-11-21T22:20:43.996Z','done','{"functions":[],"isolation":"function","jobs":2,"measured":["null.fails","null.partly","null.works"],"memory":0,"mode":"default","only":null,"outcomes_only":true,"repetitions":0,"sample":0,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[]}','{"architecture":"x86_64","kernel":"6.1.0","load_after":5.3799999999999999,"load_before":5.5,"logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}','16eed0bcaf7faf63c618a078eaab1521',1,'valid','',NULL);
INSERT INTO run VALUES(2,'e93090402cc538a4dbb5dec90f46d299','2026-11-21T22:20:44.089Z','2026-11-21T22:20:49.381Z','done','{"functions":[],"isolation":"function","jobs":2,"measured":["null.works"],"memory":0,"mode":"default","only":null,"outcomes_only":false,"repetitions":2,"sample":0,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite/null.works.yaml"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[]}','{"architecture":"x86_64","kernel":"6.1.0","load_after":5.1900000000000004,"load_before":5.3799999999999999,"logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}','caa8d381c2498f8b9b077f1bfa120d5b',1,'valid','',NULL);
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
INSERT INTO target VALUES(1,1,'null@null','null','null','null','','null@host','subject','executed',0,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','null','','{}');
INSERT INTO target VALUES(2,1,'null@host','null','null','host','','','control','executed',0,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','null','','{}');
INSERT INTO target VALUES(3,2,'null@null','null','null','null','','null@host','subject','executed',1,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','null','','{}');
INSERT INTO target VALUES(4,2,'null@host','null','null','host','','','control','executed',1,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','null','','{}');
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
INSERT INTO test_case VALUES(1,'c4e968d307b2101f5eb38812378a50c0','null','null.fails','value','','{"call":"wrongvalue","compare":"close","function":"null.fails","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(2,'79b7a9d521582941a30ddf629a2d6679','null','null.partly','fine','','{"call":"ok","compare":"close","function":"null.partly","inputs":{},"name":"fine","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(3,'7c8ed54b9b70d3421409c49644b90fce','null','null.partly','value','','{"call":"wrongvalue","compare":"close","function":"null.partly","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(4,'d6e2025ca12879eee794640e2c8d695e','null','null.works','array','','{"call":"ok","compare":"close","function":"null.works","inputs":{"x":"float32[3] normal"},"name":"array","output":"out","repeat":"pure","size":"small"}',0,0);
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
INSERT INTO child VALUES(1,1,2,18508,'exit',0,'','',0,8003422,0,3039000,12906496,0,161550,'{"device":"null","driver_version":"","numeric":{},"startup_ns":161550,"threads":1}',1);
INSERT INTO child VALUES(2,1,2,18507,'exit',0,'','',0,8841559,3928000,0,12427264,0,145579,'{"device":"null","driver_version":"","numeric":{},"startup_ns":145579,"threads":1}',1);
INSERT INTO child VALUES(3,1,2,18509,'exit',0,'','',0,26385417,3009000,0,12906496,0,3732047,'{"device":"null","driver_version":"","numeric":{},"startup_ns":3732047,"threads":1}',1);
INSERT INTO child VALUES(4,1,1,18510,'exit',0,'','',0,25838778,0,4101000,12427264,0,126320,'{"device":"null","driver_version":"","numeric":{},"startup_ns":126320,"threads":1}',1);
INSERT INTO child VALUES(5,1,2,18511,'exit',0,'','',0,4896362,0,2664000,12840960,0,85649,'{"device":"null","driver_version":"","numeric":{},"startup_ns":85649,"threads":1}',1);
INSERT INTO child VALUES(6,1,2,18513,'exit',0,'','',0,8376381,2628000,0,12840960,0,87030,'{"device":"null","driver_version":"","numeric":{},"startup_ns":87030,"threads":1}',1);
INSERT INTO child VALUES(7,1,1,18512,'exit',0,'','',0,14035670,3081000,0,12427264,0,98670,'{"device":"null","driver_version":"","numeric":{},"startup_ns":98670,"threads":1}',1);
INSERT INTO child VALUES(8,1,1,18514,'exit',0,'','',0,4629544,0,2498000,12840960,0,78430,'{"device":"null","driver_version":"","numeric":{},"startup_ns":78430,"threads":1}',1);
INSERT INTO child VALUES(9,1,2,18515,'exit',0,'','',0,12510816,0,3501000,12427264,0,140970,'{"device":"null","driver_version":"","numeric":{},"startup_ns":140970,"threads":1}',1);
INSERT INTO child VALUES(10,2,3,19219,'exit',0,'','',0,11056591,4317000,0,12693504,0,125189,'{"device":"null","driver_version":"","numeric":{},"startup_ns":125189,"threads":2}',2);
INSERT INTO child VALUES(11,2,4,19220,'exit',0,'','',0,16007453,0,3650000,12693504,0,135100,'{"device":"null","driver_version":"","numeric":{},"startup_ns":135100,"threads":2}',2);
INSERT INTO child VALUES(12,2,3,19225,'exit',0,'','',0,15653914,4148000,0,12759040,0,102390,'{"device":"null","driver_version":"","numeric":{},"startup_ns":102390,"threads":2}',2);
INSERT INTO child VALUES(13,2,4,19228,'exit',0,'','',0,12276356,4026000,0,12677120,0,117440,'{"device":"null","driver_version":"","numeric":{},"startup_ns":117440,"threads":2}',2);
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
INSERT INTO execution VALUES(1,1,1,1,0,'done',7,1,'run','',0,'','{"check":null,"device_memory":null,"execution":1,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(2,1,2,1,0,'done',1,1,'run','',0,'','{"check":null,"device_memory":null,"execution":2,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(3,1,2,1,1,'done',9,1,'run','',0,'','{"check":null,"device_memory":null,"execution":3,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(4,1,1,2,0,'done',8,1,'run','',0,'','{"check":null,"device_memory":null,"execution":4,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(5,1,2,2,0,'done',5,1,'run','',0,'','{"check":null,"device_memory":null,"execution":5,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(6,1,2,2,1,'done',6,1,'run','',0,'','{"check":null,"device_memory":null,"execution":6,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(7,1,1,3,0,'done',8,1,'run','',0,'','{"check":null,"device_memory":null,"execution":7,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(8,1,2,3,0,'done',5,1,'run','',0,'','{"check":null,"device_memory":null,"execution":8,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(9,1,2,3,1,'done',6,1,'run','',0,'','{"check":null,"device_memory":null,"execution":9,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(10,1,1,4,0,'done',4,1,'run','',0,'','{"check":null,"device_memory":null,"execution":10,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(11,1,2,4,0,'done',2,1,'run','',0,'','{"check":null,"device_memory":null,"execution":11,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(12,1,2,4,1,'done',3,1,'run','',0,'','{"check":null,"device_memory":null,"execution":12,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(13,2,3,4,0,'done',12,1,'run','',0,'','{"check":null,"device_memory":null,"execution":13,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(14,2,3,4,1,'done',10,1,'run','',0,'','{"check":null,"device_memory":null,"execution":14,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(15,2,4,4,0,'done',13,1,'run','',0,'','{"check":null,"device_memory":null,"execution":15,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(16,2,4,4,1,'done',11,1,'run','',0,'','{"check":null,"device_memory":null,"execution":16,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
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
INSERT INTO leaf VALUES(1,'output',0,'out','array','float32','[3]','null',1,'9d897bbe244fb6c40195654dcb21a44b','');
INSERT INTO leaf VALUES(2,'output',0,'out','array','float32','[3]','host',1,'3cda82d3e8d7a0630fde5e175fb71e9d','');
INSERT INTO leaf VALUES(3,'output',0,'out','array','float32','[3]','host',1,'3cda82d3e8d7a0630fde5e175fb71e9d','');
INSERT INTO leaf VALUES(7,'output',0,'out','array','float32','[3]','null',1,'d9803e609b2370e3479877630b0365b3','');
INSERT INTO leaf VALUES(8,'output',0,'out','array','float32','[3]','host',1,'f26d2957623c77e2e80b9a34e5a7b4f9','');
INSERT INTO leaf VALUES(9,'output',0,'out','array','float32','[3]','host',1,'f26d2957623c77e2e80b9a34e5a7b4f9','');
INSERT INTO leaf VALUES(10,'output',0,'out','array','float32','[3]','null',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(11,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(12,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(13,'output',0,'out','array','float32','[3]','null',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(14,'output',0,'out','array','float32','[3]','null',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(15,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','');
INSERT INTO leaf VALUES(16,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','');
CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY, -- as in leaf
  length INTEGER NOT NULL,        -- of the array; bytes
  bytes BLOB NOT NULL             -- a zstd frame with checksum; C order, little-endian
) STRICT;
INSERT INTO blob VALUES('3cda82d3e8d7a0630fde5e175fb71e9d',12,X'28b52ffd240c610000c02c1ebf15be13c0e3c531bf168a4180');
INSERT INTO blob VALUES('022e40baa403602f426eefcb2cf77763',12,X'28b52ffd240c610000ebd52f3fda222ebff600b1bf8779abec');
INSERT INTO blob VALUES('f26d2957623c77e2e80b9a34e5a7b4f9',12,X'28b52ffd240c610000cc4076bbdbd083bf0a17b1be094f15f9');
INSERT INTO blob VALUES('9d897bbe244fb6c40195654dcb21a44b',12,X'28b52ffd240c6100003fd3e140ea41ec3f1c3ace406a9e02c9');
INSERT INTO blob VALUES('d9803e609b2370e3479877630b0365b3',12,X'28b52ffd240c61000033bf8944242f7c40f5e84e41288ec418');
CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution, -- of which execution
  clock TEXT NOT NULL,            -- 'cold', 'warm', 'dispatch', 'transfer_in', 'backward', ...
  samples TEXT NOT NULL,          -- JSON: [nanoseconds, ...] in order of taking
  compilations TEXT NOT NULL,     -- JSON: [count, ...] beside the samples; '' where not known
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;
INSERT INTO timing VALUES(13,'cold','[2010]','');
INSERT INTO timing VALUES(13,'warm','[1330,930,630,560,410]','');
INSERT INTO timing VALUES(14,'cold','[2580]','');
INSERT INTO timing VALUES(14,'warm','[950,670,580,480,540]','');
INSERT INTO timing VALUES(15,'cold','[1949]','');
INSERT INTO timing VALUES(15,'warm','[729,830,350,270,260]','');
INSERT INTO timing VALUES(16,'cold','[2309]','');
INSERT INTO timing VALUES(16,'warm','[680,470,360,290,270]','');
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
INSERT INTO canary VALUES(1,1,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(1,1,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(1,1,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(1,1,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(1,1,'work 1','pass','left out',1,'no latencies are taken');
INSERT INTO canary VALUES(1,1,'work 2','pass','left out',1,'no latencies are taken');
INSERT INTO canary VALUES(1,1,'wrong device','fallback','fallback',1,'out is on host');
INSERT INTO canary VALUES(1,1,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(1,2,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(1,2,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(1,2,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(1,2,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(1,2,'work 1','pass','left out',1,'no latencies are taken');
INSERT INTO canary VALUES(1,2,'work 2','pass','left out',1,'no latencies are taken');
INSERT INTO canary VALUES(1,2,'wrong device','fallback','left out',1,'the device is the control''s');
INSERT INTO canary VALUES(1,2,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(2,3,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(2,3,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(2,3,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(2,3,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(2,3,'work 1','pass','pass',1,'');
INSERT INTO canary VALUES(2,3,'work 2','pass','pass',1,'n units take 20.116 ms, 2n units 40.123 ms');
INSERT INTO canary VALUES(2,3,'wrong device','fallback','fallback',1,'out is on host');
INSERT INTO canary VALUES(2,3,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(2,4,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(2,4,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(2,4,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(2,4,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(2,4,'work 1','pass','pass',1,'');
INSERT INTO canary VALUES(2,4,'work 2','pass','pass',1,'n units take 20.107 ms, 2n units 40.111 ms');
INSERT INTO canary VALUES(2,4,'wrong device','fallback','left out',1,'the device is the control''s');
INSERT INTO canary VALUES(2,4,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution, -- of which execution
  outcome TEXT NOT NULL,          -- 'pass', 'fail', 'crash', 'timeout', 'memory', 'fallback', ...
  stage TEXT NOT NULL,            -- where it failed; '' for a pass
  detail TEXT NOT NULL,           -- one line; '' for a pass
  smallest_rtol REAL              -- relative tolerance that passes at atol 0; NULL: none does
) STRICT;
INSERT INTO judgement VALUES(1,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 7.057037 for -0.61787033 (rtol 1.3e-06, atol 1e-05)',12.421549999691302801);
INSERT INTO judgement VALUES(2,'pass','','',NULL);
INSERT INTO judgement VALUES(3,'pass','','',0.0);
INSERT INTO judgement VALUES(4,'pass','','',NULL);
INSERT INTO judgement VALUES(5,'pass','','',NULL);
INSERT INTO judgement VALUES(6,'pass','','',NULL);
INSERT INTO judgement VALUES(7,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 1101.975 for -0.0037575243 (rtol 1.3e-06, atol 1e-05)',293272.54967058781766);
INSERT INTO judgement VALUES(8,'pass','','',NULL);
INSERT INTO judgement VALUES(9,'pass','','',0.0);
INSERT INTO judgement VALUES(10,'pass','','',0.0);
INSERT INTO judgement VALUES(11,'pass','','',NULL);
INSERT INTO judgement VALUES(12,'pass','','',0.0);
INSERT INTO judgement VALUES(13,'pass','','',0.0);
INSERT INTO judgement VALUES(14,'pass','','',0.0);
INSERT INTO judgement VALUES(15,'pass','','',NULL);
INSERT INTO judgement VALUES(16,'pass','','',0.0);
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
INSERT INTO verdict VALUES(1,1,'null.fails','complete failure','complete failure',1,0,0,0,'out: 3 of 3 elements differ, largest at [0]: 7.057037 for -0.61787033 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO verdict VALUES(1,1,'null.partly','partial failure','partial failure',2,1,0,0,'out: 3 of 3 elements differ, largest at [0]: 1101.975 for -0.0037575243 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO verdict VALUES(1,1,'null.works','success','success',1,1,0,0,'');
INSERT INTO verdict VALUES(1,2,'null.fails','success','success',1,1,0,0,'');
INSERT INTO verdict VALUES(1,2,'null.partly','success','success',2,2,0,0,'');
INSERT INTO verdict VALUES(1,2,'null.works','success','success',1,1,0,0,'');
INSERT INTO verdict VALUES(2,3,'null.works','success','success',1,1,0,0,'');
INSERT INTO verdict VALUES(2,4,'null.works','success','success',1,1,0,0,'');
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
INSERT INTO figure VALUES(1,2,3,'case','null.works','array','warm','small','latency',470.0,455.49999999999999998,485.0,2,0,0);
INSERT INTO figure VALUES(2,2,3,'case','null.works','array','warm','small','ratio',1.7407407407407406996,1.6870370370370371126,1.8037037037037038089,2,2,0);
INSERT INTO figure VALUES(3,2,3,'function','null.works','','warm','small','latency',470.00000000000005683,NULL,NULL,2,2,0);
INSERT INTO figure VALUES(4,2,3,'function','null.works','','warm','small','ratio',1.7407407407407406996,1.683502647971570898,1.7999248947577499713,2,2,0);
INSERT INTO figure VALUES(5,2,3,'target','','','warm','small','ratio',1.7407407407407406996,NULL,NULL,1,0,0);
INSERT INTO figure VALUES(6,2,4,'case','null.works','array','warm','small','latency',270.0,270.0,270.0,2,0,0);
INSERT INTO figure VALUES(7,2,4,'function','null.works','','warm','small','latency',270.00000000000005683,NULL,NULL,2,0,0);
INSERT INTO figure VALUES(8,2,3,'case','null.works','array','cold','small','latency',2295.0,2010.0,2580.0,2,0,0);
INSERT INTO figure VALUES(9,2,3,'case','null.works','array','cold','small','ratio',1.0779708783466415145,0.87050671286271108506,1.3237557721908670416,2,2,0);
INSERT INTO figure VALUES(10,2,3,'function','null.works','','cold','small','latency',2295.0000000000004547,NULL,NULL,2,2,0);
INSERT INTO figure VALUES(11,2,3,'function','null.works','','cold','small','ratio',1.0779708783466415145,0.87415643165650713797,1.3293057998342758807,2,2,0);
INSERT INTO figure VALUES(12,2,3,'target','','','cold','small','ratio',1.0779708783466415145,NULL,NULL,1,0,0);
INSERT INTO figure VALUES(13,2,4,'case','null.works','array','cold','small','latency',2129.0,1949.0,2309.0,2,0,0);
INSERT INTO figure VALUES(14,2,4,'function','null.works','','cold','small','latency',2128.9999999999995451,NULL,NULL,2,0,0);
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
INSERT INTO inventory VALUES(1,'598abf2fb3a39282a251414acd4924f8','jax','','',1,'2026-11-21T22:20:49.555Z',18,X'28b52ffd24129100005b22706c7573222c20226d696e7573225d0a6d9ea217');
CREATE TABLE scan (
  id INTEGER PRIMARY KEY,         -- in order of finishing
  started TEXT NOT NULL,          -- ISO 8601, UTC
  finished TEXT NOT NULL,         -- ISO 8601, UTC
  options TEXT NOT NULL,          -- JSON: paths and all that it was asked for
  totals TEXT NOT NULL,           -- JSON: counts of inputs, files, bytes
  damages TEXT NOT NULL           -- JSON: [{"input", "offset", "unpacked", "what"}]
) STRICT;
INSERT INTO scan VALUES(1,'2026-11-21T22:20:49.569Z','2026-11-21T22:20:49.570Z','{"every_file":false,"flat":{"jax":{"file":"flat.json","inventory":1}},"frameworks":["jax"],"paths":["a.py"],"threads":2}','{"bytes_read":62,"bytes_unpacked":62,"damages":0,"files":1,"ignored":0,"inputs":1,"lexed_bytes":62,"lexed_files":1,"text_bytes":62,"without_content":0}','[]');
CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan, -- of which scan
  framework TEXT NOT NULL,        -- 'pytorch'
  inventory_id INTEGER NOT NULL REFERENCES inventory, -- whose names it counted
  study_files INTEGER NOT NULL,   -- files that the study's rule looked at
  importing_files INTEGER NOT NULL, -- files that import it, by the resolved rule
  unlisted INTEGER NOT NULL,      -- calls of what begins at the framework and is in no inventory
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;
INSERT INTO scanned VALUES(1,'jax',1,1,1,0);
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
INSERT INTO frequency VALUES(1,'jax','resolved','minus','',1,1,0,0,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','resolved','plus','',2,1,0,0,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','study','minus','',1,1,0,1,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','study','plus','',2,1,0,2,0,0,0,0);
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
INSERT INTO sample VALUES(1,1,'jax','study','2026-11-21T22:20:49.607Z','{"all":false,"by":"study","exclude":[],"framework":"jax","inventory":0,"left_out":[],"only_tested":false,"per_decile":5,"pins":[],"scan":1,"seed":1,"strata":"disjoint","suite_digest":"","suites":[],"top":20,"unused":false}','{"framework":"jax","members":[{"name":"plus","rank":1,"stratum":0,"uses":2},{"name":"minus","rank":2,"stratum":0,"uses":1}],"per_decile":5,"percentiles":[1.0,1.1000000000000001,1.2,1.3,1.3999999999999999,1.5,1.6000000000000001,1.7,1.8,1.8999999999999999,2.0],"ranked":2,"rule":"disjoint","schema":"portmeter-sample","seed":"1","steps":[{"name":"plus","rank":1,"replaces":"","step":"top","stratum":0,"uses":2,"why":""},{"name":"minus","rank":2,"replaces":"","step":"top","stratum":0,"uses":1,"why":""}],"strata":[{"certain":true,"closed":true,"drawn":2,"eligible":2.0,"high":2.0,"low":1.0,"name":"top 20","size":2,"taken":2,"unevenness":0.11111111111111116,"uses":3.0,"wanted":2}],"top":20,"version":1}');
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
CREATE INDEX figure_of_run ON figure (run_id, scope);
COMMIT;
