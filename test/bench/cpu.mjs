// CPU time of processes from the system's own accounting, the measure that a noisy machine disturbs least.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Linux reports CPU time to programs in hundredths of a second, whatever the kernel's tick is (proc_pid_stat(5),
 * USER_HZ).
 */
const ticksPerSecond = 100;
/** A side is quiet when it uses less than a tenth of one core for `quietMs`. Its idle work is below that. */
const quietMs = 300;
const quietShare = 0.1;
const quietWithinMs = 20_000;

const measurable = process.platform === 'linux';

/** Benchmark 17: the figure of another benchmark that reports the result of `perOperation`. Only some have an aim. */
export const cpuFigure = (name, others = {}) => ({
  number: 17,
  name,
  key: 'cpuMs',
  unit: 'ms of CPU',
  better: 'less',
  ...others,
});

/**
 * Measures the CPU of a side from now on, after its earlier work is over.
 * @param {Record<string, number>} roots the side's processes by name; all their descendants count, also those that have
 * ended
 */
export async function cpuMeter(roots) {
  const before = await whenQuiet(roots);
  return {
    /**
     * Milliseconds of CPU per operation after all remaining work is done: `cpuMs`, and the part of each process. Empty
     * where the system does not report it.
     */
    async perOperation(count) {
      const after = await whenQuiet(roots);
      if (before === null || after === null) return {};
      const cpuParts = Object.fromEntries(
        Object.keys(roots).map((name) => [name, ((after[name] - before[name]) * 1000) / count]),
      );
      return { cpuMs: sumOf(cpuParts), cpuParts };
    },
  };
}

/** The seconds of CPU that each part has used, as soon as all together are quiet or the time for that is over. */
async function whenQuiet(roots) {
  if (!measurable) return null;
  const deadline = performance.now() + quietWithinMs;
  let last = cpuSeconds(roots);
  for (;;) {
    await sleep(quietMs);
    const now = cpuSeconds(roots);
    const busy = (sumOf(now) - sumOf(last)) * 1000 > quietMs * quietShare;
    if (!busy || performance.now() > deadline) return now;
    last = now;
  }
}

const sumOf = (parts) => Object.values(parts).reduce((sum, part) => sum + part, 0);

/** Seconds of CPU until now, by the names of the roots. */
export function cpuSeconds(roots) {
  const processes = allProcesses();
  const below = (pid) => {
    const own = processes.get(pid);
    if (own === undefined) throw new Error(`process ${pid} has ended`);
    return own.children.reduce((sum, child) => sum + below(child), own.ticks);
  };
  return Object.fromEntries(Object.entries(roots).map(([name, pid]) => [name, below(pid) / ticksPerSecond]));
}

/** Every process by its id, with its children and its own CPU plus that of the children it has waited for. */
function allProcesses() {
  const processes = new Map();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : null;
    if (stat !== null) processes.set(Number(entry), { ...stat, children: [] });
  }
  for (const [pid, { parent }] of processes) processes.get(parent)?.children.push(pid);
  return processes;
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name comes first, in brackets, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, waitedUser, waitedSystem] = fields.slice(11, 15).map(Number);
    return { parent: Number(fields[1]), ticks: user + system + waitedUser + waitedSystem };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return null; // it has ended meanwhile
    throw error;
  }
}
