import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../src';
import { AS_ROOT, end, gone, isRunning, launch, NOBODY, postmasterOf, query, scratchFolders, urlFrom } from './launch';

// A busy machine may take long to make a cluster.
const folders = scratchFolders();
afterAll(() => folders.remove());

/** Starts a launcher whose server holds one row and is in the middle of a statement. */
async function busyServer(dataDir: string): Promise<{ launcher: ReturnType<typeof launch>; postmaster: number }> {
  const launcher = launch(dataDir);
  const url = await urlFrom(launcher);
  await query(url, 'CREATE TABLE IF NOT EXISTS kept (x int); INSERT INTO kept VALUES (7)');
  const busy = new Client({ connectionString: url });
  busy.on('error', () => undefined);
  await busy.connect();
  busy.query('SELECT pg_sleep(600)').catch(() => undefined);
  const postmaster = postmasterOf(dataDir);
  if (postmaster === undefined) throw new Error('No server runs.');
  return { launcher, postmaster };
}

async function rowsKept(dataDir: string): Promise<number> {
  const server = await startEmbeddedPostgres({ dataDir });
  const rows = await query(server.url('postgres'), 'SELECT x FROM kept');
  await server.stop();
  return rows.length;
}

describe('kill -9', () => {
  it('of the launcher ends the server too; the next start finds all rows, without waiting for it', async () => {
    const dataDir = await folders.make();
    const { launcher, postmaster } = await busyServer(dataDir);
    launcher.process.kill('SIGKILL');
    await once(launcher.process, 'exit');
    const next = await busyServer(dataDir);
    expect(isRunning(postmaster)).toBe(false);
    await end('SIGKILL', next.launcher, dataDir);
    expect(await rowsKept(dataDir)).toBe(2);
  });

  it('of everything leaves nothing that could refuse the next start', async () => {
    const dataDir = await folders.make();
    const { launcher, postmaster } = await busyServer(dataDir);
    process.kill(postmaster, 'SIGKILL');
    launcher.process.kill('SIGKILL');
    await Promise.all([gone(postmaster), gone(launcher.pid)]);
    expect(await readdir(join(dataDir, 'cluster'))).toEqual(
      expect.arrayContaining(['postmaster.pid', '.s.PGSQL.5432']),
    );

    // The dead server's number now belongs to another process of the same account.
    const stranger = spawn('sleep', ['60'], { ...(AS_ROOT ? NOBODY : {}), stdio: 'ignore' });
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      const file = join(dataDir, 'cluster', name);
      await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(stranger.pid)));
    }
    expect(await rowsKept(dataDir)).toBe(1);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });

  it('of the server alone is told to its launcher, who can start it again', async () => {
    const dataDir = await folders.make();
    const server = await startEmbeddedPostgres({ dataDir });
    await query(server.url('postgres'), 'CREATE TABLE kept AS SELECT 7 AS x');
    process.kill(postmasterOf(dataDir) ?? NaN, 'SIGKILL');
    await server.exited;
    expect(await rowsKept(dataDir)).toBe(1);
    await server.stop();
  });

  it('in the midst of the first start leaves nothing half made', async () => {
    const dataDir = await folders.make();
    for (const delayMs of [250, 400, 550]) {
      const launcher = launch(dataDir);
      await sleep(delayMs);
      await end('SIGKILL', launcher, dataDir);
    }
    await (await startEmbeddedPostgres({ dataDir })).stop();
    expect((await readdir(dataDir)).sort()).toEqual(['cluster', 'lock', 'password']);
  });
});

describe('where the kernel does not end a child with its parent', () => {
  it('a guardian ends the server after a kill -9 of the launcher', async () => {
    const programs = await folders.make();
    // Like BusyBox's setpriv, which lacks the option.
    await writeFile(join(programs, 'setpriv'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    const dataDir = await folders.make();
    const stopped = launch(dataDir, { env });
    await query(await urlFrom(stopped), 'CREATE TABLE kept AS SELECT 7 AS x');
    await end('SIGTERM', stopped, dataDir);
    const killed = launch(dataDir, { env });
    await urlFrom(killed);
    await end('SIGKILL', killed, dataDir);
    // A clean shutdown, not a crash.
    expect(await readdir(join(dataDir, 'cluster'))).not.toContain('postmaster.pid');
    expect(await rowsKept(dataDir)).toBe(1);
  });
});
