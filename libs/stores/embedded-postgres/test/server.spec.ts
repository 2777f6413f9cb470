import { execFile } from 'node:child_process';
import { link, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { DataFolderInUse, ensureDatabase, startEmbeddedPostgres } from '../src';
import { AS_ROOT, end, launch, NOBODY, postmasterOf, query, scratchFolders, urlFrom } from './launch';

// A busy machine may take long to make a cluster.
const folders = scratchFolders();
afterAll(() => folders.remove());
/**
 * A ready folder for tests that do not depend on how it was made, because making a cluster takes a second. Its path has to be quoted
 * everywhere.
 */
let made: Promise<string> | undefined;
const madeFolder = (): Promise<string> => (made ??= folders.make().then((folder) => join(folder, 'a b%20ü?&')));
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('an embedded PostgreSQL', () => {
  it('starts on nothing, keeps its rows, and starts again', async () => {
    const dataDir = join(await folders.make(), 'not', 'there');
    const first = await startEmbeddedPostgres({ dataDir });
    await query(first.url('postgres'), 'CREATE TABLE kept AS SELECT 7 AS x');
    await first.stop();
    await first.stop();

    const second = await startEmbeddedPostgres({ dataDir });
    expect(await query(second.url('postgres'), 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    await second.stop();
  });

  it('is durable, quiet and closed to others', async () => {
    const dataDir = await madeFolder();
    const log: string[] = [];
    const server = await startEmbeddedPostgres({ dataDir, onLog: (line) => log.push(line) });
    const url = server.url('postgres');
    const settings = await query(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes',
       'data_checksums', 'listen_addresses', 'max_connections', 'server_encoding') ORDER BY name`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      max_connections: '200',
      server_encoding: 'UTF8',
      synchronous_commit: 'on',
    });
    const wrong = new URL(url);
    wrong.password = 'guessed';
    await expect(query(wrong.toString(), 'SELECT 1')).rejects.toThrow('password authentication failed');
    await query(url, "CREATE TABLE t (x text UNIQUE); INSERT INTO t VALUES ('secret')");
    await expect(query(url, "INSERT INTO t VALUES ('secret')")).rejects.toThrow('duplicate key');
    await server.stop();
    expect(log.join('\n')).toContain('ready to accept connections');
    expect(log.join('\n')).not.toContain('secret');
    expect(await modeOf(dataDir)).toBe(0o700);
    expect(await modeOf(join(dataDir, 'password'))).toBe(0o600);
  });

  it('serves TypeORM by its URL, whatever the environment says about PostgreSQL', async () => {
    const server = await startEmbeddedPostgres({ dataDir: await madeFolder() });
    const before = { ...process.env };
    Object.assign(process.env, { PGPORT: '1', PGHOST: 'elsewhere', PGSSLMODE: 'require', PGUSER: 'other' });
    try {
      const names = ['orders', 'Odd "name" / ü'];
      for (const name of names) {
        await Promise.all([1, 2, 3].map(() => ensureDatabase(server.url('postgres'), name)));
        const source = await new DataSource({ type: 'postgres', url: server.url(name) }).initialize();
        expect(await source.query('SELECT current_database() AS name')).toEqual([{ name }]);
        await source.destroy();
      }
    } finally {
      process.env = before;
      expect(() => server.url('what?')).toThrow('cannot be named');
      await server.stop();
    }
  });

  it('gives a database to a role that is no superuser, with all that a superuser made in it before', async () => {
    const dataDir = await madeFolder();
    const first = await startEmbeddedPostgres({ dataDir });
    await ensureDatabase(first.url('postgres'), 'parley');
    await query(
      first.url('parley'),
      `CREATE SCHEMA events; CREATE TYPE events.mood AS ENUM ('fine');
       CREATE TABLE events.log (id bigint GENERATED ALWAYS AS IDENTITY, serial serial, mood events.mood DEFAULT 'fine');
       CREATE SEQUENCE events.alone; CREATE VIEW seen AS SELECT id FROM events.log;
       CREATE FUNCTION events.last() RETURNS bigint LANGUAGE sql AS 'SELECT max(id) FROM events.log';
       INSERT INTO events.log DEFAULT VALUES`,
    );
    const url = await first.owned('parley');
    expect(await first.owned('parley')).toBe(url);
    const rights = 'SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles';
    expect(await query(url, `${rights} WHERE rolname = current_user`)).toEqual([
      { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false },
    ]);
    await query(
      url,
      `INSERT INTO events.log DEFAULT VALUES; ALTER TABLE events.log ADD more text; SELECT nextval('events.alone');
       ALTER TYPE events.mood ADD VALUE 'better'; CREATE OR REPLACE VIEW seen AS SELECT id FROM events.log;
       CREATE OR REPLACE FUNCTION events.last() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
       DROP TABLE events.log CASCADE; CREATE TABLE kept AS SELECT 7 AS x; CREATE SCHEMA another`,
    );
    await expect(query(url, "COPY kept TO PROGRAM 'cat'")).rejects.toThrow('permission denied');
    await expect(query(url, "SELECT pg_read_file('PG_VERSION')")).rejects.toThrow('permission denied');
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir });
    expect(await second.owned('parley')).toBe(url);
    expect(await query(url, 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    await second.stop();
  });

  it('gives up when it is told to, at every step of a first start, and starts afterwards', async () => {
    const dataDir = await folders.make();
    for (const name of ['lock', 'cluster.new-', 'cluster']) {
      const told = new AbortController();
      const starting = startEmbeddedPostgres({ dataDir, signal: told.signal });
      const refused = expect(starting).rejects.toThrow('told to');
      while (!(await readdir(dataDir)).some((entry) => entry.startsWith(name))) await sleep(1);
      told.abort(new Error('told to'));
      await refused;
      expect((await readdir(dataDir)).filter((entry) => entry.startsWith('cluster.new-'))).toEqual([]);
    }
    await (await startEmbeddedPostgres({ dataDir })).stop();
  });

  it('is refused to a second launcher, which learns who has the folder', async () => {
    const dataDir = await madeFolder();
    const server = await startEmbeddedPostgres({ dataDir });
    const sameProcess = startEmbeddedPostgres({ dataDir });
    await expect(sameProcess).rejects.toBeInstanceOf(DataFolderInUse);
    const other = await launch(dataDir).answer;
    expect(other).toMatchObject({ name: 'DataFolderInUse', pid: process.pid });
    expect(other).toMatchObject({ message: expect.stringContaining(`in use by process ${process.pid}`) as unknown });
    expect(await query(server.url('postgres'), 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
  });

  it('works where the path is too long for a socket', async () => {
    const dataDir = join(await folders.make(), 'long'.repeat(30), 'ü'.repeat(60));
    const before = await readdir(tmpdir());
    const killed = launch(dataDir);
    await query(await urlFrom(killed), 'CREATE TABLE kept AS SELECT 7 AS x');
    await end('SIGKILL', killed, dataDir);
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url('postgres'), 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    await server.stop();
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('parley-pg-') && !before.includes(name));
    expect(left).toEqual([]);
  });

  it('leaves a folder alone that is not its own, and says why a setting is wrong', async () => {
    const dataDir = await folders.make();
    await writeFile(join(dataDir, 'thesis.txt'), 'years of work');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('not empty');
    expect(await readdir(dataDir)).toEqual(['thesis.txt']);

    const fine = join(dataDir, 'fine');
    const settings = { shared_buffers: 'much' };
    await expect(startEmbeddedPostgres({ dataDir: fine, settings })).rejects.toThrow('invalid value for parameter');
    await (await startEmbeddedPostgres({ dataDir: fine })).stop();
  });

  if (AS_ROOT) {
    it('runs for root as an account that nothing else has, also where it once ran as nobody', async () => {
      const dataDir = join(await folders.make(), 'postgres');
      const uidOf = async () => (await stat(join(dataDir, 'cluster', 'base'))).uid;
      await (await startEmbeddedPostgres({ dataDir })).stop();
      const own = await uidOf();
      expect(await readFile('/etc/passwd', 'utf8')).toMatch(new RegExp(`^parley-postgres:[^:]*:${own}:`, 'm'));
      await promisify(execFile)('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, join(dataDir, 'cluster')]);
      const server = await startEmbeddedPostgres({ dataDir });
      expect(await query(server.url('postgres'), 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
      expect(await readFile(`/proc/${postmasterOf(dataDir)}/status`, 'utf8')).toMatch(
        new RegExp(`^Uid:\\t${own}\\t`, 'm'),
      );
      await server.stop();
      expect(await uidOf()).toBe(own);

      await promisify(execFile)('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, join(dataDir, 'cluster')]);
      await writeFile(join(dataDir, 'precious'), "somebody's");
      await link(join(dataDir, 'precious'), join(dataDir, 'cluster', 'planted'));
      await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('has another name elsewhere');
      expect((await stat(join(dataDir, 'precious'))).uid).toBe(0);
    });

    it("runs for root under folders that only root may enter, without root's rights", async () => {
      const secret = join(await folders.make(), 'secret');
      await mkdir(secret, { mode: 0o700 });
      const dataDir = join(secret, 'postgres');
      const server = await startEmbeddedPostgres({ dataDir });
      const status = await readFile(`/proc/${postmasterOf(dataDir)}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t(\d+)\t\1\t\1\t\1$/m);
      expect(status).not.toMatch(/^Uid:\t0/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      await server.stop();
    });

    it('runs for an ordinary user, whose folder root may use in between', async () => {
      const home = await folders.make(NOBODY);
      const dataDir = join(home, 'postgres');
      const nobody = { ...NOBODY, env: { ...process.env, HOME: home, TMPDIR: home } };
      const first = launch(dataDir, nobody);
      await query(await urlFrom(first), 'CREATE TABLE kept AS SELECT 7 AS x');
      expect(await launch(dataDir, nobody).answer).toMatchObject({ name: 'DataFolderInUse', pid: first.pid });
      await end('SIGTERM', first, dataDir);
      await (await startEmbeddedPostgres({ dataDir })).stop();
      const again = launch(dataDir, nobody);
      expect(await query(await urlFrom(again), 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
      await end('SIGKILL', again, dataDir);
    });
  }
});
