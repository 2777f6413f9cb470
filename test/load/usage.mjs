// Memory and CPU of the deployment's processes, from the system's accounting (Linux; other systems show none).
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const bytesPerMib = 1024 * 1024;

/**
 * Groups the given processes and their descendants by program.
 * @param roots process ids; this process itself is left out, its descendants are not
 * @returns {Map<string, {pids: number[], mib: number, cpuSeconds: number}>} by program; memory without files and shared
 * memory
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

/** The CPU that groups used between two measurements, in cores. */
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
    return []; // a system other than Linux
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
    if (anonymous === null) return []; // the process has ended
    const mib = (Number(anonymous[1]) * 1024) / bytesPerMib;
    return [[pid, { pid, parent, mib, cpuSeconds: ticks / ticksPerSecond }]];
  } catch {
    return []; // the process has ended meanwhile
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
