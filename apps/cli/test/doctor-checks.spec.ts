/** The findings of `parley doctor` on folders, missing settings, witnesses and the management port. */
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestLog } from '@app/testing/logs';
import { openWitness } from '@app/witness';
import { checks } from '../src/doctor/doctor-checks';
import { folderFindings } from '../src/doctor/doctor-folders';
import { serviceFinding } from '../src/doctor/doctor-service';
import { witnessFindings } from '../src/doctor/doctor-witnesses';

let folder: string;
let server: Server;
let port: number;
let answer: { status: number; body: string };
let asked: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-doctor-checks-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answer.status).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo); // reason for the assertion: it listens on TCP
});
afterEach(async () => {
  await stopped();
  await rm(folder, { recursive: true, force: true });
});

async function stopped(): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

describe('a folder', () => {
  const said = async (path: string) =>
    (await folderFindings(path)).map(({ what, state, says }) => `${what} ${state}: ${says}`);

  it('that is there, or can be made, is good', async () => {
    expect(await said(folder)).toEqual([expect.stringMatching(/^disk (ok|warning): [\d.]+ GiB free in /)]);
    const later = join(folder, 'a', 'b');
    expect(await said(later)).toEqual([`data folder ok: ${later} is not there yet`]);
  });

  it('that is a file, or below one, is bad', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const mend = 'repair it, or correct PARLEY_DATA_DIR';
    expect(await said(file)).toEqual([`data folder bad: ${file} is no folder: ${mend}`]);
    const below = join(file, 'x', 'y');
    expect(await said(below)).toEqual([
      expect.stringMatching(/^data folder bad: .*\/y cannot be made: .*file is no folder/),
    ]);
  });

  it('that cannot be written is bad', async () => {
    // No user can write there, not even root.
    expect(await said('/proc/1')).toEqual([expect.stringMatching(/^(data folder|disk) (bad)/)]);
  });

  it('of artifacts that is a file is bad', async () => {
    await writeFile(join(folder, 'artifacts'), '');
    expect(await said(folder)).toEqual([expect.stringMatching(/^artifacts bad: .*artifacts is no folder: repair it$/)]);
  });
});

describe('settings of production', () => {
  const [settings] = checks;
  const missing = async (environment: NodeJS.ProcessEnv) =>
    (await settings?.({ PARLEY_DATA_DIR: folder, ...environment }))
      ?.filter(({ state }) => state === 'bad')
      .map(({ says }) => says.split(':')[0]);

  it('that are missing are named at once', async () => {
    const all = ['PARLEY_SECRET_KEY', 'OIDC_ISSUER', 'WALLET_PROVIDER', 'DATABASE_URL', 'EVENTSTORE_URL'];
    expect((await missing({ PARLEY_MODE: 'production' }))?.sort()).toEqual(all.sort());
    const [, , , database, events] = checks;
    for (const check of [database, events])
      expect(await check?.({ PARLEY_DATA_DIR: folder, PARLEY_MODE: 'production' })).toEqual([]);
    expect(await missing({ PARLEY_MODE: 'production', EVENTSTORE_URL: '' })).toContain('EVENTSTORE_URL');
  });

  it('are not missing where the stores are embedded, nor in a sandbox', async () => {
    await mkdir(join(folder, 'postgres'));
    expect(await missing({ PARLEY_MODE: 'production' })).not.toContain('DATABASE_URL');
    expect(await missing({})).toEqual([]);
  });
});

describe('a witness', () => {
  const found = async (origin: string | null) => {
    const key = { name: 'witness.example' } as never; // only its name is read
    const [one] = await witnessFindings([{ key, url: `http://127.0.0.1:${port}` }], origin);
    return `${one?.state}: ${one?.says}`;
  };

  it('that refuses an empty offer is there', async () => {
    answer = { status: 400, body: 'no' };
    expect(await found(null)).toBe(`ok: witness.example at http://127.0.0.1:${port} answers`);
    expect(asked).toEqual(['POST /add-checkpoint']);
  });

  it('that is dead, broken or none is bad', async () => {
    for (const status of [200, 404, 503]) {
      answer = { status, body: '' };
      expect(await found(null)).toMatch(new RegExp(`^bad: .* does not answer as a witness \\(status ${status}\\)`));
    }
    await stopped();
    expect(await found(null)).toMatch(/^bad: .* does not answer \(.*\): look whether it runs/);
  });

  it('of ours says whether it knows the log, and keeps nothing of the question', async () => {
    const log = TestLog.create();
    const witness = await openWitness({
      folder: join(folder, 'witness'),
      name: 'witness.example',
      logs: [log.key],
      onNews: () => undefined,
    });
    const kept = async () => (await readdir(join(folder, 'witness'), { recursive: true })).sort();
    const before = await kept();
    const judge = async (request: IncomingMessage, response: ServerResponse) => {
      const { status, body } = await witness.add(await text(request));
      response.writeHead(status).end(body);
    };
    server.removeAllListeners('request').on('request', (...exchange) => void judge(...exchange));
    expect(await found(log.origin)).toBe(`ok: witness.example at http://127.0.0.1:${port} answers, and knows this log`);
    expect(await found('parley/another')).toMatch(
      /^bad: .* does not know the log parley\/another: give it the log's key/,
    );
    expect(await kept()).toEqual(before);
    await witness.close();
  });
});

describe('the management port', () => {
  const found = async (host = '127.0.0.1') => serviceFinding(host, port, true);
  const readyz = (status: string) => JSON.stringify({ status, checks: { database: status } });

  it('says how the service is, also where it listens on all addresses', async () => {
    answer = { status: 200, body: readyz('ok') };
    expect(await found()).toMatchObject({ state: 'ok' });
    expect(await found('0.0.0.0')).toMatchObject({ state: 'ok' });
    answer = { status: 200, body: readyz('degraded') };
    expect(await found()).toMatchObject({ state: 'warning', says: 'degraded: database degraded' });
    answer = { status: 503, body: readyz('unavailable') };
    expect(await found()).toMatchObject({ state: 'bad', says: 'not ready: database unavailable' });
  });

  it('of another Parley is not reported as the one here', async () => {
    for (const [status, state] of [
      [200, 'ok'],
      [503, 'unavailable'],
    ] as const) {
      answer = { status, body: readyz(state) };
      expect(await serviceFinding('127.0.0.1', port, false)).toMatchObject({
        state: 'warning',
        says: expect.stringMatching(/^does not run here: another Parley answers/) as string,
      });
    }
  });

  it('that another program has is bad', async () => {
    for (const body of ['<html>', '{}', '{"status":"ok"}', '[]']) {
      answer = { status: 200, body };
      expect(await found()).toMatchObject({ state: 'bad', says: expect.stringContaining('another program') as string });
    }
  });

  it('that is free is a warning', async () => {
    await stopped();
    expect(await found()).toMatchObject({
      state: 'warning',
      says: `nothing answers on the management port 127.0.0.1:${port}`,
    });
  });
});
