/** `parley listen` and `parley tail` beside a sandbox as `npm start` runs it, as a developer's shell runs them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { approve, asking, conversationOf, say } from '@app/testing/journeys';
import { type Sandbox, startSandbox } from '@app/testing/processes';
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

/** A command that goes on until it is told to end. */
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

/** A program of a developer's. @param answer the status for each request, by how many came before */
async function receiver(answer: (before: number) => number = () => 204) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(answer(received.length)).end();
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // reason: it listens on a port
  return { received, url: `http://127.0.0.1:${port}/hooks` };
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
  // The first was not taken, and the next ones waited for it.
  expect(bodies.map(({ type }) => type)).toEqual(['run.suspended', 'run.suspended', 'approval.decided', 'run.ended']);
  expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id']);
  for (const { data } of bodies)
    expect(data).toMatchObject({ userId: sandbox.access.userId, conversationId: conversation });
  await so('its lines', () => listening.said.stdout.trim().split('\n').length === 5);
  expect(listening.said.stdout).toMatch(/run\.suspended .* 500, again in 1 s/);
  expect([await listening.end(), listening.said.stderr]).toEqual([0, '']);
});

it('listen takes a secret and a cursor of its user, and says what it cannot take', async () => {
  const { received, url } = await receiver();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const headers = { 'x-api-key': sandbox.access.partnerKey };
  const page = await fetch(`${sandbox.access.baseUrl}/feed/v1/events?cursor=now`, { headers });
  const { endCursor } = (await page.json()) as { endCursor: string };
  await say(sandbox.client, await conversationOf(sandbox.client));
  const listening = run('listen', '--forward-to', url, '--secret', secret, '--from', endCursor, '--types', 'run.ended');
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
  const refused = run('listen', '--forward-to', url, '--key', `pk_${'x'.repeat(43)}`);
  expect([await refused.closed, refused.said.stderr]).toEqual([
    1,
    expect.stringContaining('partner_key_invalid') as string,
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
  const tail = run('tail', '--conversation', await conversationOf(sandbox.client));
  await so('the beginning', () => tail.said.stdout !== '');
  tail.child.stdout.destroy();
  const conversation = run('keys', 'list');
  conversation.child.stdout.destroy();
  expect([await conversation.closed, conversation.said.stderr]).toEqual([0, '']);
  expect(await tail.end()).toBe(0);
});
