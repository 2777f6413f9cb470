import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { until } from '@app/testing/until';
import type { McpServers } from '../../src/mcp/mcp-servers';
import { calling, serversOf } from './mcp-calls';
import { breakingOff, interrupting } from './mcp-interruptions';

const resultBytesMax = 2048;

let mcp: LoopbackMcp;
let servers: McpServers;
beforeEach(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look' }];
  servers = withTimeout(60_000);
});
afterEach(async () => {
  await servers.onModuleDestroy();
  await mcp.stop();
});

function withTimeout(timeoutMs: number): McpServers {
  const settings = { name: 'docs', consent: 'auto', timeoutMs, resultBytesMax };
  const transport = { type: 'http', url: mcp.url, headers: { authorization: 'Bearer secret' } };
  return serversOf({ ...settings, transport });
}

const names = () => servers.tools.map(({ name }) => name);
const call = (input: object = {}, signal?: AbortSignal) => calling(servers, 'docs_look', input, signal);
const unreachable = { outcome: 'error', result: { error: expect.stringContaining('could not be reached') as unknown } };

const failed = (error: string) => ({ outcome: 'error', result: { error } });
const stopped = failed('the call was stopped');

/** Makes the tool wait until it is cancelled; resolves then. */
function untilCancelled(): Promise<void> {
  return new Promise((resolve) => {
    mcp.answer = async ({ signal }) => {
      if (!signal.aborted) await once(signal, 'abort');
      resolve();
      return saying('stopped');
    };
  });
}

/** A call that has reached the tool, which waits until it is cancelled. */
async function callUnderWay() {
  const cancelled = untilCancelled();
  const abort = new AbortController();
  const going = call({}, abort.signal);
  await until('the call', () => Promise.resolve(mcp.calls[0]));
  return { going, abort, cancelled };
}

/** Answers each request for tools with the page of its cursor, and all other requests as usual. */
function paging(pageOf: (cursor: string | undefined) => object): void {
  mcp.misbehave = (_, response, body) => {
    const { id, method, params } = (body === '' ? {} : JSON.parse(body)) as Listing; // reason for the assertion: sent by the client of the SDK
    if (method !== 'tools/list') return false;
    const result = pageOf(params?.cursor);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    return true;
  };
}

interface Listing {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly cursor?: string };
}

const listing = (...tools: string[]) => tools.map((name) => ({ name, inputSchema: { type: 'object' } }));

/** Starts, and waits for the list: on a busy machine a large one takes longer than a start waits. */
async function begin(): Promise<void> {
  await servers.onModuleInit();
  await until('the list', () => Promise.resolve(names().length > 0 || null));
}

describe('a list of tools in pages', () => {
  it.each([
    ['names the same cursor on every page', '2'],
    ['has an empty cursor on every page', ''],
  ])('that %s is listed once', async (_what, nextCursor) => {
    let asked = 0;
    paging(() => ((asked += 1), { tools: listing('look', 'find'), nextCursor }));
    await begin();
    expect(names()).toEqual(['docs_look', 'docs_find']);
    expect(asked).toBe(2);
  });

  it('is read to its end', async () => {
    paging((cursor = '0') => {
      const next = Number(cursor) + 1;
      return { tools: listing(`look${cursor}`), ...(next < 30 ? { nextCursor: String(next) } : {}) };
    });
    await begin();
    expect(names()).toHaveLength(30);
  });

  it('that has no end is cut, and the log says so', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    paging((cursor = '0') => ({ tools: listing('look'), nextCursor: String(Number(cursor) + 1) }));
    await begin();
    expect(names()).toEqual(['docs_look']);
    expect(log).toHaveBeenCalledWith(expect.stringContaining('its list goes on, and was not read further'));
    log.mockRestore();
  });

  it('that fills memory is cut as well, after a few of the largest messages', async () => {
    let asked = 0;
    const description = 'x'.repeat(3 * 1024 * 1024);
    paging((cursor = '0') => {
      asked += 1;
      const tools = listing(`look${cursor}`).map((tool) => ({ ...tool, description }));
      return { tools, nextCursor: String(Number(cursor) + 1) };
    });
    await begin();
    expect(asked).toBe(6);
  });
});

describe('a server over HTTP', () => {
  it('is listed at the start, and called with the configured headers and whose call it is', async () => {
    let authorization: unknown;
    mcp.misbehave = ({ headers }) => {
      authorization = headers.authorization;
      return false;
    };
    mcp.answer = ({ input }) => saying(`found ${String(input['what'])}`);
    await servers.onModuleInit();
    expect(names()).toEqual(['docs_look']);
    expect(await call({ what: 'it' })).toEqual({ outcome: 'ok', result: { text: 'found it' } });
    expect(authorization).toBe('Bearer secret');
    expect(mcp.calls[0]?.meta).toEqual({
      'parley/userId': 'user',
      'parley/conversationId': 'conversation',
      'parley/runId': 'run',
      'parley/toolCallId': 'run/1/0',
    });
  });

  it('is called by its own names, whatever ours are', async () => {
    mcp.tools = [{ name: 'with.dot' }, { name: 'with/slash' }];
    mcp.answer = ({ name }) => saying(name);
    await servers.onModuleInit();
    expect(names()).toEqual(['docs_with_dot', 'docs_with_slash']);
    expect(await calling(servers, 'docs_with_slash', {})).toMatchObject({ result: { text: 'with/slash' } });
  });

  it.each<[string, LoopbackMcp['tools'][number]]>([
    ['runs only as a task', { name: 'research', execution: { taskSupport: 'required' } }],
    ['is listed oddly', { name: 'odd', inputSchema: 'none' }],
  ])('offers no tool that %s, but the others', async (_, tool) => {
    mcp.tools = [tool, { name: 'look' }];
    await servers.onModuleInit();
    expect(names()).toEqual(['docs_look']);
  });

  it('tells its errors in its own words, within a bound', async () => {
    await servers.onModuleInit();
    mcp.answer = () => ({ isError: true, ...saying('y'.repeat(5000)) });
    const { result } = await call();
    expect(result).toMatchObject({ reported: expect.stringMatching(/^y{1900,}$/) as unknown, truncated: true });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(resultBytesMax);
    mcp.answer = () => Promise.reject(new Error('not today'));
    expect(await call()).toMatchObject({
      outcome: 'error',
      result: { error: 'the tool reports an error', reported: expect.stringContaining('not today') as unknown },
    });
  });

  it('has its time, is told when it is over, and may answer the next call', async () => {
    servers = withTimeout(3000);
    await servers.onModuleInit();
    const cancelled = untilCancelled();
    expect(await call()).toEqual(failed('outcome unknown: there was no answer within 3000 ms'));
    await cancelled;
    mcp.answer = () => saying('again');
    expect(await call()).toMatchObject({ outcome: 'ok' });
  });

  it('is told when the run is aborted, and goes on with other calls', async () => {
    await servers.onModuleInit();
    const { going, abort, cancelled } = await callUnderWay();
    abort.abort();
    expect(await going).toEqual(stopped);
    await cancelled;
    mcp.answer = () => saying('again');
    expect(await call()).toMatchObject({ outcome: 'ok' });
  });

  // The behaviour of servers behind gateways that do not know the protocol, and that stop work without a listener.
  it('that hears of no cancellation loses the connection of the call', async () => {
    await servers.onModuleInit();
    const abort = new AbortController();
    let closed: Promise<void> = Promise.resolve();
    mcp.misbehave = (_, response, body) => {
      if (!body.includes('tools/call')) return true; // the cancellation is never answered either
      closed = new Promise((resolve) => response.once('close', resolve));
      setTimeout(() => abort.abort(), 20);
      return true;
    };
    expect(await call({}, abort.signal)).toEqual(stopped);
    await closed;
  });

  it('may return so much, of which the rest is cut, and no more than a message may hold', async () => {
    await servers.onModuleInit();
    mcp.answer = () => saying('x'.repeat(resultBytesMax));
    expect(await call()).toMatchObject({ outcome: 'ok', result: { truncated: true } });
    mcp.answer = () => saying('x'.repeat(5 * 1024 * 1024));
    expect(await call()).toMatchObject(unreachable);
    mcp.answer = () => saying('x');
    expect(await call()).toMatchObject({ outcome: 'ok' });
  });

  it.each(['application/json', 'text/event-stream', 'text/html'])(
    'that answers garbage as %s has failed',
    async (type) => {
      await servers.onModuleInit();
      mcp.misbehave = (_, response) => !!response.writeHead(200, { 'content-type': type }).end('data: }{\n\n<html>');
      expect(await call()).toMatchObject(unreachable);
    },
  );

  it('that breaks off in the middle of its answer has failed at once', async () => {
    await servers.onModuleInit();
    mcp.misbehave = breakingOff;
    // Not the words of a call that timed out.
    expect(await call()).toMatchObject(unreachable);
  });

  // The behaviour of servers with an event store, and of load balancers that end streams after some time.
  it.each(['ends', 'breaks'] as const)('whose stream %s before the answer is asked for the rest of it', async (how) => {
    await servers.onModuleInit();
    mcp.misbehave = interrupting(how);
    expect(await call()).toEqual({ outcome: 'ok', result: { text: 'the rest' } });
  });

  it('is followed within its origin, as frameworks redirect to a path with a slash', async () => {
    mcp.misbehave = ({ url }, response) => url === '/mcp' && !!response.writeHead(307, { location: '/mcp/' }).end();
    await servers.onModuleInit();
    expect(await call()).toMatchObject({ outcome: 'ok' });
  });

  it('is not followed elsewhere, which would show our credentials, and says so', async () => {
    await servers.onModuleInit();
    const other = await LoopbackMcp.start();
    let asked = 0;
    other.misbehave = () => (asked += 1) > 0 && false;
    mcp.misbehave = (_, response) => !!response.writeHead(307, { location: other.url }).end();
    expect(await call()).toEqual(failed('the server redirects to another address, which is not followed'));
    expect(asked).toBe(0);
    await other.stop();
  });

  it('is asked once more where it was started again and knows the session no longer', async () => {
    await servers.onModuleInit();
    await mcp.restart();
    await sleep(50); // until the client has noticed that its connection is closed
    expect(await call()).toMatchObject({ outcome: 'ok' });
    expect(mcp.calls).toHaveLength(1);
  });

  it('that is away has no tools until it is back', async () => {
    await servers.onModuleInit();
    await mcp.stop();
    const [tool] = servers.tools;
    expect(await call()).toMatchObject(unreachable);
    await servers.look();
    expect([names(), tool?.name, servers.servers[0]?.isAway]).toEqual([[], 'docs_look', true]);
    mcp.tools = [{ name: 'look' }, { name: 'more' }];
    await mcp.restart();
    await servers.look();
    expect([names(), servers.servers[0]?.isAway]).toEqual([['docs_look', 'docs_more'], false]);
  });

  it.each<[string, () => unknown]>([
    ['says that they changed', () => mcp.tellToolsChanged()],
    ['is looked at', () => servers.look()],
  ])('is listed again during a call, when it %s', async (_, act) => {
    await servers.onModuleInit();
    const { going, abort, cancelled } = await callUnderWay();
    mcp.tools = [{ name: 'look' }, { name: 'more' }];
    await act();
    await until('the new tool', () => Promise.resolve(names().includes('docs_more') ? true : null));
    abort.abort();
    expect(await going).toEqual(stopped);
    await cancelled;
  });

  it('that hangs at the start holds it up for a few seconds and no more', async () => {
    mcp.misbehave = () => true;
    await servers.onModuleInit();
    expect(names()).toEqual([]);
  });

  it('that takes no word after its first answer holds up neither the start nor the end', async () => {
    mcp.misbehave = (_request, _response, body) => body.includes('notifications/initialized');
    await servers.onModuleInit();
    expect(names()).toEqual([]);
    await servers.onModuleDestroy();
  });

  it('comes back by itself', async () => {
    const key = randomUUID();
    mcp.tools = [{ name: key }];
    await mcp.stop();
    await servers.onModuleInit();
    expect(names()).toEqual([]);
    await mcp.restart();
    await until('its tools', () => Promise.resolve(servers.tools[0]));
    expect(names()).toEqual([`docs_${key}`]);
  });
});
