// Programs that tests drive and npm does not install (a browser, a proxy): found on this machine, or installed with apt-get as root on
// Debian. Never skipped: without them it fails and says how to fix that.
//   node scripts/debian.mjs nginx docker-compose   installs what is missing, prints a path for each
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

const lockFile = '/tmp/parley-apt.lock';
const installTimeoutSeconds = 900;
/** Another apt-get may hold the lists or dpkg for as long as it downloads. */
const triesMax = 20;
const retryMs = 5_000;

/**
 * Everything that the whole test run drives: programs, the packages that contain each, and other files that must exist. Nothing else is
 * installed, so that all of it can be announced before.
 */
const testPrograms = [
  { names: ['git'], packages: ['git'] },
  {
    names: [process.env.CHROMIUM_PATH ?? 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    packages: ['chromium', 'fonts-liberation'],
  },
  { names: ['docker-compose'], packages: ['docker-compose'] },
  { names: ['nginx'], packages: ['nginx'] },
  { names: ['haproxy'], packages: ['haproxy'] },
  // Excludes the package that starts a server of its own.
  { names: ['apache2'], packages: ['apache2-bin'] },
  { names: ['caddy'], packages: ['caddy'] },
  { names: ['systemd-analyze'], packages: ['systemd'] },
  { names: ['pgbouncer'], packages: ['pgbouncer'] },
  // Contains promtool as well.
  { names: ['prometheus'], packages: ['prometheus'] },
  { names: ['openssl'], packages: ['openssl'] },
  // Runs the programs of the guides.
  { names: ['python3'], packages: ['python3'] },
  // Verifies the log of all events with the module that verifies the web's own logs.
  {
    names: ['go'],
    packages: ['golang-go', 'golang-golang-x-mod-dev'],
    files: ['/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog/tlog.go'],
  },
];

/** The announcement before a whole test run: what it will install, or what must be installed for it; null when nothing is missing. */
export function missingInWords(isRoot, programs = testPrograms) {
  const packages = programs.flatMap((program) => (findWhole(program) === undefined ? program.packages : []));
  if (packages.length === 0) return null;
  return isRoot
    ? `the tests will install what they drive and is missing here, with apt-get: ${packages.join(' ')}`
    : `the tests drive programs that are missing here, and this process is not root: apt-get install ${packages.join(' ')}`;
}

/** The path of the program, if all its files exist. */
function findWhole({ names, files = [] }) {
  return files.every((file) => existsSync(file)) ? findProgram(names) : undefined;
}

/** @returns {string | undefined} the path of the first of these programs (names searched on the PATH, or paths) that can be run */
export function findProgram(names) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/sbin'];
  return names
    .flatMap((name) => (path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name))))
    .find(isExecutable);
}

/**
 * Returns the path of one of the programs above; installs its Debian packages when it is missing. Two processes may ask at once: one
 * installs, the other waits.
 * @param {string} program
 * @param {string} [hint] another remedy
 * @throws {Error} when it is missing and cannot be installed: says what to install
 */
export async function requireProgram(program, hint = '') {
  const wanted = testPrograms.find(({ names }) => names.includes(program));
  if (wanted === undefined) throw new Error(`${program} is none of the programs that npm test says it installs`);
  const { names, packages } = wanted;
  const missing = (why) =>
    new Error(`${names[0]} is needed and ${why}. Install it: apt-get install ${packages.join(' ')}${hint}`);
  const found = findWhole(wanted);
  if (found) return found;
  if (process.getuid?.() !== 0) throw missing('missing; this process is not root, so it cannot install it');
  if (!existsSync('/usr/bin/apt-get')) throw missing('missing; this is no Debian, so it cannot be installed from here');
  await install(packages, missing, () => findWhole(wanted) !== undefined);
  const installed = findWhole(wanted);
  if (!installed) throw missing('still missing after apt-get installed its packages');
  return installed;
}

async function install(packages, missing, isThere) {
  let output = '';
  for (let tried = 0; tried < triesMax; tried += 1) {
    // flock: one of our processes at a time, and the lock of a process that died is free. The one before may have installed ours.
    const command = `apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=${installTimeoutSeconds} ${packages.join(' ')}`;
    const run = spawnSync('flock', [lockFile, 'sh', '-c', command], {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: installTimeoutSeconds * 1_000,
    });
    if (run.status === 0 || isThere()) return;
    output = `${run.error?.message ?? ''}${run.stdout ?? ''}${run.stderr ?? ''}`;
    if (!/could not get lock|unable to lock|temporary failure|is another process using it/i.test(output)) break;
    await sleep(retryMs);
  }
  throw missing(`apt-get could not install it:\n${output.trim()}\n`);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // missing or not executable: not the one in either case
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    for (const program of process.argv.slice(2)) console.log(await requireProgram(program));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
