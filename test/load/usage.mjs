// Memory and CPU of the deployment's processes, from the system's accounting (Linux; elsewhere there is none to show).
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const bytesPerMib = 1024 * 1024;

/**
 * Groups the processes that some processes have started, and those themselves.
 * @param roots process ids; this process itself is left out, what it has started is not
 * @returns {Map<string, {pids: number[], mib: number, cpuSeconds: number}>} by what they are; memory without files and what is shared
 */
export function usageOf(roots) {
  const groups = new Map();
  for (const { pid, parent, ...process_ } of processes(roots)) {
    const name = nameOf(pid, parent);
    const group = groups.get(name) ?? { pids: [], mib: 0, cpuSeconds: 0 };
    groups.set(name, {
      pids: [...group.pids, pid],
      mib: group.mib + process_.mib,
      cpuSeconds: group.cpuSeconds + process_.cpuSeconds,
    });
  }
  return groups;
}

/** What groups used of the processor between two looks, in cores. */
export function coresBetween(before, after, seconds) {
  const cores = new Map();
  for (const [name, { cpuSeconds }] of after) {
    cores.set(name, Math.max(0, cpuSeconds - (before.get(name)?.cpuSeconds ?? 0)) / seconds);
  }
  return cores;
}

function processes(roots) {
  const all = new Map(pids().flatMap((pid) => entryOf(pid)));
  const isOurs = (pid) => roots.includes(pid) || (all.has(pid) && isOurs(all.get(pid).parent));
  return [...all.values()].filter(({ pid }) => pid !== process.pid && isOurs(pid));
}

function pids() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // another system than Linux
  }
}

function entryOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...fields] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // utime, stime, and those of children that have ended: fields 14 to 17 of proc(5).
    const ticks = fields.slice(9, 13).reduce((sum, value) => sum + value, 0);
    const anonymous = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (anonymous === null) return []; // it has ended
    const mib = (Number(anonymous[1]) * 1024) / bytesPerMib;
    return [[pid, { pid, parent, mib, cpuSeconds: ticks / ticksPerSecond }]];
  } catch {
    return []; // it has ended since
  }
}

function nameOf(pid) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const app = command.map((part) => /apps\/([a-z-]+)\/src\/main/.exec(part)?.[1]).find(Boolean);
    if (app !== undefined) return app === 'standalone' ? 'api and worker' : app.replace('-', ' ');
    return /postgres/.test(command[0]) ? 'PostgreSQL' : 'others';
  } catch {
    return 'others';
  }
}
