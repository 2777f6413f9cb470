/** `parley listen` and `parley tail` against a sandbox as `npm start` runs it, as a developer's shell runs them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import type { ToldEvent } from '@app/testing/client';
import { approve, asking, conversationOf, say, start } from '@app/testing/journeys';
import { type Sandbox, startSandbox } from '@app/testing/processes';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';
import { parleyMain } from './cli';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let sandbox: Sandbox;
const children: ChildProcess[] = [];
const servers: Server[] = [];
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => sandbox.stop());

/** Starts a command that runs until it is stopped. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [parleyMain, ...args], {
    cwd: sandbox.folder,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  const closed = once(child, 'close').then(() => child.exitCode);
  const end = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return closed;
  };
  return { child, said, closed, end };
}

/** A developer's server. @param answer the status for each request, by the number of earlier requests and its id */
async function receiver(answer: (before: number, id: unknown) => number = () => 204, at = 0) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(answer(received.length, request.headers['webhook-id'])).end();
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    });
  });
  servers.push(server);
  await once(server.listen(at, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // reason: it listens on a port
  return { received, url: `http://127.0.0.1:${port}/hooks` };
}

/** A page of the feed after a cursor. */
async function feedAfter(cursor: string) {
  const headers = { 'x-api-key': sandbox.access.partnerKey };
  const page = await fetch(`${sandbox.access.baseUrl}/feed/v1/events?cursor=${cursor}&limit=500`, { headers });
  return (await page.json()) as { data: ToldEvent[]; endCursor: string }; // reason: the documented shape of a page
}

const so = (what: string, isSo: () => boolean) => until(what, async () => (isSo() ? true : null));

it('listen delivers what happens, signed, in order, and again where it was not taken', async () => {
  const { received, url } = await receiver((before) => (before === 0 ? 500 : 204));
  const listening = run('listen', '--forward-to', url, '--types', 'run.suspended,approval.decided,run.ended');
  await so('its first line', () => listening.said.stdout.includes('signed by'));
  const [secret = ''] = /whsec_\S+(?=\.)/.exec(listening.said.stdout) ?? [];
  const conversation = await conversationOf(sandbox.client);
  const { approval } = await asking(sandbox.client, conversation, 'withdraw 1.5 USDC');
  expect((await approve(sandbox.client, approval)).status).toBe(200);
  await so('four deliveries', () => received.length === 4);
  const bodies = received.map(({ headers, body }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return JSON.parse(body) as { type: string; data: Record<string, unknown> };
  });
  // The first was not accepted, and the next ones waited for it.
  expect(bodies.map(({ type }) => type)).toEqual(['run.suspended', 'run.suspended', 'approval.decided', 'run.ended']);
  expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id']);
  for (const { data } of bodies)
    expect(data).toMatchObject({ userId: sandbox.access.userId, conversationId: conversation });
  await so('its lines', () => listening.said.stdout.trim().split('\n').length === 5);
  expect(listening.said.stdout).toMatch(/run\.suspended .* 500, again in 1 s/);
  expect([await listening.end(), listening.said.stderr]).toEqual([0, '']);
});

/** Secrets are passed in files, because all users can see arguments. */
async function fileWith(secret: string): Promise<string> {
  const file = join(tmpdir(), `parley-secret-${randomUUID()}`);
  await writeFile(file, secret, { mode: 0o600 });
  files.push(file);
  return file;
}
const files: string[] = [];
afterAll(() => Promise.all(files.map((file) => rm(file))));

it('listen takes a secret and a cursor of its user, and says what it cannot take', async () => {
  const { received, url } = await receiver();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { endCursor } = await feedAfter('now');
  await say(sandbox.client, await conversationOf(sandbox.client));
  const secretFile = await fileWith(secret);
  const from = ['--from', endCursor, '--types', 'run.ended'];
  const listening = run('listen', '--forward-to', url, '--secret-file', secretFile, ...from);
  await so('the delivery', () => received.length === 1);
  const [first] = received;
  new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>);
  expect(await listening.end('SIGTERM')).toBe(0);
  for (const wrong of [
    ['--forward-to', 'elsewhere'],
    ['--forward-to', url, '--types', 'run.what'],
    ['--forward-to', url, '--secret', 'x'],
  ])
    expect(await run('listen', ...wrong).closed).toBe(2);
  const elsewhere = ['--url', sandbox.access.baseUrl, '--key-file', await fileWith(`pk_${'x'.repeat(43)}`)];
  const refused = run('listen', '--forward-to', url, ...elsewhere);
  expect([await refused.closed, refused.said.stderr]).toEqual([
    1,
    expect.stringContaining('The partner key is unknown or revoked') as string,
  ]);
});

it('tail prints the feed, and the journal of a conversation', async () => {
  const feed = run('--json', 'tail');
  const conversation = await conversationOf(sandbox.client);
  const journal = run('tail', '--conversation', conversation);
  await so('the beginning', () => journal.said.stdout.includes('conversation.created'));
  const plain = run('tail');
  await until('the feed', async () => {
    await say(sandbox.client, conversation);
    return feed.said.stdout !== '' && plain.said.stdout !== '' ? true : null;
  });
  expect(JSON.parse(feed.said.stdout.split('\n')[0] ?? '')).toMatchObject({
    type: 'run.ended',
    data: { conversationId: conversation },
  });
  expect(plain.said.stdout).toMatch(/^\S+Z {2}run\.ended {22}\S+ {2}\{"userId"/);
  await so('the end', () => journal.said.stdout.includes('run.ended'));
  expect(journal.said.stdout).toMatch(/^ {4}1 {2}conversation\.created {6}\{/);
  for (const one of [feed, journal, plain]) expect([await one.end(), one.said.stderr]).toEqual([0, '']);
});

it('a reader that has seen enough ends a command without a word', async () => {
  const followed = await conversationOf(sandbox.client);
  const tail = run('tail', '--conversation', followed);
  await so('the beginning', () => tail.said.stdout !== '');
  tail.child.stdout.destroy();
  // It notices at its next write.
  await say(sandbox.client, followed);
  const conversation = run('keys', 'list');
  conversation.child.stdout.destroy();
  expect([await conversation.closed, conversation.said.stderr]).toEqual([141, '']);
  expect([await tail.closed, tail.said.stderr]).toEqual([141, '']);
});

it('listen and tail go on where they were through a service that is killed: nothing is lost', async () => {
  const { received, url } = await receiver();
  const { endCursor } = await feedAfter('now');
  const listening = run('listen', '--forward-to', url, '--from', endCursor);
  const tailing = run('--json', 'tail', '--from', endCursor);
  const conversations = await Promise.all([1, 2, 3].map(() => conversationOf(sandbox.client)));
  for (const conversation of conversations) await say(sandbox.client, conversation);
  await so('the first deliveries', () => received.length === 3);
  const away = /^(http:\S+ does not answer \(.*\): is the service started\? It is tried again\.\n)+$/;
  for (let kills = 0; kills < 2; kills += 1) {
    // It is killed during runs, which end after its restart.
    for (const conversation of conversations) {
      const begun = async () => ((await start(sandbox.client, conversation)).status === 202 ? true : null);
      await until('the end of the run before', begun);
    }
    await sandbox.kill();
    // The first time, it is away until both have called it in vain; the second time, it may be back before they call.
    if (kills === 0) await so('calls in vain', () => [listening, tailing].every(({ said }) => away.test(said.stderr)));
    await sandbox.start();
  }
  const wanted = await until('the end of all runs', async () => {
    const { data } = await feedAfter(endCursor);
    return data.filter(({ type }) => type === 'run.ended').length === 9 ? data : null;
  });
  const lines = () => tailing.said.stdout.trim().split('\n');
  await so('all deliveries', () => received.length >= wanted.length && lines().length >= wanted.length);
  expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual(wanted);
  for (const conversation of conversations) {
    const own = wanted.filter(({ data }) => data['conversationId'] === conversation).map(({ id }) => id);
    const ids = received.map(({ headers }) => String(headers['webhook-id'])).filter((id) => own.includes(id));
    expect(ids).toEqual(own);
  }
  for (const one of [listening, tailing]) {
    expect([await one.end(), one.said.stderr]).toEqual([0, expect.stringMatching(away)]);
  }
});

it('listen waits for a program that is away for a while, and goes on behind one event that it never takes', async () => {
  const away = await receiver();
  servers.pop()?.close();
  const { endCursor } = await feedAfter('now');
  const listening = run('listen', '--forward-to', away.url, '--from', endCursor);
  const [one, two] = [await conversationOf(sandbox.client), await conversationOf(sandbox.client)];
  const toldOf = async (conversation: string) =>
    (await feedAfter(endCursor)).data.filter(({ data }) => data['conversationId'] === conversation).map(({ id }) => id);
  for (const conversation of [one, two, one]) await say(sandbox.client, conversation);
  await so('an attempt in vain', () => listening.said.stdout.includes('again in 3 s'));
  const [refused] = await toldOf(two);
  const back = await receiver((_, id) => (id === refused ? 500 : 204), Number(new URL(away.url).port));
  const takenOf = (ids: readonly string[]) =>
    back.received
      .map(({ headers }) => String(headers['webhook-id']))
      .filter((id) => ids.includes(id) && id !== refused);
  await say(sandbox.client, two);
  const [ofOne, ofTwo] = [await toldOf(one), await toldOf(two)];
  expect([ofOne.length, ofTwo.length]).toEqual([2, 2]);
  await so('what waited', () => takenOf(ofOne).length === 2);
  await so('what waited behind the one that is given up', () => takenOf(ofTwo).length === 1);
  expect([takenOf(ofOne), takenOf(ofTwo)]).toEqual([ofOne, ofTwo.slice(1)]);
  expect(listening.said.stdout).toMatch(new RegExp(`${refused}  500, given up`));
  expect(await listening.end()).toBe(0);
});

it('a service that accepts and stays silent is given up with a sentence, and Ctrl-C does not wait for that', async () => {
  const silent = await SilentSocket.start();
  try {
    const service = ['--url', silent.url, '--key-file', await fileWith('pk_x'), '--token-file', await fileWith('x')];
    const forward = ['--forward-to', 'http://127.0.0.1:9/'];
    const asking = [
      run('tail', ...service),
      run('tail', '--conversation', '01a217d8-ed95-7726-8900-d31eb151d591', ...service),
      run('listen', ...forward, ...service),
    ];
    for (const one of asking) {
      expect(await one.closed).toBe(1);
      expect(one.said.stderr).toContain(
        `${silent.url} does not answer (no answer within 15000 ms): is the service started?`,
      );
    }
    const interrupted = run('tail', ...service);
    await until('the question', async () => (silent.waiting > 0 ? true : null));
    const startedMs = performance.now();
    await interrupted.end();
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  } finally {
    await silent.close();
  }
});
