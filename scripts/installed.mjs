// Checks whether node_modules contains the packages of package-lock.json, by npm's own record of what it installed.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** npm writes its record last, so an interrupted install has none. */
export const npmRecord = path.join('node_modules', '.package-lock.json');

/** Whether npm's record of the folder agrees with its package-lock.json in every package that belongs on this machine. */
export function matchesLockFile(folder) {
  const record = path.join(folder, npmRecord);
  if (!existsSync(record)) return false;
  const wanted = packagesOf(path.join(folder, 'package-lock.json'));
  const installed = packagesOf(record);
  return (
    [...wanted].every(([name, entry]) => matches(name, entry, installed.get(name))) &&
    [...installed.keys()].every((name) => wanted.has(name))
  );
}

function packagesOf(file) {
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(Object.entries(packages).filter(([name]) => name !== ''));
}

function matches(name, wanted, installed) {
  // Our own packages are here anyway: a new version of them needs no install.
  if (installed && !name.includes('node_modules/')) return true;
  if (installed) return installed.version === wanted.version && installed.integrity === wanted.integrity;
  return Boolean(wanted.optional || wanted.devOptional) && !belongsHere(wanted);
}

/**
 * npm skips optional packages of other platforms, and the packages that only those depend on (which name no platform).
 * A libc is not compared, because such packages exist in pairs, of which one is skipped.
 */
function belongsHere({ os, cpu, libc }) {
  const listed = (list, value) =>
    !list || (list.some((item) => item[0] !== '!') ? list.includes(value) : !list.includes(`!${value}`));
  return Boolean(os || cpu) && !libc && listed(os, process.platform) && listed(cpu, process.arch);
}
