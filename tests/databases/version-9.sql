-- A database as portmeter made it with schema version 9: the one of version 8, brought up to date and
-- judged again.
PRAGMA application_id = 0x504D5452;
PRAGMA user_version = 9;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE annotation (
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  target TEXT NOT NULL CHECK (length(target) <= 65535), -- as it is typed; '': all targets
  why TEXT NOT NULL CHECK (length(why) BETWEEN 1 AND 65535), -- id of a reason
  note TEXT NOT NULL CHECK (length(note) <= 65535), -- the person's words, one line
  made TEXT NOT NULL              -- time
    CHECK (made GLOB '????-??-??T??:??:??.???Z' AND made NOT GLOB '*[^0-9TZ:.-]*'),
  PRIMARY KEY (framework, function, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE blob (
  digest TEXT NOT NULL PRIMARY KEY -- as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  length INTEGER NOT NULL         -- of the array; bytes
    CHECK (length BETWEEN 0 AND 2147483648),
  bytes BLOB NOT NULL             -- a zstd frame with checksum; C order, little-endian
    CHECK (length(bytes) BETWEEN 1 AND 1000000000)
) STRICT;
INSERT INTO blob VALUES('3cda82d3e8d7a0630fde5e175fb71e9d',12,X'28b52ffd240c610000c02c1ebf15be13c0e3c531bf168a4180');
INSERT INTO blob VALUES('f26d2957623c77e2e80b9a34e5a7b4f9',12,X'28b52ffd240c610000cc4076bbdbd083bf0a17b1be094f15f9');
INSERT INTO blob VALUES('9d897bbe244fb6c40195654dcb21a44b',12,X'28b52ffd240c6100003fd3e140ea41ec3f1c3ace406a9e02c9');
INSERT INTO blob VALUES('d9803e609b2370e3479877630b0365b3',12,X'28b52ffd240c61000033bf8944242f7c40f5e84e41288ec418');
INSERT INTO blob VALUES('2beec51ab8127ab209d1d50e557fcd28',12,X'28b52ffd240c610000ead52f3fda222ebff600b1bf59533695');
INSERT INTO blob VALUES('022e40baa403602f426eefcb2cf77763',12,X'28b52ffd240c610000ebd52f3fda222ebff600b1bf8779abec');
CREATE TABLE canary (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- of the known fault
  expected TEXT NOT NULL          -- outcome that shows it was detected
    CHECK (expected = 'pass' OR expected = 'fail' OR expected = 'crash' OR
      expected = 'timeout' OR expected = 'memory' OR expected = 'fallback' OR
      expected = 'blocked' OR expected = 'not applicable' OR expected = 'harness'),
  observed TEXT NOT NULL          -- outcome; 'left out' where it cannot exist on the target
    CHECK (observed = 'pass' OR observed = 'fail' OR observed = 'crash' OR
      observed = 'timeout' OR observed = 'memory' OR observed = 'fallback' OR
      observed = 'blocked' OR observed = 'not applicable' OR observed = 'harness' OR
      observed = 'left out' OR observed = 'not calibrated'),
  as_expected INTEGER NOT NULL    -- boolean: the outcome expected, or excluded for a reason
    CHECK (as_expected IN (0, 1)),
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line
  PRIMARY KEY (run_id, target_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO canary VALUES(1,1,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(1,1,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(1,1,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(1,1,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(1,1,'work 1','pass','left out',1,'no latencies are measured');
INSERT INTO canary VALUES(1,1,'work 2','pass','left out',1,'no latencies are measured');
INSERT INTO canary VALUES(1,1,'wrong device','fallback','fallback',1,'out is on host');
INSERT INTO canary VALUES(1,1,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(1,2,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(1,2,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(1,2,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(1,2,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(1,2,'work 1','pass','left out',1,'no latencies are measured');
INSERT INTO canary VALUES(1,2,'work 2','pass','left out',1,'no latencies are measured');
INSERT INTO canary VALUES(1,2,'wrong device','fallback','left out',1,'it has the same device as its reference');
INSERT INTO canary VALUES(1,2,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(2,3,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(2,3,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(2,3,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(2,3,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(2,3,'work 1','pass','pass',1,'');
INSERT INTO canary VALUES(2,3,'work 2','pass','pass',1,'n units take 20.210 ms, 2n units take 40.217 ms');
INSERT INTO canary VALUES(2,3,'wrong device','fallback','fallback',1,'out is on host');
INSERT INTO canary VALUES(2,3,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
INSERT INTO canary VALUES(2,4,'NaN','fail','fail',1,'out: 8 of 8 elements differ, largest at [0]: -nan for 1.6688001 (rtol 1.3e-06, atol 1e-05)');
INSERT INTO canary VALUES(2,4,'crash','crash','crash',1,'ended by SIGSEGV');
INSERT INTO canary VALUES(2,4,'hang','timeout','timeout',1,'took too long: took longer than 2 s');
INSERT INTO canary VALUES(2,4,'memory','memory','memory',1,'MemoryError');
INSERT INTO canary VALUES(2,4,'work 1','pass','pass',1,'');
INSERT INTO canary VALUES(2,4,'work 2','pass','pass',1,'n units take 20.233 ms, 2n units take 40.221 ms');
INSERT INTO canary VALUES(2,4,'wrong device','fallback','left out',1,'it has the same device as its reference');
INSERT INTO canary VALUES(2,4,'wrong dtype','fail','fail',1,'out: dtype uint8 for float32');
CREATE TABLE child (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  pid INTEGER NOT NULL CHECK (pid >= 0),        -- 0 where it could not be started
  ending TEXT NOT NULL            -- '' while it lives
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  code INTEGER NOT NULL           -- exit status or number of the signal
    CHECK (code BETWEEN -2147483648 AND 2147483647),
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- one line about the ending
  output TEXT NOT NULL CHECK (length(output) <= 268435456), -- what it printed, bounded
  output_bytes INTEGER NOT NULL CHECK (output_bytes >= 0), -- all it printed, kept or not; bytes
  wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0), -- from the fork to the end
  user_ns INTEGER NOT NULL CHECK (user_ns >= 0), -- processor time in the process
  system_ns INTEGER NOT NULL CHECK (system_ns >= 0), -- processor time in the kernel
  max_rss INTEGER NOT NULL CHECK (max_rss >= 0), -- largest resident size; bytes
  strays INTEGER NOT NULL CHECK (strays >= 0),  -- processes that it left behind (they were killed)
  startup_ns INTEGER NOT NULL     -- starting the backend and one trivial operation; -1: never done
    CHECK (startup_ns >= -1),
  started TEXT NOT NULL           -- JSON: what it said of its device when it had started; ''
    CHECK (started = '' OR (json_valid(started) AND length(started) <= 268435456)),
  threads INTEGER NOT NULL CHECK (threads >= 0) -- computing threads; 0: not known
) STRICT;
INSERT INTO child VALUES(1,1,2,16047,'exit',0,'','',0,25967548,4307000,4010000,14000128,0,594868,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":594868,"threads":1}',1);
INSERT INTO child VALUES(2,1,2,16046,'exit',0,'','',0,46197626,9027000,0,14102528,0,530829,'{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":530829,"threads":1}',1);
INSERT INTO child VALUES(3,1,2,16048,'exit',0,'','',0,24766402,0,8592000,14000128,0,504118,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":504118,"threads":1}',1);
INSERT INTO child VALUES(4,1,1,16049,'exit',0,'','',0,37684106,8791000,0,14102528,0,539858,'{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":539858,"threads":1}',1);
INSERT INTO child VALUES(5,1,2,16050,'exit',0,'','',0,32075767,9255000,0,14000128,0,475858,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":475858,"threads":1}',1);
INSERT INTO child VALUES(6,1,1,16051,'exit',0,'','',0,52541874,0,8768000,14000128,0,513448,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":513448,"threads":1}',1);
INSERT INTO child VALUES(7,1,2,16052,'exit',0,'','',0,83762143,0,10260000,14102528,0,560908,'{"device":"null","driver_version":"","masks":{"0":1},"numeric":{},"startup_ns":560908,"threads":1}',1);
INSERT INTO child VALUES(8,1,1,16053,'exit',0,'','',0,31080540,0,9426000,14000128,0,558748,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":558748,"threads":1}',1);
INSERT INTO child VALUES(9,1,2,16054,'exit',0,'','',0,29288186,5643000,3403000,14000128,0,547658,'{"device":"null","driver_version":"","masks":{"1":1},"numeric":{},"startup_ns":547658,"threads":1}',1);
INSERT INTO child VALUES(10,2,3,16945,'exit',0,'','',0,38981881,11605000,5802000,14352384,0,520698,'{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":520698,"threads":2}',2);
INSERT INTO child VALUES(11,2,4,16946,'exit',0,'','',0,43571216,5828000,11656000,14282752,0,573328,'{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":573328,"threads":2}',2);
INSERT INTO child VALUES(12,2,3,16947,'exit',0,'','',0,35641934,12586000,4982000,14282752,0,539768,'{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":539768,"threads":2}',2);
INSERT INTO child VALUES(13,2,4,16949,'exit',0,'','',0,28792008,5362000,5379000,14352384,0,485899,'{"device":"null","driver_version":"","masks":{"0-1":1},"numeric":{},"startup_ns":485899,"threads":2}',2);
CREATE TABLE closeness (
  digest TEXT NOT NULL            -- of the array, as in leaf
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  reference TEXT NOT NULL         -- digest of the array that it was compared with
    CHECK (length(reference) = 32 AND reference NOT GLOB '*[^0-9a-f]*'),
  how TEXT NOT NULL               -- which elements are compared: as in `compare` of a case
    CHECK (how = 'close' OR how = 'exact' OR how = 'shape' OR how = 'set' OR how = 'up to sign'),
  points TEXT NOT NULL            -- JSON: [[atol, smallest rtol that passes], ...], atol from 0 up,
    CHECK (json_valid(points) AND length(points) <= 65535), -- rtol null: none passes; all pass
                                  -- from an atol on whose rtol is 0
  PRIMARY KEY (digest, reference, how)
) STRICT, WITHOUT ROWID;
INSERT INTO closeness VALUES('2beec51ab8127ab209d1d50e557fcd28','022e40baa403602f426eefcb2cf77763','close','[[0.0,8.6778715923191464e-8],[1e-8,7.2219663310731233e-8],[9.9999999999999995e-8,0.0]]');
CREATE TABLE estimate (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  sample_id INTEGER NOT NULL REFERENCES sample CHECK (sample_id > 0), -- from which sample
  basis TEXT NOT NULL             -- 'function': each counts once; 'use': share of surviving calls
    CHECK (basis IN ('function', 'use')),
  value REAL CHECK (value BETWEEN -1e-9 AND 1.000000001), -- share; NULL: nothing is known
  low REAL CHECK (low BETWEEN -1e-9 AND 1.000000001), -- lower end of the 95 % interval
  high REAL CHECK (high BETWEEN -1e-9 AND 1.000000001), -- upper end
  members INTEGER NOT NULL CHECK (members BETWEEN 0 AND 1000000000000), -- of the sample
  marked INTEGER NOT NULL         -- of them, with a verdict that counts
    CHECK (marked BETWEEN 0 AND members),
  unknown REAL                    -- share of the weight in strata without any verdict
    CHECK (unknown BETWEEN -1e-9 AND 1.000000001),
  PRIMARY KEY (run_id, target_id, sample_id, basis)
) STRICT, WITHOUT ROWID;
CREATE TABLE execution (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  case_id INTEGER NOT NULL REFERENCES test_case CHECK (case_id > 0), -- which case
  repetition INTEGER NOT NULL     -- from 0; each in a process of its own
    CHECK (repetition BETWEEN 0 AND 1000000),
  reason TEXT NOT NULL DEFAULT '' -- '': the first; else why it was repeated: 'alone', after it
                                  -- failed in a shared process; 'exact mode', after a fast mode
    CHECK (reason = '' OR reason = 'alone' OR reason = 'exact mode'),
  state TEXT NOT NULL DEFAULT 'todo'            -- 'done': it has its one committed result
    CHECK (state IN ('todo', 'done')),
  child_id INTEGER                -- NULL while todo, or where no process could be started
    REFERENCES child DEFERRABLE INITIALLY DEFERRED CHECK (child_id > 0),
  answered INTEGER NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)), -- boolean: a result came
  stage TEXT NOT NULL DEFAULT '' CHECK (length(stage) <= 65535), -- the last one that began
  ending TEXT NOT NULL DEFAULT '' -- of its child where no result came
    CHECK (ending = '' OR ending = 'exit' OR ending = 'signal' OR ending = 'deadline' OR
      ending = 'processes' OR ending = 'protocol' OR ending = 'system memory' OR
      ending = 'driver' OR ending = 'start' OR ending = 'supervisor' OR ending = 'stopped'),
  ending_code INTEGER NOT NULL DEFAULT 0        -- of its child where no result came
    CHECK (ending_code BETWEEN -2147483648 AND 2147483647),
  ending_text TEXT NOT NULL DEFAULT '' CHECK (length(ending_text) <= 65535), -- the same
  result TEXT NOT NULL DEFAULT '' -- JSON object: what came, less timings, leaves and what
    CHECK (result = '' OR (json_valid(result) AND length(result) <= 268435456)), -- is empty; ''
  shared INTEGER NOT NULL DEFAULT 0             -- boolean: its process had run another one before
    CHECK (shared IN (0, 1)),
  kills INTEGER NOT NULL DEFAULT 0 -- times that portmeter was killed while it was under way
    CHECK (kills BETWEEN 0 AND 1000000),
  kills_alone INTEGER NOT NULL DEFAULT 0 -- of them the last ones in a row, nothing else being under
    CHECK (kills_alone BETWEEN 0 AND 1000000),  -- way and nothing having been committed between
  UNIQUE (run_id, target_id, case_id, repetition, reason)
) STRICT;
INSERT INTO execution VALUES(1,1,1,1,0,'','done',6,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":1,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(2,1,2,1,0,'','done',1,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":2,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(3,1,2,1,1,'','done',9,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":3,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"3cda82d3e8d7a0630fde5e175fb71e9d","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(4,1,1,2,0,'','done',8,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":4,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',1,0,0);
INSERT INTO execution VALUES(5,1,2,2,0,'','done',5,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":5,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',1,0,0);
INSERT INTO execution VALUES(6,1,2,2,1,'','done',7,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":6,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(7,1,1,3,0,'','done',8,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":7,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(8,1,2,3,0,'','done',5,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":8,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(9,1,2,3,1,'','done',7,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":9,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"f26d2957623c77e2e80b9a34e5a7b4f9","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',1,0,0);
INSERT INTO execution VALUES(10,1,1,4,0,'','done',4,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":10,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(11,1,2,4,0,'','done',2,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":11,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(12,1,2,4,1,'','done',3,1,'compare','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":12,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"compare"}',0,0,0);
INSERT INTO execution VALUES(13,2,3,4,0,'','done',12,1,'run','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":13,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}',0,0,0);
INSERT INTO execution VALUES(14,2,3,4,1,'','done',10,1,'run','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":14,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}',0,0,0);
INSERT INTO execution VALUES(15,2,4,4,0,'','done',13,1,'run','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":15,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}',0,0,0);
INSERT INTO execution VALUES(16,2,4,4,1,'','done',11,1,'run','',0,'','{"absent":false,"check":null,"check_told":null,"destroyed":null,"device_memory":null,"execution":16,"extern_kernels":[],"fallback":[],"gradients":[],"harness":null,"host_reads":0,"inputs":[{"digest":"022e40baa403602f426eefcb2cf77763","dtype":"float32","name":"x"}],"not_applicable":null,"outputs":[],"poisoned":false,"raised":null,"second":null,"stage":"run"}',0,0,0);
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
INSERT INTO first_call VALUES(13,40000,10000,30000,-1);
INSERT INTO first_call VALUES(14,50000,-1,-1,4096);
CREATE TABLE frequency (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- 'study': the name is bare, 'argsort'; else it is canonical,
    CHECK (rule IN ('study', 'resolved', 'inferred')), -- 'torch.argsort'. 'resolved': by imports;
                                  -- 'inferred': by imports and by the types of values
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- of the function
  kind TEXT NOT NULL              -- '' by the study's rule
    CHECK (kind = '' OR kind = 'function' OR kind = 'class' OR kind = 'method'),
  uses INTEGER NOT NULL           -- study: hits; other rules: calls
    CHECK (uses BETWEEN 0 AND 1000000000000),
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that use it
  repositories INTEGER NOT NULL   -- repositories that use it
    CHECK (repositories BETWEEN 0 AND 1000000000000),
  resolved INTEGER NOT NULL       -- study: hits that are a function of the framework
    CHECK (resolved BETWEEN 0 AND 1000000000000),
  possible_method INTEGER NOT NULL -- study: hits that may be a method of one of its classes
    CHECK (possible_method BETWEEN 0 AND 1000000000000),
  other INTEGER NOT NULL          -- study: hits that are neither; the three add up to uses
    CHECK (other BETWEEN 0 AND 1000000000000),
  referenced INTEGER NOT NULL     -- resolved, inferred: mentions that are no calls
    CHECK (referenced BETWEEN 0 AND 1000000000000),
  rebound INTEGER NOT NULL        -- resolved: uses through a name that the file binds otherwise too
    CHECK (rebound BETWEEN 0 AND 1000000000000),
  instance_calls INTEGER NOT NULL -- inferred: calls of instances of the class, which are in no
    CHECK (instance_calls BETWEEN 0 AND 1000000000000), -- other count
  possible INTEGER NOT NULL       -- inferred: calls that may be of it: it is one of several that
    CHECK (possible BETWEEN 0 AND 1000000000000), -- types allow, or only the name of a method tells;
                                  -- in no other count
  PRIMARY KEY (scan_id, framework, rule, name)
) STRICT, WITHOUT ROWID;
INSERT INTO frequency VALUES(1,'jax','resolved','minus','',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','resolved','plus','',2,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','study','minus','',1,1,0,1,0,0,0,0,0,0);
INSERT INTO frequency VALUES(1,'jax','study','plus','',2,1,0,2,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','inferred','jax.Array','class',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','inferred','jax.Array.view','method',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','inferred','jax.jit','function',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','resolved','jax.Array','class',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','resolved','jax.jit','function',1,1,0,0,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','study','Array','',1,1,0,1,0,0,0,0,0,0);
INSERT INTO frequency VALUES(2,'jax','study','jit','',1,1,0,1,0,0,0,0,0,0);
CREATE TABLE imported_test (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which import
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'argsort': its test file
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'argsort_test.py::Sort::test_nan'
  outcome TEXT NOT NULL           -- as the report says it; '': it was timed, and is in no report
    CHECK (outcome IN ('', 'passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed')),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- of a failure: 'setup', 'call', 'teardown'
  type TEXT NOT NULL CHECK (length(type) <= 65535), -- of a failure: of the exception, or ''
  message TEXT NOT NULL CHECK (length(message) <= 268435456), -- of a failure: the exception's
  excluded TEXT NOT NULL CHECK (length(excluded) <= 65535), -- why it does not count; '': it counts
  why TEXT NOT NULL CHECK (length(why) <= 65535), -- as in judgement
  rule TEXT NOT NULL CHECK (length(rule) <= 65535), -- as in judgement
  UNIQUE (run_id, target_id, name)
) STRICT;
CREATE TABLE imported_timing (
  test_id INTEGER NOT NULL REFERENCES imported_test CHECK (test_id > 0), -- of which test
  repetition INTEGER NOT NULL CHECK (repetition BETWEEN 0 AND 1000000), -- of the file, from 0
  samples TEXT NOT NULL           -- JSON: [nanoseconds, ...], one an operation that was timed
    CHECK (json_valid(samples) AND samples NOT GLOB '*[^]0-9,[]*' AND
      length(samples) <= 268435456),
  whole_ns INTEGER NOT NULL CHECK (whole_ns >= -1), -- of the test; -1: not known
  PRIMARY KEY (test_id, repetition)
) STRICT, WITHOUT ROWID;
CREATE TABLE inventory (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of framework, version, flat and document
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- of the framework; '' of a flat list
  environment TEXT NOT NULL       -- whose interpreter walked through it last; '' of a flat list
    CHECK (length(environment) <= 65535),
  flat INTEGER NOT NULL CHECK (flat IN (0, 1)), -- boolean: the document is a JSON array of names
  recorded TEXT NOT NULL          -- time; the last one, where the same was found again
    CHECK (recorded GLOB '????-??-??T??:??:??.???Z' AND recorded NOT GLOB '*[^0-9TZ:.-]*'),
  length INTEGER NOT NULL         -- of the document; bytes
    CHECK (length BETWEEN 0 AND 268435456),
  document BLOB NOT NULL          -- JSON in a zstd frame with checksum
    CHECK (length(document) BETWEEN 1 AND 1000000000)
) STRICT;
INSERT INTO inventory VALUES(1,'c0d5c920de9163906b01fdab18ef0efa','jax','','',1,'2026-11-22T04:42:40.026Z',17,X'28b52ffd24118900005b22706c7573222c20226d696e7573225da304c8de');
INSERT INTO inventory VALUES(2,'ed44eb0b88a0c0e7f467feade2029798','jax','7.7','jax',0,'2026-11-22T12:30:19.028Z',1659,X'28b52ffd647b05cd100066984621406bdb06c041347ce9720b357144d5b2cd16c7186386d1afdfa5c9d31a2ec318133f003d003b00e780afadb6d2988557bdde65812420201940d50d4790102042462e28789bb3e4050f22700ed8561f7f8107c1066fb72f9a02f0fbac791d9e0326bb521e3a0267cd75911ce481ccf47939968ce341fe562e9dcad9fda541e2bc4aa2f043e94d97273c4842a696341c635af297baf2bd5c4a6aaa48e682e42c1b3a1001a9b25f5fa193f12e0cd7841042eb09214428e87917be5b57a83d255588e85c28bb6612caddf9486bf131cba594ad0b67b815caae44c257bd6955078f8407be6ed99cd6d3a9fa9c6de7c0cb7cc0101aaa59d9ed4cf98ef12f262d430722cf8d4148b1ab967d83befe738c2b4c3a376f6b2598d7da54bd67a88199629099244921c3763042a3945d751280031588c3a07348294109896494a48c92681803d81e26c3bb5e1ac9b4a81473cae126f918ed002618afdb01ea33294924cc1177c9b45a7c1324825fc5240da0f7d8e64faa4b02e0f5561fb1d1d2dd9f38a809599cc9238be867d0ae51c27edeaa0a9b3bfbf8c83f8c4db4d0c920cf2d6869c70aa4c72fb207422a852a46fca3bc24268cf125f9fdb4d6882f1f9ac163e82468519e428f04b61f3a02a117e7fd168592f2c7ab68c28460ba456bf057eb2af2dd238e84b6cc11939bb144901e7d47b8e3148104835067ebd7adf1dd16bb3070359819341a34b51448739380bdd7e0fbede95b2bf255017f8bd166');
CREATE TABLE judgement (
  execution_id INTEGER PRIMARY KEY REFERENCES execution -- of which execution
    CHECK (execution_id > 0),
  outcome TEXT NOT NULL           -- what it is judged to be
    CHECK (outcome = 'pass' OR outcome = 'fail' OR outcome = 'crash' OR outcome = 'timeout' OR
      outcome = 'memory' OR outcome = 'fallback' OR outcome = 'blocked' OR
      outcome = 'not applicable' OR outcome = 'harness'),
  stage TEXT NOT NULL CHECK (length(stage) <= 65535), -- where it failed; '' for a pass
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line; '' for a pass
  smallest_rtol REAL              -- relative tolerance that passes at atol 0; NULL: none does
    CHECK (smallest_rtol >= 0),
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)), -- boolean: of executions that differ in `reason`
                                  -- alone, the one that verdicts use
  case_counts INTEGER NOT NULL CHECK (case_counts IN (0, 1)), -- boolean: its case is among those that
                                  -- are counted in the verdict of its function
  why TEXT NOT NULL DEFAULT '' CHECK (length(why) <= 65535), -- reason: id in rules/; '' for a
                                  -- pass, and where no rule matches
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535) -- id of the rule that gave it; ''
) STRICT;
INSERT INTO judgement VALUES(1,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)',12.421549999691302801,1,1,'wrong result','compared');
INSERT INTO judgement VALUES(2,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(3,'pass','','',0.0,1,1,'','');
INSERT INTO judgement VALUES(4,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(5,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(6,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(7,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)',293272.54967058781766,1,1,'wrong result','compared');
INSERT INTO judgement VALUES(8,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(9,'pass','','',0.0,1,1,'','');
INSERT INTO judgement VALUES(10,'pass','','',8.6778715923191463788e-08,1,1,'','');
INSERT INTO judgement VALUES(11,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(12,'pass','','',0.0,1,1,'','');
INSERT INTO judgement VALUES(13,'pass','','',8.6778715923191463788e-08,1,1,'','');
INSERT INTO judgement VALUES(14,'pass','','',8.6778715923191463788e-08,1,1,'','');
INSERT INTO judgement VALUES(15,'pass','','',NULL,1,1,'','');
INSERT INTO judgement VALUES(16,'pass','','',0.0,1,1,'','');
CREATE TABLE leaf (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- of which execution
  part TEXT NOT NULL              -- 'output' or 'gradient'
    CHECK (part IN ('output', 'gradient')),
  position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 1000000), -- in order of finding, from 0
  path TEXT NOT NULL CHECK (length(path) <= 65535), -- 'out[1].weight'
  kind TEXT NOT NULL              -- 'value': number, string, list; 'type': only its type counts;
                                  -- 'container': its class counts, its parts follow
    CHECK (kind = 'array' OR kind = 'value' OR kind = 'container' OR kind = 'type'),
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- of an array: 'float32'
  shape TEXT NOT NULL             -- of an array: JSON, '[4,200]'
    CHECK (shape = '' OR (json_valid(shape) AND length(shape) <= 65535)),
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- of an array, as the framework names it
  on_device INTEGER NOT NULL CHECK (on_device IN (0, 1)), -- boolean: it lives where it should
  digest TEXT NOT NULL            -- of an array: digest of dtype, shape and bytes; '' without bytes
    CHECK (digest = '' OR (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*')),
  value TEXT NOT NULL             -- of a value: canonical JSON; of a container, a type: its name
    CHECK (length(value) <= 268435456 AND (kind <> 'value' OR json_valid(value))),
  kept INTEGER NOT NULL           -- boolean: its bytes must stay in blob; 0 where they were compared
    CHECK (kept IN (0, 1)),       -- and agree, and where nothing is compared with them
  PRIMARY KEY (execution_id, part, position)
) STRICT, WITHOUT ROWID;
INSERT INTO leaf VALUES(1,'output',0,'out','array','float32','[3]','null',1,'9d897bbe244fb6c40195654dcb21a44b','',1);
INSERT INTO leaf VALUES(2,'output',0,'out','array','float32','[3]','host',1,'3cda82d3e8d7a0630fde5e175fb71e9d','',1);
INSERT INTO leaf VALUES(3,'output',0,'out','array','float32','[3]','host',1,'3cda82d3e8d7a0630fde5e175fb71e9d','',0);
INSERT INTO leaf VALUES(4,'output',0,'out','value','','','',0,'','{"tuple":[]}',0);
INSERT INTO leaf VALUES(5,'output',0,'out','value','','','',0,'','{"tuple":[]}',0);
INSERT INTO leaf VALUES(6,'output',0,'out','value','','','',0,'','{"tuple":[]}',0);
INSERT INTO leaf VALUES(7,'output',0,'out','array','float32','[3]','null',1,'d9803e609b2370e3479877630b0365b3','',1);
INSERT INTO leaf VALUES(8,'output',0,'out','array','float32','[3]','host',1,'f26d2957623c77e2e80b9a34e5a7b4f9','',1);
INSERT INTO leaf VALUES(9,'output',0,'out','array','float32','[3]','host',1,'f26d2957623c77e2e80b9a34e5a7b4f9','',0);
INSERT INTO leaf VALUES(10,'output',0,'out','array','float32','[3]','null',1,'2beec51ab8127ab209d1d50e557fcd28','',0);
INSERT INTO leaf VALUES(11,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','',0);
INSERT INTO leaf VALUES(12,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','',0);
INSERT INTO leaf VALUES(13,'output',0,'out','array','float32','[3]','null',1,'2beec51ab8127ab209d1d50e557fcd28','',1);
INSERT INTO leaf VALUES(14,'output',0,'out','array','float32','[3]','null',1,'2beec51ab8127ab209d1d50e557fcd28','',1);
INSERT INTO leaf VALUES(15,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','',1);
INSERT INTO leaf VALUES(16,'output',0,'out','array','float32','[3]','host',1,'022e40baa403602f426eefcb2cf77763','',1);
CREATE TABLE place (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- in which text
  cell INTEGER NOT NULL CHECK (cell BETWEEN 0 AND 4294967295), -- of a notebook, from 1; else 0
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 4294967295), -- of the text or the cell
  byte INTEGER NOT NULL CHECK (byte BETWEEN 1 AND 4294967295), -- of the line, from 1
  use_id INTEGER NOT NULL REFERENCES place_use CHECK (use_id > 0), -- what is used there
  scope INTEGER NOT NULL          -- number of place_scope; 0: at the top of the text
    CHECK (scope BETWEEN 0 AND 4294967295),
  chain_id INTEGER REFERENCES place_chain CHECK (chain_id > 0), -- what it follows from, or NULL
  PRIMARY KEY (file_id, cell, line, byte, use_id)
) STRICT, WITHOUT ROWID;
INSERT INTO place VALUES(1,0,6,13,1,1,NULL);
INSERT INTO place VALUES(1,0,7,18,2,1,NULL);
INSERT INTO place VALUES(1,0,10,1,3,0,NULL);
CREATE TABLE place_chain (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535) -- one line
) STRICT;
CREATE TABLE place_file (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of reading; a scan's follow each other
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  input TEXT NOT NULL CHECK (length(input) BETWEEN 1 AND 65535), -- path, '-', or archive:member
  record INTEGER NOT NULL         -- line of JSON that has it, from 1; 0: it is all of the input
    CHECK (record BETWEEN 0 AND 1000000000000)
) STRICT;
INSERT INTO place_file VALUES(1,2,'a.py',0);
CREATE TABLE place_scope (
  file_id INTEGER NOT NULL REFERENCES place_file CHECK (file_id > 0), -- of which text
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 4294967295), -- as in place
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'Net.forward'
  PRIMARY KEY (file_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO place_scope VALUES(1,1,'Net.go');
CREATE TABLE place_use (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- canonical, 'torch.argsort'
  form TEXT NOT NULL              -- 'instance call': of an instance of the class `name`
    CHECK (form IN ('call', 'reference', 'instance call')),
  how TEXT NOT NULL               -- how it was found; 'one of': the type of a value allows several
    CHECK (how IN ('import', 'inferred', 'one of', 'by name')),
  UNIQUE (scan_id, framework, name, form, how)
) STRICT;
INSERT INTO place_use VALUES(1,2,'jax','jax.Array','call','import');
INSERT INTO place_use VALUES(2,2,'jax','jax.Array.view','call','inferred');
INSERT INTO place_use VALUES(3,2,'jax','jax.jit','call','import');
CREATE TABLE published (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which import
  tbl TEXT NOT NULL CHECK (length(tbl) BETWEEN 1 AND 65535), -- '1': its table 1; 'text': sentences
  line INTEGER NOT NULL CHECK (line BETWEEN 1 AND 1000000), -- row of the table, from 1
  subject TEXT NOT NULL CHECK (length(subject) <= 65535), -- what the row is about: 'torch.argsort'
  item TEXT NOT NULL CHECK (length(item) BETWEEN 1 AND 65535), -- what the column is: 'GPU (ms)'
  text TEXT NOT NULL CHECK (length(text) <= 65535), -- as it is printed: '22%', '5/65'
  value REAL                      -- its first number: 22, 5; NULL: it has none
    CHECK (value BETWEEN -1e300 AND 1e300),
  PRIMARY KEY (run_id, tbl, line, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of starting
  uuid TEXT NOT NULL UNIQUE       -- 32 hexadecimal digits, in the environment of its processes
    CHECK (length(uuid) = 32 AND uuid NOT GLOB '*[^0-9a-f]*'),
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '' while it is measured for the first time
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  state TEXT NOT NULL             -- 'running': under way, or killed without a word;
    CHECK (state = 'running' OR state = 'stopped' OR state = 'done'), -- 'stopped': ended early
  kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)), -- boolean: the user wants to keep it
  options TEXT NOT NULL           -- JSON: what the run was asked for, all of it
    CHECK (json_valid(options) AND length(options) <= 268435456),
  suite_digest TEXT NOT NULL      -- digest of the text of every case file: --resume compares it
    CHECK (length(suite_digest) = 32 AND suite_digest NOT GLOB '*[^0-9a-f]*'),
  seed INTEGER NOT NULL,          -- for inputs and run order; any number
  validity TEXT NOT NULL          -- of its outcomes; '' while not known
    CHECK (validity = '' OR validity = 'valid' OR validity = 'invalid'),
  validity_reason TEXT NOT NULL CHECK (length(validity_reason) <= 65535), -- one line where invalid
  latency_validity TEXT NOT NULL  -- of its latencies; '' while not known
    CHECK (latency_validity = '' OR latency_validity = 'valid' OR latency_validity = 'invalid'),
  latency_validity_reason TEXT NOT NULL         -- one line where invalid
    CHECK (length(latency_validity_reason) <= 65535),
  sample_id INTEGER REFERENCES sample -- whose functions it measured; NULL: none was asked for
    CHECK (sample_id > 0),
  kind TEXT NOT NULL DEFAULT 'measured' -- 'measured' here; 'published': imported, its tests are
    CHECK (kind = 'measured' OR kind = 'published'), -- rows of imported_test
  source TEXT NOT NULL DEFAULT '' -- published: of what, one line; measured and brought here by
    CHECK (length(source) <= 65535), -- merge: name of the file it came from; else ''
  suite_version TEXT NOT NULL DEFAULT '' -- version of the suites; '' where they state none
    CHECK (length(suite_version) <= 65535)
) STRICT;
INSERT INTO run VALUES(1,'8a1ce50ec964b603ec3cebbd076b5bef','2026-11-22T04:42:09.613Z','2026-11-22T04:42:14.816Z','done',0,'{"command":"run","functions":[],"isolation":"function","jobs":2,"keep_values":false,"measured":["null.fails","null.partly","null.works"],"memory":0,"mode":"default","noise":0,"only":null,"outcomes_only":true,"repetitions":0,"sample":0,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[],"warm":"samples=100,enough=30,least=5,warmup=5ms,work=20ms,budget=200ms,long=1s"}','8494ffce89cab1fb2ca0c34405012b5e',1,'valid','','valid','',NULL,'measured','','');
INSERT INTO run VALUES(2,'d50583fe310b75a82a3f6561928cc998','2026-11-22T04:42:25.826Z','2026-11-22T04:42:32.424Z','done',0,'{"command":"run","functions":[],"isolation":"function","jobs":2,"keep_values":true,"measured":["null.works"],"memory":0,"mode":"default","noise":0,"only":null,"outcomes_only":false,"repetitions":2,"sample":0,"scratch":"/tmp/portmeter-000000","seed":1,"suites":["/home/user/suite/null.works.yaml"],"targets":["null@null"],"threads":2,"timeout_s":0.0,"untested":[],"warm":"samples=4,enough=3,least=2,warmup=5ms,work=1us,budget=200ms,long=1s"}','7d5e5bc1eee52343bd0574f0dc791e4d',1,'valid','','valid','',NULL,'measured','','');
CREATE TABLE sample (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of drawing
  scan_id INTEGER REFERENCES scan -- that ranked them; NULL: a ranking given as a file
    CHECK (scan_id > 0),
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  rule TEXT NOT NULL              -- by which they are ranked
    CHECK (rule IN ('study', 'resolved', 'inferred')),
  drawn TEXT NOT NULL             -- time
    CHECK (drawn GLOB '????-??-??T??:??:??.???Z' AND drawn NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: all that it was asked for
    CHECK (json_valid(options) AND length(options) <= 268435456),
  document TEXT NOT NULL          -- JSON: strata, members, audit trail
    CHECK (json_valid(document) AND length(document) <= 268435456)
) STRICT;
INSERT INTO sample VALUES(1,1,'jax','resolved','2026-11-22T04:42:40.145Z','{"all":false,"by":"resolved","exclude":[],"framework":"jax","inventory":0,"left_out":[],"only_tested":false,"per_decile":5,"pins":[],"scan":1,"seed":1,"strata":"disjoint","suite_digest":"","suites":[],"top":20,"unused":false}','{"framework":"jax","members":[{"name":"plus","rank":1,"stratum":0,"uses":2},{"name":"minus","rank":2,"stratum":0,"uses":1}],"per_decile":5,"percentiles":[1.0,1.1000000000000001,1.2,1.3,1.3999999999999999,1.5,1.6000000000000001,1.7,1.8,1.8999999999999999,2.0],"ranked":2,"rule":"disjoint","schema":"portmeter-sample","seed":"1","steps":[{"name":"plus","rank":1,"replaces":"","step":"top","stratum":0,"uses":2,"why":""},{"name":"minus","rank":2,"replaces":"","step":"top","stratum":0,"uses":1,"why":""}],"strata":[{"certain":true,"closed":true,"drawn":2,"eligible":2.0,"high":2.0,"low":1.0,"name":"top 20","size":2,"taken":2,"unevenness":0.11111111111111116,"uses":3.0,"wanted":2}],"top":20,"version":1}');
CREATE TABLE scan (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of finishing
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time
    CHECK (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*'),
  options TEXT NOT NULL           -- JSON: paths and all that it was asked for
    CHECK (json_valid(options) AND length(options) <= 268435456),
  totals TEXT NOT NULL            -- JSON: counts of inputs, files, bytes
    CHECK (json_valid(totals) AND length(totals) <= 268435456),
  damages TEXT NOT NULL           -- JSON: [{"input", "offset", "unpacked", "what"}]
    CHECK (json_valid(damages) AND length(damages) <= 268435456),
  types INTEGER NOT NULL CHECK (types IN (0, 1)), -- boolean: it inferred the types of values
  places INTEGER NOT NULL CHECK (places IN (0, 1)) -- boolean: `place` has its uses
) STRICT;
INSERT INTO scan VALUES(1,'2026-11-22T04:42:40.052Z','2026-11-22T04:42:40.053Z','{"every_file":false,"flat":{"jax":{"file":"flat.json","inventory":1}},"frameworks":["jax"],"paths":["a.py"],"threads":2}','{"bytes_read":48,"bytes_unpacked":48,"damages":0,"files":1,"ignored":0,"inputs":1,"lexed_bytes":48,"lexed_files":1,"text_bytes":48,"without_content":0}','[]',0,0);
INSERT INTO scan VALUES(2,'2026-11-22T12:30:19.061Z','2026-11-22T12:30:19.062Z','{"every_file":false,"flat":{},"frameworks":["jax"],"paths":["a.py"],"threads":1}','{"bytes_read":120,"bytes_unpacked":120,"damages":0,"files":1,"ignored":0,"inputs":1,"lexed_bytes":120,"lexed_files":1,"text_bytes":120,"without_content":0}','[]',1,1);
CREATE TABLE scanned (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  inventory_id INTEGER NOT NULL REFERENCES inventory -- whose names it counted
    CHECK (inventory_id > 0),
  study_files INTEGER NOT NULL    -- files that the study's rule looked at
    CHECK (study_files BETWEEN 0 AND 1000000000000),
  importing_files INTEGER NOT NULL -- files that import it, by the resolved rule
    CHECK (importing_files BETWEEN 0 AND 1000000000000),
  unlisted INTEGER NOT NULL       -- calls of what begins at the framework and is in no inventory
    CHECK (unlisted BETWEEN 0 AND 1000000000000),
  PRIMARY KEY (scan_id, framework)
) STRICT, WITHOUT ROWID;
INSERT INTO scanned VALUES(1,'jax',1,1,1,0);
INSERT INTO scanned VALUES(2,'jax',2,1,1,1);
CREATE TABLE sitting (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1000000), -- in order, from 1
  started TEXT NOT NULL           -- time
    CHECK (started GLOB '????-??-??T??:??:??.???Z' AND started NOT GLOB '*[^0-9TZ:.-]*'),
  finished TEXT NOT NULL          -- time; '' while under way, and where it was killed
    CHECK (finished = '' OR
      (finished GLOB '????-??-??T??:??:??.???Z' AND finished NOT GLOB '*[^0-9TZ:.-]*')),
  machine TEXT NOT NULL           -- JSON: processor, cores, memory, kernel
    CHECK (json_valid(machine) AND length(machine) <= 268435456),
  load_before REAL CHECK (load_before >= 0),    -- load average of one minute; NULL: not known
  load_after REAL CHECK (load_after >= 0),      -- the same at the end
  peak_memory INTEGER NOT NULL DEFAULT 0        -- of all processes together, resident, at most;
    CHECK (peak_memory >= 0),     -- bytes; 0: not known
  peak_scratch INTEGER NOT NULL DEFAULT 0       -- of the scratch folder, at most; bytes; 0: not known
    CHECK (peak_scratch >= 0),
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO sitting VALUES(1,1,'2026-11-22T04:42:09.614Z','2026-11-22T04:42:14.816Z','{"architecture":"x86_64","contains":true,"kernel":"6.1.0","logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}',9.7300000000000004263,9.3800000000000007815,0,0);
INSERT INTO sitting VALUES(2,1,'2026-11-22T04:42:25.827Z','2026-11-22T04:42:32.424Z','{"architecture":"x86_64","contains":true,"kernel":"6.1.0","logical_cores":2,"memory_bytes":8589934592,"physical_cores":2,"processor":"a processor","system":"Linux"}',9.3200000000000002842,9.1300000000000007815,0,0);
CREATE TABLE statistic (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  scope TEXT NOT NULL             -- what it is about
    CHECK (scope = 'case' OR scope = 'function' OR scope = 'target'),
  function TEXT NOT NULL CHECK (length(function) <= 65535), -- '' for a target
  name TEXT NOT NULL CHECK (length(name) <= 65535), -- of the case; '' for a function or a target
  clock TEXT NOT NULL             -- 'cold', 'warm', 'transfer', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  size TEXT NOT NULL CHECK (size IN ('small', 'large')), -- of the cases
  what TEXT NOT NULL              -- 'latency' (ns); 'control latency' (ns), over the cases of the
    CHECK (what = 'latency' OR what = 'control latency' OR what = 'ratio' OR what = 'noise'),
                                  -- ratio; 'ratio' (to the control); 'noise': floor of a control
  value REAL CHECK (value >= 0),  -- in the unit of `what`; NULL: all cases are unstable
  low REAL CHECK (low >= 0),      -- lower end of the 95 % interval; NULL: too few processes
  high REAL CHECK (high >= 0),    -- upper end
  processes INTEGER NOT NULL      -- with samples of all its cases; of a target: its functions; of
                                  -- its noise: its cases
    CHECK (processes BETWEEN 0 AND 1000000000000),
  control_processes INTEGER NOT NULL -- the same on the control
    CHECK (control_processes BETWEEN 0 AND 1000000000000),
  unstable INTEGER NOT NULL       -- boolean: process medians more than a factor of three apart
    CHECK (unstable IN (0, 1))
) STRICT;
INSERT INTO statistic VALUES(1,2,3,'case','null.works','array','warm','small','latency',11803.041980777654316,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(2,2,3,'case','null.works','array','warm','small','ratio',1.7226038116658084486,NULL,NULL,2,2,0);
INSERT INTO statistic VALUES(3,2,3,'function','null.works','','warm','small','latency',11803.041980777654316,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(4,2,3,'function','null.works','','warm','small','control latency',6851.8610610548730619,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(5,2,3,'function','null.works','','warm','small','ratio',1.7226038116658084486,NULL,NULL,2,2,0);
INSERT INTO statistic VALUES(6,2,3,'target','','','warm','small','ratio',1.7226038116658084486,NULL,NULL,1,0,0);
INSERT INTO statistic VALUES(7,2,4,'case','null.works','array','warm','small','latency',6851.8610610548730619,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(8,2,4,'function','null.works','','warm','small','latency',6851.8610610548730619,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(9,2,3,'case','null.works','array','cold','small','latency',98929.076413357950516,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(10,2,3,'case','null.works','array','cold','small','ratio',2.8553707005353152759,NULL,NULL,2,2,0);
INSERT INTO statistic VALUES(11,2,3,'function','null.works','','cold','small','latency',98929.076413357950516,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(12,2,3,'function','null.works','','cold','small','control latency',34646.666506317749735,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(13,2,3,'function','null.works','','cold','small','ratio',2.8553707005353152759,NULL,NULL,2,2,0);
INSERT INTO statistic VALUES(14,2,3,'target','','','cold','small','ratio',2.8553707005353152759,NULL,NULL,1,0,0);
INSERT INTO statistic VALUES(15,2,4,'case','null.works','array','cold','small','latency',34646.666506317749735,NULL,NULL,2,0,0);
INSERT INTO statistic VALUES(16,2,4,'function','null.works','','cold','small','latency',34646.666506317749735,NULL,NULL,2,0,0);
CREATE TABLE target (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 65535), -- 'pytorch@cuda', as it is typed
  environment TEXT NOT NULL CHECK (length(environment) <= 65535), -- of Python, by name
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  device TEXT NOT NULL CHECK (length(device) <= 65535), -- 'cuda'
  mode TEXT NOT NULL CHECK (length(mode) <= 65535), -- 'inductor'; '' for none
  control TEXT NOT NULL           -- text of the target it is compared with; '' where it is its own
    CHECK (length(control) <= 65535),
  role TEXT NOT NULL              -- 'subject': asked for; 'control': the reference;
    CHECK (role = 'subject' OR role = 'control' OR role = 'oracle' OR -- 'oracle': evaluates `expect`;
      role = 'noise'),            -- 'noise': its control once more, never judged
  evidence TEXT NOT NULL          -- what an answer of it proves
    CHECK (evidence = 'executed' OR evidence = 'lowered' OR evidence = 'shape only'),
  latencies INTEGER NOT NULL CHECK (latencies IN (0, 1)), -- boolean: its calls can be timed
  on_host INTEGER NOT NULL CHECK (on_host IN (0, 1)), -- boolean: made of the host's cores
  version TEXT NOT NULL CHECK (length(version) <= 65535), -- of the framework
  versions TEXT NOT NULL          -- JSON object: version by package; '' until its driver is ready
    CHECK (versions = '' OR (json_valid(versions) AND length(versions) <= 268435456)),
  interpreter TEXT NOT NULL CHECK (length(interpreter) <= 65535), -- path of the Python interpreter
  python TEXT NOT NULL            -- its version; '' until its driver is ready, and in runs
    CHECK (length(python) <= 65535), -- that were made before version 3
  device_name TEXT NOT NULL       -- as the framework names it; '' until a child has started
    CHECK (length(device_name) <= 65535),
  driver_version TEXT NOT NULL CHECK (length(driver_version) <= 65535), -- of the device's driver
  numeric TEXT NOT NULL           -- JSON object: value by numeric mode (TF32, x64, oneDNN)
    CHECK (numeric = '' OR (json_valid(numeric) AND length(numeric) <= 268435456)),
  UNIQUE (run_id, text, role)
) STRICT;
INSERT INTO target VALUES(1,1,'null@null','null','null','null','','null@host','subject','executed',0,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','3.11.2','null','','{}');
INSERT INTO target VALUES(2,1,'null@host','null','null','host','','','control','executed',0,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','3.11.2','null','','{}');
INSERT INTO target VALUES(3,2,'null@null','null','null','null','','null@host','subject','executed',1,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','3.11.2','null','','{}');
INSERT INTO target VALUES(4,2,'null@host','null','null','host','','','control','executed',1,1,'3.11.2','{"python":"3.11.2"}','/usr/bin/python3','3.11.2','null','','{}');
CREATE TABLE test_case (
  id INTEGER PRIMARY KEY CHECK (id > 0),        -- in order of adding
  digest TEXT NOT NULL UNIQUE     -- digest of all other columns but id
    CHECK (length(digest) = 32 AND digest NOT GLOB '*[^0-9a-f]*'),
  framework TEXT NOT NULL CHECK (length(framework) <= 65535), -- 'pytorch'
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'rows[float32]'
  dtype TEXT NOT NULL CHECK (length(dtype) <= 65535), -- 'float32'; '' without a list of dtypes
  definition TEXT NOT NULL        -- JSON object: the keys of the case language
    CHECK (json_valid(definition) AND length(definition) <= 268435456),
  host_only INTEGER NOT NULL      -- boolean: the function has nothing to do with the device
    CHECK (host_only IN (0, 1)),
  large INTEGER NOT NULL CHECK (large IN (0, 1)) -- boolean: size: large
) STRICT;
INSERT INTO test_case VALUES(1,'c4e968d307b2101f5eb38812378a50c0','null','null.fails','value','','{"call":"wrongvalue","compare":"close","function":"null.fails","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(2,'79b7a9d521582941a30ddf629a2d6679','null','null.partly','fine','','{"call":"ok","compare":"close","function":"null.partly","inputs":{},"name":"fine","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(3,'7c8ed54b9b70d3421409c49644b90fce','null','null.partly','value','','{"call":"wrongvalue","compare":"close","function":"null.partly","inputs":{"x":"float32[3] normal"},"name":"value","output":"out","repeat":"pure","size":"small"}',0,0);
INSERT INTO test_case VALUES(4,'4a950377cace6367a8288161933a2fe3','null','null.works','array','','{"call":"nearvalue","compare":"close","function":"null.works","inputs":{"x":"float32[3] normal"},"name":"array","output":"out","repeat":"pure","size":"small"}',0,0);
CREATE TABLE timing (
  execution_id INTEGER NOT NULL REFERENCES execution CHECK (execution_id > 0), -- of which execution
  clock TEXT NOT NULL             -- 'cold', 'warm', 'dispatch', 'transfer_in', 'backward', ...
    CHECK (length(clock) BETWEEN 1 AND 65535),
  samples TEXT NOT NULL           -- JSON: [nanoseconds, ...] in order of taking
    CHECK (json_valid(samples) AND samples NOT GLOB '*[^]0-9,[]*' AND
      length(samples) <= 268435456),
  compilations TEXT NOT NULL      -- JSON: [count, ...] beside the samples; '' where not known
    CHECK (compilations = '' OR (json_valid(compilations) AND
      compilations NOT GLOB '*[^]0-9,[]*' AND length(compilations) <= 268435456)),
  warmup INTEGER NOT NULL         -- calls before the first sample, which are in no sample
    CHECK (warmup BETWEEN 0 AND 1000000000000),
  factor INTEGER NOT NULL         -- calls that a sample consists of; its time is that of one
    CHECK (factor BETWEEN 1 AND 1000000000000),
  imports INTEGER NOT NULL        -- modules that were imported while the clock ran
    CHECK (imports BETWEEN 0 AND 1000000000000),
  imported TEXT NOT NULL CHECK (length(imported) <= 65535), -- the first of them, or ''
  PRIMARY KEY (execution_id, clock)
) STRICT, WITHOUT ROWID;
INSERT INTO timing VALUES(13,'cold','[99219]','',0,1,0,'');
INSERT INTO timing VALUES(13,'warm','[12959,12020,7770]','',1023,1,0,'');
INSERT INTO timing VALUES(14,'cold','[98640]','',0,1,0,'');
INSERT INTO timing VALUES(14,'warm','[17250,11590,8570]','',1023,1,0,'');
INSERT INTO timing VALUES(15,'cold','[31350]','',0,1,0,'');
INSERT INTO timing VALUES(15,'warm','[7380,4840,3460]','',127,1,0,'');
INSERT INTO timing VALUES(16,'cold','[38290]','',0,1,0,'');
INSERT INTO timing VALUES(16,'warm','[9700,47249,8090]','',2047,1,0,'');
CREATE TABLE unlisted (
  scan_id INTEGER NOT NULL REFERENCES scan CHECK (scan_id > 0), -- of which scan
  framework TEXT NOT NULL CHECK (length(framework) BETWEEN 1 AND 65535), -- 'pytorch'
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 65535), -- 'torch.lost'; '...' at its end
                                  -- where it is longer
  calls INTEGER NOT NULL CHECK (calls BETWEEN 0 AND 1000000000000), -- of it
  files INTEGER NOT NULL CHECK (files BETWEEN 0 AND 1000000000000), -- files that call it
  PRIMARY KEY (scan_id, framework, name)
) STRICT, WITHOUT ROWID;
INSERT INTO unlisted VALUES(2,'jax','jax.lost',1,1);
CREATE TABLE verdict (
  run_id INTEGER NOT NULL REFERENCES run CHECK (run_id > 0), -- of which run
  target_id INTEGER NOT NULL REFERENCES target CHECK (target_id > 0), -- on which target
  function TEXT NOT NULL CHECK (length(function) BETWEEN 1 AND 65535), -- 'torch.argsort'
  verdict TEXT NOT NULL           -- by the rules of docs/judging.md
    CHECK (verdict = 'success' OR verdict = 'partial failure' OR verdict = 'complete failure' OR
      verdict = 'absent' OR verdict = 'broken' OR verdict = 'blocked' OR verdict = 'untested' OR
      verdict = 'not measured'),
  verdict_study TEXT NOT NULL     -- the same by the study's counting rules
    CHECK (verdict_study = 'success' OR verdict_study = 'partial failure' OR
      verdict_study = 'complete failure' OR verdict_study = 'absent' OR
      verdict_study = 'broken' OR verdict_study = 'blocked' OR verdict_study = 'untested' OR
      verdict_study = 'not measured'),
  counted INTEGER NOT NULL        -- cases (dtypes apart) that entered the verdict
    CHECK (counted BETWEEN 0 AND 1000000000000),
  passed INTEGER NOT NULL CHECK (passed BETWEEN 0 AND counted), -- of them, in every repetition
  flaky INTEGER NOT NULL CHECK (flaky BETWEEN 0 AND counted), -- of them, repetitions that disagree
  host_only INTEGER NOT NULL CHECK (host_only IN (0, 1)), -- boolean: nothing of it is on the device
  detail TEXT NOT NULL CHECK (length(detail) <= 65535), -- one line: the first failure
  why TEXT NOT NULL DEFAULT '' CHECK (length(why) <= 65535), -- reason: of most of its failures; ''
  rule TEXT NOT NULL DEFAULT '' CHECK (length(rule) <= 65535), -- id of the rule that gave it; ''
  PRIMARY KEY (run_id, target_id, function)
) STRICT, WITHOUT ROWID;
INSERT INTO verdict VALUES(1,1,'null.fails','complete failure','complete failure',1,0,0,0,'out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)','wrong result','compared');
INSERT INTO verdict VALUES(1,1,'null.partly','partial failure','partial failure',2,1,0,0,'out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)','wrong result','compared');
INSERT INTO verdict VALUES(1,1,'null.works','success','success',1,1,0,0,'','','');
INSERT INTO verdict VALUES(1,2,'null.fails','success','success',1,1,0,0,'','','');
INSERT INTO verdict VALUES(1,2,'null.partly','success','success',2,2,0,0,'','','');
INSERT INTO verdict VALUES(1,2,'null.works','success','success',1,1,0,0,'','','');
INSERT INTO verdict VALUES(2,3,'null.works','success','success',1,1,0,0,'','','');
INSERT INTO verdict VALUES(2,4,'null.works','success','success',1,1,0,0,'','','');
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
INSERT INTO judged_case VALUES(1,1,1,1,1,0,1,0,1,1,0,0,0,0,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 7.057037 instead of -0.61787033 (rtol 1.3e-06, atol 1e-05)','wrong result','compared',NULL);
INSERT INTO judged_case VALUES(1,1,2,1,1,1,0,0,1,1,0,0,0,0,'pass','','','','',NULL);
INSERT INTO judged_case VALUES(1,1,3,1,1,0,1,0,1,1,0,0,0,0,'fail','compare','out: 3 of 3 elements differ, largest at [0]: 1101.975 instead of -0.0037575243 (rtol 1.3e-06, atol 1e-05)','wrong result','compared',NULL);
INSERT INTO judged_case VALUES(1,1,4,1,1,1,0,0,1,1,0,0,0,0,'pass','','','','',8.6778715923191463788e-08);
INSERT INTO judged_case VALUES(1,2,1,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',0.0);
INSERT INTO judged_case VALUES(1,2,2,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',NULL);
INSERT INTO judged_case VALUES(1,2,3,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',0.0);
INSERT INTO judged_case VALUES(1,2,4,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',0.0);
INSERT INTO judged_case VALUES(2,3,4,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',8.6778715923191463788e-08);
INSERT INTO judged_case VALUES(2,4,4,2,2,2,0,0,1,1,0,0,0,0,'pass','','','','',0.0);
CREATE TABLE judged_run (
  run_id INTEGER PRIMARY KEY REFERENCES run CHECK (run_id > 0),
  executions INTEGER NOT NULL
    CHECK (executions BETWEEN 0 AND 1000000000000),
  cases INTEGER NOT NULL
    CHECK (cases BETWEEN 0 AND 1000000000000)
) STRICT;
INSERT INTO judged_run VALUES(1,12,8);
INSERT INTO judged_run VALUES(2,4,2);
CREATE INDEX statistic_of_run ON statistic (run_id, scope);
CREATE INDEX execution_todo ON execution (run_id, reason) WHERE state = 'todo';
CREATE INDEX execution_repeated ON execution (run_id, reason, state) WHERE reason <> '';
CREATE INDEX timing_imports ON timing (execution_id) WHERE imports > 0;
CREATE INDEX statistic_unstable ON statistic (run_id) WHERE unstable = 1;
COMMIT;
