// Preloaded (node --require) into examples/tools: once what a call did is on disk, and before anybody is answered, an order is carried
// out. Orders are files in the folder AFTER_RECORD: `kill` ends the process with SIGKILL, once; as long as `hold` is there, it stands still.
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
