// Preloaded (node --require) into a process of the build; measures the longest pause of its event loop as the processor time of the main
// thread between two turns of the loop, which other processes on a busy machine do not lengthen. A slow or crowded core does, so a fixed
// piece of work is timed too, and pauses are reported in milliseconds of a core that does it in `calibrationMs`. On SIGUSR2 the longest
// pause since the last signal is written to `<pid>.json` in the folder STALL_FOLDER.
const { openSync, readSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const everyMs = 2;
/** Duration of the calibration on an idle present-day server core. */
const calibrationMs = 4;
const [, app] = /apps.([a-z-]+).src.main\.js$/.exec(process.argv[1] ?? '') ?? [];
const wanted = process.env.STALL_APP;

if (isMainThread && (wanted === undefined || wanted === app)) watch(process.env.STALL_FOLDER);

function watch(folder) {
  const cpuMs = mainThreadClock();
  let longestMs = 0;
  let lastMs = cpuMs();
  setInterval(() => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, everyMs).unref();
  process.on('SIGUSR2', () => {
    // A pause that ended in this turn of the loop was not measured yet.
    const pauseMs = Math.max(longestMs, cpuMs() - lastMs);
    const rounds = Array.from({ length: 5 }, () => calibrate(cpuMs)).sort((one, other) => one - other);
    const slowness = Math.max(1, rounds[2] / calibrationMs);
    writeFileSync(join(folder, `${process.pid}.part`), JSON.stringify({ pauseMs: pauseMs / slowness, slowness }));
    renameSync(join(folder, `${process.pid}.part`), join(folder, `${process.pid}.json`));
    longestMs = 0;
    lastMs = cpuMs(); // the calibration does not count as a pause
  });
}

/** The processor time of the main thread in milliseconds, or of the whole process if the kernel does not report it. */
function mainThreadClock() {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const buffer = Buffer.alloc(64);
    return () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ')[0]) / 1e6;
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e3;
    };
  }
}

function calibrate(cpuMs) {
  const startMs = cpuMs();
  const text = JSON.stringify(Array.from({ length: 4_000 }, (_, index) => ({ index, name: `name ${index}` })));
  let sum = 0;
  for (const { name } of JSON.parse(text)) sum += name.replace(/\d/g, 'x').length;
  if (sum === 0) throw new Error('nothing was done');
  return cpuMs() - startMs;
}
