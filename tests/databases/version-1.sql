-- A database as portmeter made it with schema version 1: two runs of the null framework.
PRAGMA application_id = 0x504D5452;
PRAGMA user_version = 1;
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
  validity_reason TEXT NOT NULL   -- one line where invalid
) STRICT;
INSERT INTO run VALUES(1,'59ac22aa3c841b87c51e544ff8c2abac','2026-11-21T22:20:29.541Z','2026-11-21T22:20:33.972Z','done','{"functions":[],"isolation":"function","jobs":2,"measured":["null.fails","null.partly","null.works"],"memory":0,"mode":"default","only":null,"outcomes_only":true,"repetitions":0,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[]}','{"architecture":"x86_64","kernel":"6.1.0","load_after":5.6299999999999999,"load_before":5.8600000000000003,"logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}','16eed0bcaf7faf63c618a078eaab1521',1,'valid','');
INSERT INTO run VALUES(2,'45257719d8d20a22410ce8361c1626db','2026-11-21T22:20:34.063Z','2026-11-21T22:20:39.358Z','done','{"functions":[],"isolation":"function","jobs":2,"measured":["null.works"],"memory":0,"mode":"default","only":null,"outcomes_only":false,"repetitions":2,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite/null.works.yaml"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[]}','{"architecture":"x86_64","kernel":"6.1.0","load_after":5.5,"load_before":5.6299999999999999,"logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}','caa8d381c2498f8b9b077f1bfa120d5b',1,'valid','');
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
INSERT INTO child VALUES(1,1,2,17382,'exit',0,'','',0,10063925,0,2869000,12361728,0,87510,'{"device":"null","driver_version":"","numeric":{},"startup_ns":87510,"threads":1}',1);
INSERT INTO child VALUES(2,1,2,17383,'exit',0,'','',0,13893031,0,3128000,12283904,0,106470,'{"device":"null","driver_version":"","numeric":{},"startup_ns":106470,"threads":1}',1);
INSERT INTO child VALUES(3,1,2,17398,'exit',0,'','',0,13326053,3074000,0,12279808,0,101530,'{"device":"null","driver_version":"","numeric":{},"startup_ns":101530,"threads":1}',1);
INSERT INTO child VALUES(4,1,1,17399,'exit',0,'','',0,17344508,3009000,0,12365824,0,88029,'{"device":"null","driver_version":"","numeric":{},"startup_ns":88029,"threads":1}',1);
INSERT INTO child VALUES(5,1,2,17401,'exit',0,'','',0,10587602,3100000,0,12279808,0,93580,'{"device":"null","driver_version":"","numeric":{},"startup_ns":93580,"threads":1}',1);
INSERT INTO child VALUES(6,1,1,17403,'exit',0,'','',0,8390610,0,2872000,12365824,0,79740,'{"device":"null","driver_version":"","numeric":{},"startup_ns":79740,"threads":1}',1);
INSERT INTO child VALUES(7,1,2,17404,'exit',0,'','',0,10106274,0,3340000,12279808,0,116190,'{"device":"null","driver_version":"","numeric":{},"startup_ns":116190,"threads":1}',1);
INSERT INTO child VALUES(8,1,1,17405,'exit',0,'','',0,12598645,2802000,0,12365824,0,86190,'{"device":"null","driver_version":"","numeric":{},"startup_ns":86190,"threads":1}',1);
INSERT INTO child VALUES(9,1,2,17406,'exit',0,'','',0,10923351,2729000,0,12361728,0,85570,'{"device":"null","driver_version":"","numeric":{},"startup_ns":85570,"threads":1}',1);
INSERT INTO child VALUES(10,2,3,18158,'exit',0,'','',0,8948308,3929000,0,12431360,0,104850,'{"device":"null","driver_version":"","numeric":{},"startup_ns":104850,"threads":2}',2);
INSERT INTO child VALUES(11,2,4,18163,'exit',0,'','',0,14550308,4179000,0,12431360,0,126330,'{"device":"null","driver_version":"","numeric":{},"startup_ns":126330,"threads":2}',2);
INSERT INTO child VALUES(12,2,3,18170,'exit',0,'','',0,10587122,0,3834000,12431360,0,104690,'{"device":"null","driver_version":"","numeric":{},"startup_ns":104690,"threads":2}',2);
INSERT INTO child VALUES(13,2,4,18173,'exit',0,'','',0,10546523,3844000,0,12431360,0,101689,'{"device":"null","driver_version":"","numeric":{},"startup_ns":101689,"threads":2}',2);
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
INSERT INTO execution VALUES(1,1,1,1,0,'done',6,1,'run','',0,'','{"check":null,"device_memory":null,"execution":1,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(2,1,2,1,0,'done',2,1,'run','',0,'','{"check":null,"device_memory":null,"execution":2,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(3,1,2,1,1,'done',9,1,'run','',0,'','{"check":null,"device_memory":null,"execution":3,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(4,1,1,2,0,'done',8,1,'run','',0,'','{"check":null,"device_memory":null,"execution":4,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(5,1,2,2,0,'done',5,1,'run','',0,'','{"check":null,"device_memory":null,"execution":5,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(6,1,2,2,1,'done',7,1,'run','',0,'','{"check":null,"device_memory":null,"execution":6,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(7,1,1,3,0,'done',8,1,'run','',0,'','{"check":null,"device_memory":null,"execution":7,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(8,1,2,3,0,'done',5,1,'run','',0,'','{"check":null,"device_memory":null,"execution":8,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(9,1,2,3,1,'done',7,1,'run','',0,'','{"check":null,"device_memory":null,"execution":9,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":true,"stage":"run"}','','');
INSERT INTO execution VALUES(10,1,1,4,0,'done',4,1,'run','',0,'','{"check":null,"device_memory":null,"execution":10,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
INSERT INTO execution VALUES(11,1,2,4,0,'done',1,1,'run','',0,'','{"check":null,"device_memory":null,"execution":11,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"shared":false,"stage":"run"}','','');
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
INSERT INTO blob VALUES('022e40baa403602f426eefcb2cf77763',12,X'28b52ffd240c610000ebd52f3fda222ebff600b1bf8779abec');
INSERT INTO blob VALUES('3cda82d3e8d7a0630fde5e175fb71e9d',12,X'28b52ffd240c610000c02c1ebf15be13c0e3c531bf168a4180');
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
INSERT INTO timing VALUES(13,'cold','[1860]','');
INSERT INTO timing VALUES(13,'warm','[810,610,470,400,400]','');
INSERT INTO timing VALUES(14,'cold','[2030]','');
INSERT INTO timing VALUES(14,'warm','[900,710,530,490,470]','');
INSERT INTO timing VALUES(15,'cold','[1930]','');
INSERT INTO timing VALUES(15,'warm','[770,670,490,490,470]','');
INSERT INTO timing VALUES(16,'cold','[2420]','');
INSERT INTO timing VALUES(16,'warm','[840,680,530,480,500]','');
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
INSERT INTO canary VALUES(2,3,'work 2','pass','pass',1,'n units take 20.121 ms, 2n units 40.108 ms');
INSERT INTO canary VALUES(2,3,'wrong device','fallback','fallback',1,'out is on host');
INSERT INTO canary VALUES(2,3,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(2,4,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(2,4,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(2,4,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(2,4,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(2,4,'work 1','pass','pass',1,'');
INSERT INTO canary VALUES(2,4,'work 2','pass','pass',1,'n units take 20.117 ms, 2n units 40.112 ms');
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
INSERT INTO figure VALUES(1,2,3,'case','null.works','array','warm','small','latency',470.0,455.0,480.0,2,0,0);
INSERT INTO figure VALUES(2,2,3,'case','null.works','array','warm','small','ratio',0.9690721649484536071,0.93865979381443298557,1.0,2,2,0);
INSERT INTO figure VALUES(3,2,3,'function','null.works','','warm','small','latency',470.00000000000005683,NULL,NULL,2,2,0);
INSERT INTO figure VALUES(4,2,3,'function','null.works','','warm','small','ratio',0.9690721649484536071,0.93888030144560497003,1.0002349175203040232,2,2,0);
INSERT INTO figure VALUES(5,2,3,'target','','','warm','small','ratio',0.9690721649484536071,NULL,NULL,1,0,0);
INSERT INTO figure VALUES(6,2,4,'case','null.works','array','warm','small','latency',485.0,480.0,490.0,2,0,0);
INSERT INTO figure VALUES(7,2,4,'function','null.works','','warm','small','latency',485.00000000000005684,NULL,NULL,2,0,0);
INSERT INTO figure VALUES(8,2,3,'case','null.works','array','cold','small','latency',1945.0,1860.0,2030.0,2,0,0);
INSERT INTO figure VALUES(9,2,3,'case','null.works','array','cold','small','ratio',0.89425287356321836451,0.76859504132231404316,1.0518134715025906356,2,2,0);
INSERT INTO figure VALUES(10,2,3,'function','null.works','','cold','small','latency',1944.9999999999995452,NULL,NULL,2,2,0);
INSERT INTO figure VALUES(11,2,3,'function','null.works','','cold','small','ratio',0.89425287356321836451,0.76443360212334454661,1.0461185898354066203,2,2,0);
INSERT INTO figure VALUES(12,2,3,'target','','','cold','small','ratio',0.89425287356321836451,NULL,NULL,1,0,0);
INSERT INTO figure VALUES(13,2,4,'case','null.works','array','cold','small','latency',2175.0,1930.0,2420.0,2,0,0);
INSERT INTO figure VALUES(14,2,4,'function','null.works','','cold','small','latency',2175.0000000000004546,NULL,NULL,2,0,0);
CREATE INDEX figure_of_run ON figure (run_id, scope);
COMMIT;
