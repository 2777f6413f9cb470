// Preloaded (node --require) into api, worker and standalone processes of the build. They run the product as built,
// except that its probe kills the process with SIGKILL when a point is reached for the n-th time. Orders are files in
// the folder PARLEY_KILL_ORDERS: the next process of the app that starts takes `next-<app>.json`; a running process
// reads `<pid>.json` on SIGUSR2. A taken order becomes `<pid>.taken`, and one that was carried out becomes
// `<pid>.killed`, which names it.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { subscribe } = require('node:diagnostics_channel');

const folder = process.env.PARLEY_KILL_ORDERS;
const [, app] = /apps.([a-z-]+).src.main\.js$/.exec(process.argv[1]);
const taken = join(folder, `${process.pid}.taken`);
let order = null;
let passed = {};

/** An order is `{point, nth}`; a point of null only counts. */
function take(file) {
  try {
    renameSync(join(folder, file), taken);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  order = JSON.parse(readFileSync(taken, 'utf8'));
  passed = {};
}

subscribe('parley:probe', (point) => {
  passed[point] = (passed[point] ?? 0) + 1;
  if (order === null || order.point !== point || passed[point] !== order.nth) return;
  writeFileSync(taken, `${app} ${order.point} ${order.nth}`);
  renameSync(taken, join(folder, `${process.pid}.killed`));
  process.kill(process.pid, 'SIGKILL');
  // Blocks the thread, so that no code of this process runs even if the kernel takes a moment.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

process.on('SIGUSR2', () => {
  // The counts under the previous order.
  writeFileSync(join(folder, `${process.pid}.passed`), JSON.stringify(passed));
  take(`${process.pid}.json`);
});
// Until this handler is there, the signal ends the process.
writeFileSync(join(folder, `${process.pid}.listening`), '');
take(`next-${app}.json`);
