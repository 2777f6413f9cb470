// Preloaded (node --require) into examples/tools. After a call's effect is on disk, and before it is answered, an order is carried out: a
// file in the folder AFTER_RECORD. `kill` ends the process with SIGKILL, once; while `hold` exists, the process is blocked.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { join } = require('node:path');

const folder = process.env.AFTER_RECORD;
const { fsyncSync } = fs;
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

fs.fsyncSync = (file) => {
  fsyncSync(file);
  if (fs.existsSync(join(folder, 'kill'))) {
    fs.rmSync(join(folder, 'kill'));
    process.kill(process.pid, 'SIGKILL');
    pause(Infinity);
  }
  while (fs.existsSync(join(folder, 'hold'))) {
    fs.writeFileSync(join(folder, 'held'), '');
    pause(20);
  }
};
syncBuiltinESMExports();
