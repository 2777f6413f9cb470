// CPU that processes use, from the system's own accounting: what a noisy machine disturbs least.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts in hundredths of a second for programs, whatever the kernel ticks in (proc_pid_stat(5), USER_HZ). */
const ticksPerSecond = 100;
/** A side is quiet when it uses less than a tenth of one core for so long; what it does while idle is below that. */
const quietMs = 300;
const quietShare = 0.1;
const quietWithinMs = 20_000;

const measurable = process.platform === 'linux';

/** Benchmark 17: the figure of another benchmark that says what `perOperation` told. Only some have an aim. */
export const cpuFigure = (name, others = {}) => ({
  number: 17,
  name,
  key: 'cpuMs',
  unit: 'ms of CPU',
  better: 'less',
  ...others,
});

/**
 * Counts the CPU of a side from now on, once what it did before is over.
 * @param {Record<string, number>} roots the side's processes by name; all below them belong to them, also those that have ended
 */
export async function cpuMeter(roots) {
  const before = await whenQuiet(roots);
  return {
    /**
     * Milliseconds of CPU for each of so many operations, once all that they left to do is done: `cpuMs`, and of that each
     * process's part. Undefined where the system does not tell.
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

/** The seconds of CPU that each part has used, as soon as all together are quiet, or the time for that is over. */
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

/** Every process by its id, with its children, and its own CPU with that of the children that it has waited for. */
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
    // The program's name comes first, in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, waitedUser, waitedSystem] = fields.slice(11, 15).map(Number);
    return { parent: Number(fields[1]), ticks: user + system + waitedUser + waitedSystem };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return null; // it has ended meanwhile
    throw error;
  }
}
