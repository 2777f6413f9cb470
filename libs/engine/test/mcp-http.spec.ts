import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfiguration } from '@app/runtime';
import { LoopbackMcp } from '../../../test/mcp/loopback-mcp';
import { saying } from '../../../test/mcp/tool-server';
import { McpServers } from '../src/mcp/mcp-servers';
import { calling } from './mcp-calls';

const loopbackTimeoutMs = 2_000;
const resultBytesMax = 2048;

let mcp: LoopbackMcp;
let servers: McpServers;
beforeEach(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look' }];
  const settings = { name: 'docs', consent: 'auto', timeoutMs: loopbackTimeoutMs, resultBytesMax };
  const transport = { type: 'http', url: mcp.url, headers: { authorization: 'Bearer secret' } };
  servers = new McpServers(readConfiguration({ MCP_SERVERS: JSON.stringify([{ ...settings, transport }]) }));
});
afterEach(async () => {
  await servers.onModuleDestroy();
  await mcp.stop();
});

const names = () => servers.tools.map(({ name }) => name);
const call = (input: object = {}, signal?: AbortSignal) => calling(servers, 'docs_look', input, signal);
const unreachable = { outcome: 'error', result: { error: expect.stringContaining('could not be reached') as unknown } };

describe('a server over HTTP', () => {
  it('is listed at the start, and called with the configured headers', async () => {
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
  });

  it('tells its errors in its own words, within a bound', async () => {
    await servers.onModuleInit();
    mcp.answer = () => ({ isError: true, ...saying('y'.repeat(5000)) });
    expect(await call()).toMatchObject({ outcome: 'error', result: { reported: 'y'.repeat(2000) } });
    mcp.answer = () => Promise.reject(new Error('not today'));
    expect(await call()).toMatchObject({
      outcome: 'error',
      result: { error: 'the tool reports an error', reported: expect.stringContaining('not today') as unknown },
    });
  });

  it('has its time, and is given up after it', async () => {
    await servers.onModuleInit();
    mcp.answer = () => new Promise(() => undefined);
    expect(await call()).toEqual({
      outcome: 'error',
      result: { error: `there was no answer within ${loopbackTimeoutMs} ms` },
    });
    mcp.answer = () => saying('again');
    expect(await call()).toMatchObject({ outcome: 'ok' });
  });

  it('is let go at once when the run is aborted', async () => {
    await servers.onModuleInit();
    const abort = new AbortController();
    let closed: Promise<void> = Promise.resolve();
    mcp.misbehave = (_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      setTimeout(() => abort.abort(), 20);
      return true;
    };
    expect(await call({}, abort.signal)).toEqual({ outcome: 'error', result: { error: 'the call was stopped' } });
    await closed;
  });

  it('may return no more than its bound, nor more than a message may hold', async () => {
    await servers.onModuleInit();
    mcp.answer = () => saying('x'.repeat(resultBytesMax));
    expect(await call()).toEqual({ outcome: 'error', result: { error: 'the result is larger than 2048 bytes' } });
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
    mcp.misbehave = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: message\ndata: {"jso');
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    // Not the words of a call that waited its time out.
    expect(await call()).toMatchObject(unreachable);
  });

  it('never has its redirects followed: they would take the credentials along', async () => {
    await servers.onModuleInit();
    const other = await LoopbackMcp.start();
    let asked = 0;
    other.misbehave = () => (asked += 1) > 0 && false;
    mcp.misbehave = (_, response) => !!response.writeHead(307, { location: other.url }).end();
    expect(await call()).toMatchObject(unreachable);
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
    expect([names(), tool?.name]).toEqual([[], 'docs_look']);
    mcp.tools = [{ name: 'look' }, { name: 'more' }];
    await mcp.restart();
    await servers.look();
    expect(names()).toEqual(['docs_look', 'docs_more']);
  });

  it('that hangs at the start holds it up for a few seconds and no more', async () => {
    mcp.misbehave = () => true;
    await servers.onModuleInit();
    expect(names()).toEqual([]);
  });

  it('comes back by itself', async () => {
    const key = randomUUID();
    mcp.tools = [{ name: key }];
    await mcp.stop();
    await servers.onModuleInit();
    expect(names()).toEqual([]);
    await mcp.restart();
    for (let waits = 0; waits < 80 && names().length === 0; waits += 1) await sleep(100);
    expect(names()).toEqual([`docs_${key}`]);
  });
});
