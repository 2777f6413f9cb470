/** The mistakes of a newcomer, each answered with one sentence that says what is wrong and what to do. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { freePorts, TestProcess } from '@app/testing/processes';

const atMostMs = 240_000;
let folder: string;
let ports: number[];
let holder: Server;
const told: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-newcomer-'));
  await chmod(folder, 0o755);
  ports = await freePorts(4);
  holder = createServer().listen(ports[2], '127.0.0.1');
  await once(holder, 'listening');
});
afterAll(async () => {
  holder.close();
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`what a newcomer is told:\n${told.map((line) => `  ${line}\n`).join('')}`);
});

let made = 0;
/** The path of a data folder that does not exist yet. */
const newFolder = (): string => join(folder, `data-${++made}`);
/** One shared data folder for mistakes that are found only after the stores have started, which saves starting new ones for each. */
const storesFolder = (): string => join(folder, 'data-stores');

function standalone(env: Record<string, string>, cwd = folder): TestProcess {
  const own = { PORT: String(ports[0]), MANAGEMENT_PORT: String(ports[1]), PARLEY_DATA_DIR: newFolder(), ...env };
  return new TestProcess({ app: 'standalone', env: own, cwd, ready: (output) => output.includes('is ready') });
}

/** Starts with the mistake, expects exit code 1 and no stack, and returns the output. */
async function saidOf(mistake: string, env: Record<string, string>, cwd?: string): Promise<string> {
  const one = standalone(env, cwd);
  await expect(one.start()).rejects.toThrow('standalone ended with 1');
  const said = one.output.trim();
  told.push(`${mistake}: ${said}`);
  expect(said).not.toMatch(/^\s+at /m);
  expect(said.split('\n')).toHaveLength(said.startsWith('The environment is not valid:') ? 2 : 1);
  return said;
}

const production = {
  PARLEY_MODE: 'production',
  OIDC_ISSUER: 'https://id.example',
  WALLET_PROVIDER: 'near-intents',
  SOLVER_RELAY_TOKEN: 'for-the-relay',
  PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
};

describe('a wrong setting', () => {
  it.each([
    ['an unknown mode', { PARLEY_MODE: 'staging' }, /PARLEY_MODE: must be one of sandbox, production/],
    ['a scheme that is none', { DATABASE_URL: 'mysql://db/x' }, /DATABASE_URL: must begin with postgres:\/\//],
    ['an event store by http', { EVENTSTORE_URL: 'http://store' }, /EVENTSTORE_URL: must begin with esdb:\/\//],
    ['a port out of range', { PORT: '99999' }, /PORT: must be the number of a port, up to 65535/],
    ['a sandbox for everybody', { HOST: '0.0.0.0' }, /HOST: sandbox mode listens on loopback only/],
    [
      'a database that is away',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /PostgreSQL does not answer \(.*ECONNREFUSED.*DATABASE_URL/,
    ],
    [
      'an event store that is away',
      { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' },
      /the event store does not answer.*EVENTSTORE_URL/,
    ],
    ['a host of another machine', { ...production, HOST: '203.0.113.7' }, /HOST is no address of this machine: set it/],
  ])(
    '%s',
    async (mistake, env, sentence) => {
      // Production also prints a warning about its embedded stores.
      if ('PARLEY_MODE' in env && env.PARLEY_MODE === 'production') {
        const one = standalone(env);
        await expect(one.start()).rejects.toThrow('standalone ended with 1');
        const said = one.output
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith('warning: the embedded'))
          .join('\n');
        told.push(`${mistake}: ${said}`);
        expect(said).toMatch(sentence);
      } else expect(await saidOf(mistake, env)).toMatch(sentence);
    },
    atMostMs,
  );

  it(
    'a variable that is misspelt, also in .env',
    async () => {
      const cwd = newFolder();
      await mkdir(cwd);
      await writeFile(join(cwd, '.env'), 'EVENT_STORE_URL=esdb://store\n');
      const one = standalone({ PARLEY_DATADIR: 'x', PARLEY_MODE: 'staging' }, cwd);
      await expect(one.start()).rejects.toThrow('standalone ended with 1');
      const known = standalone({ PARLEY_DATADIR: 'x', PORT: String(ports[2]), PARLEY_DATA_DIR: storesFolder() }, cwd);
      await expect(known.start()).rejects.toThrow('standalone ended with 1');
      expect(known.output).toContain(
        'warning: PARLEY_DATADIR is no variable of Parley, and changes nothing; did you mean PARLEY_DATA_DIR?',
      );
      expect(known.output).toContain(
        'warning: EVENT_STORE_URL is no variable of Parley, and changes nothing; did you mean EVENTSTORE_URL?',
      );
      told.push(`a misspelt variable: ${known.output.split('\n')[0] ?? ''}`);
    },
    atMostMs,
  );

  it(
    'a .env that is no file',
    async () => {
      const cwd = newFolder();
      await mkdir(join(cwd, '.env'), { recursive: true });
      expect(await saidOf('a .env that is no file', {}, cwd)).toMatch(/\.env cannot be read: mend or remove it/);
    },
    atMostMs,
  );
});

describe('a port', () => {
  it.each(['PORT', 'MANAGEMENT_PORT'])(
    '%s that another program has',
    async (variable) => {
      const env = { [variable]: String(ports[2]), PARLEY_DATA_DIR: storesFolder() };
      const said = await saidOf(`${variable} in use`, env);
      expect(said).toBe(
        `port ${ports[2]} is in use by another program: stop that one, or set ${variable} to a free port`,
      );
    },
    atMostMs,
  );
});

describe('a data folder', () => {
  it(
    'that is a file',
    async () => {
      const file = newFolder();
      await writeFile(file, 'x');
      expect(await saidOf('a file as data folder', { PARLEY_DATA_DIR: file })).toMatch(
        /is no folder that can be written.*set PARLEY_DATA_DIR/,
      );
    },
    atMostMs,
  );

  it(
    'that nobody can write',
    async () => {
      const said = await saidOf('a folder that cannot be written', { PARLEY_DATA_DIR: '/proc/parley' });
      expect(said).toMatch(/is no folder that can be written.*set PARLEY_DATA_DIR/);
    },
    atMostMs,
  );

  it(
    "that holds somebody's files",
    async () => {
      const dataDir = newFolder();
      await mkdir(join(dataDir, 'postgres'), { recursive: true });
      await writeFile(join(dataDir, 'postgres', 'thesis.txt'), 'years of work');
      expect(await saidOf('a folder with other files', { PARLEY_DATA_DIR: dataDir })).toMatch(
        /is not empty and was not made by this program: move/,
      );
    },
    atMostMs,
  );

  it(
    'whose secrets.json is damaged',
    async () => {
      const dataDir = newFolder();
      await mkdir(dataDir);
      await writeFile(join(dataDir, 'secrets.json'), '{"secretKey": "');
      const said = await saidOf('a damaged secrets.json', { PARLEY_DATA_DIR: dataDir });
      expect(said).toMatch(/secrets\.json is damaged: put it back from a backup/);
    },
    atMostMs,
  );

  it(
    'whose PostgreSQL is of another version, damaged, or without its password',
    async () => {
      const dataDir = storesFolder();
      const postgres = join(dataDir, 'postgres');
      await mkdir(dataDir, { recursive: true });
      await (await startEmbeddedPostgres({ dataDir: postgres })).stop();
      const versionFile = join(postgres, 'cluster', 'PG_VERSION');
      const version = await readFile(versionFile, 'utf8');
      await writeFile(versionFile, '15\n');
      expect(await saidOf('PostgreSQL of another version', { PARLEY_DATA_DIR: dataDir })).toMatch(
        /made by PostgreSQL 15 and cannot be read by 18: dump it/,
      );
      await writeFile(versionFile, version);
      const password = await readFile(join(postgres, 'password'), 'utf8');
      await rm(join(postgres, 'password'));
      expect(await saidOf('a lost password', { PARLEY_DATA_DIR: dataDir })).toMatch(
        /password is lost: put it back from a backup/,
      );
      await writeFile(join(postgres, 'password'), password);
      await truncate(join(postgres, 'cluster', 'global', 'pg_control'), 100);
      expect(await saidOf('a control file cut short', { PARLEY_DATA_DIR: dataDir })).toMatch(
        /is damaged \(PostgreSQL says .*\): put the folder back from a backup/,
      );
    },
    atMostMs,
  );
});
