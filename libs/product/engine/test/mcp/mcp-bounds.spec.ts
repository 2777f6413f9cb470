import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { until } from '@app/testing/until';
import { connectMcp } from '../../src/mcp/client.adapter';
import { ContextKeys } from '../../src/mcp/context-keys';
import { McpServer } from '../../src/mcp/mcp-server';
import { calling, configured } from './mcp-calls';

const tooLarge = 'x'.repeat(5 * 1024 * 1024);
const unreachable = { outcome: 'error', result: { error: expect.stringContaining('could not be reached') as unknown } };
const stream = { 'content-type': 'text/event-stream' };

let mcp: LoopbackMcp;
let server: McpServer;
beforeEach(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look' }];
  server = await connected();
});
afterEach(async () => {
  await server.close();
  await mcp.stop();
});

/** A server on its own, which only the test polls. */
async function connected(): Promise<McpServer> {
  const transport = { type: 'http', url: mcp.url };
  const configuration = configured({ name: 'docs', transport, consent: 'auto' });
  const [settings] = configuration.env.MCP_SERVERS;
  if (settings === undefined) throw new Error('no server is configured');
  const connecting = new McpServer(settings, new Set(), connectMcp, new ContextKeys(configuration), new Logger('test'));
  await connecting.refresh();
  return connecting;
}

const call = () => calling(server, 'docs_look', {});

/** The session of a request; undefined for the one that opens it. */
const sessionOf = (request: { headers: NodeJS.Dict<string | string[]> }) => request.headers['mcp-session-id'];

/** Refuses calls in the session of the first of them with this answer; counts the refusals, and notes which session ended. */
function refusing(status: number, words: string) {
  const seen = { refused: 0, forgotten: undefined as unknown, ended: [] as unknown[] };
  mcp.misbehave = (request, response, body) => {
    if (request.method === 'DELETE') seen.ended.push(sessionOf(request));
    if (!body.includes('tools/call')) return false;
    seen.forgotten ??= sessionOf(request);
    if (sessionOf(request) !== seen.forgotten) return false;
    seen.refused += 1;
    return !!response.writeHead(status).end(words);
  };
  return seen;
}

const rpcError = (message: string, id: number | null) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id });

describe('a server that refuses a call', () => {
  it.each([
    [404, 'no such session'],
    [400, rpcError('Bad Request: No valid session ID provided', null)],
    [400, rpcError('Bad Request: Server not initialized', null)],
    [400, 'Invalid session ID'],
  ])('as of a session that it does not know (%i, %s) is asked once more, in another', async (status, words) => {
    const seen = refusing(status, words);
    expect(await call()).toMatchObject({ outcome: 'ok' });
    await until('the end of the old session', () => Promise.resolve(seen.ended[0]));
    expect([seen.refused, mcp.calls.length, seen.ended]).toEqual([1, 1, [seen.forgotten]]);
  });

  it.each([
    [400, 'Bad Request'],
    [400, rpcError('the session of the customer could not be saved', null)],
    [400, rpcError('Invalid session ID', 2)],
    [500, 'Invalid session ID'],
  ])('for any other reason (%i, %s) is not asked again', async (status, words) => {
    const seen = refusing(status, words);
    expect(await call()).toMatchObject(unreachable);
    expect([seen.refused, mcp.calls.length]).toEqual([1, 0]);
  });

  it('in a session in which another call is under way lets that one end', async () => {
    let end: () => void = () => undefined;
    mcp.answer = () => new Promise((resolve) => (end = () => resolve(saying('late'))));
    const going = call();
    await until('the first call', () => Promise.resolve(mcp.calls[0]));
    const endFirst = end;
    mcp.answer = () => saying('soon');
    const seen = refusing(404, 'no such session');
    expect(await call()).toMatchObject({ outcome: 'ok', result: { text: 'soon' } });
    expect(seen.ended).toEqual([]);
    endFirst();
    expect(await going).toMatchObject({ outcome: 'ok', result: { text: 'late' } });
    await until('the end of the old session', () => Promise.resolve(seen.ended[0]));
  });
});

describe('a server that says that its tools changed', () => {
  it('with every list is listed once a second, and its last word is heard', async () => {
    const listedAt: number[] = [];
    let isFlooding = true;
    mcp.misbehave = (_, __, body) => {
      if (!body.includes('tools/list')) return false;
      listedAt.push(performance.now());
      if (isFlooding) for (let times = 0; times < 20; times += 1) void mcp.tellToolsChanged();
      return false;
    };
    await mcp.tellToolsChanged();
    await until('some lists', () => Promise.resolve(listedAt[3]));
    isFlooding = false;
    mcp.tools = [{ name: 'last' }];
    await mcp.tellToolsChanged();
    await until('the last word', () => Promise.resolve(server.tools.find(({ name }) => name === 'docs_last')));
    const gaps = listedAt.slice(1).map((at, index) => at - (listedAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });
});

// The behaviour of servers with an event store: a client that asks for the remainder is sent it once more.
describe('a server whose streams can be resumed', () => {
  it.each(['at once', 'when it is asked for the rest'])(
    'and that answers too much %s is not asked again',
    async (when) => {
      let resumed = 0;
      let answer = '';
      mcp.misbehave = (request, response, body) => {
        if (body.includes('tools/call')) {
          const { id } = JSON.parse(body) as { id: number };
          answer = `id: 8\ndata:\n\nid: 9\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: saying(tooLarge) })}\n\n`;
          response.writeHead(200, stream).write('id: 7\nretry: 20\ndata:\n\n');
          return !!response.end(when === 'at once' ? answer : '');
        }
        if (request.headers['last-event-id'] === undefined) return false;
        resumed += 1;
        return !!response.writeHead(200, stream).end(answer);
      };
      expect(await call()).toMatchObject(unreachable);
      mcp.misbehave = () => false;
      expect(await call()).toMatchObject({ outcome: 'ok' });
      expect(resumed).toBe(when === 'at once' ? 0 : 1);
    },
  );

  it.each(['ends', 'breaks', 'is refused'])(
    'is asked for the remainder after the same event when a resumed stream %s before its first one',
    async (how) => {
      let id = -1;
      const after: unknown[] = [];
      mcp.misbehave = (request, response, body) => {
        if (body.includes('tools/call')) {
          ({ id } = JSON.parse(body) as { id: number });
          return !!response.writeHead(200, stream).end('id: e1\nretry: 20\ndata:\n\n');
        }
        if (request.method !== 'GET') return false;
        const isFirst = after.push(request.headers['last-event-id']) === 1;
        if (isFirst && how === 'is refused') return !!response.writeHead(503).end();
        response.writeHead(200, stream).flushHeaders();
        if (isFirst) setTimeout(() => (how === 'ends' ? response.end() : response.destroy()), 20);
        else if (after.length === 2) response.end('id: e2\ndata:\n\n');
        else if (after.length === 3) response.end();
        else response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: saying('late') })}\n\n`);
        return true;
      };
      expect(await call()).toMatchObject({ outcome: 'ok', result: { text: 'late' } });
      expect(after).toEqual(['e1', 'e1', 'e2', 'e2']);
      mcp.misbehave = () => false;
      expect(await call()).toMatchObject({ outcome: 'ok' });
    },
  );

  it.each([
    ['0', 2, 6],
    ['99999999999', 0, 0],
  ])('and that asks for retry: %s is resumed with bounded pauses', async (retry, least, most) => {
    let resumed = 0;
    let isOver = false;
    mcp.misbehave = (request, response, body) => {
      const isCall = body.includes('tools/call');
      if (!isCall && request.headers['last-event-id'] === undefined) return false;
      if (!isCall && !isOver) resumed += 1;
      return !!response.writeHead(200, stream).end(`id: 7\nretry: ${retry}\ndata:\n\n`);
    };
    const called = call();
    await sleep(2_000);
    expect(resumed).toBeLessThanOrEqual(most);
    // A busy machine may not have come so far.
    await until('the resumptions', () => Promise.resolve(resumed >= least || null));
    isOver = true;
    mcp.misbehave = () => false;
    await server.close();
    await called;
    server = await connected();
  });

  it('and that tells too much by itself is not asked again, and heard on', async () => {
    const standing: ServerResponse[] = [];
    mcp.misbehave = (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, stream).flushHeaders();
      return standing.push(response) > 0;
    };
    await server.close();
    server = await connected();
    const opened = await until('its own stream', () => Promise.resolve(standing[0]));
    const tell = (id: number, params: object) =>
      opened.write(
        `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params })}\n\n`,
      );
    mcp.tools = [{ name: 'last' }];
    tell(8, { _meta: { tooLarge } });
    tell(9, {});
    await until('what it tells next', () => Promise.resolve(server.tools.find(({ name }) => name === 'docs_last')));
    expect(standing).toHaveLength(1);
  });
});
