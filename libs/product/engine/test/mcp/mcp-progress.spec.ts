/** The progress of calls, as real servers report it over HTTP and as child processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackMcp, saying, stdioProgram } from '@app/testing/mcp';
import { until } from '@app/testing/until';
import type { McpServers } from '../../src/mcp/mcp-servers';
import type { ReportedProgress } from '../../src/tool';
import { calling, serversOf } from './mcp-calls';

const timeoutMs = 60_000;

let mcp: LoopbackMcp;
let servers: McpServers | null = null;
beforeEach(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'work' }];
});
afterEach(async () => {
  await servers?.onModuleDestroy();
  await mcp.stop();
});

async function listed(more: object = {}): Promise<McpServers> {
  const settings = { consent: 'auto', timeoutMs, startTimeoutMs: 60_000, ...more };
  servers = serversOf(
    { name: 'web', transport: { type: 'http', url: mcp.url }, ...settings },
    { name: 'child', transport: { type: 'stdio', command: process.execPath, args: [stdioProgram] }, ...settings },
  );
  await servers.onModuleInit();
  const all = servers;
  await until('both servers', () => Promise.resolve(all.servers.every(({ isAway }) => !isAway) || null));
  return all;
}

/** Makes a call; returns its result, and what was reported until now. */
function following(from: McpServers, tool: string, input: object = {}) {
  const reported: ReportedProgress[] = [];
  const report = (one: ReportedProgress) => void reported.push(one);
  return { reported, result: calling(from, tool, input, undefined, { report }) };
}

const countOf = ({ progress }: ReportedProgress) => progress;

/** Makes the server over HTTP report what the input says, as the child process does by itself. */
function reportsAsAsked(): void {
  mcp.answer = async ({ input, report, progressToken }) => {
    for (const one of input['reports'] as object[]) await report(one); // reason for the assertion: given below
    return saying(String(progressToken));
  };
}

describe.each(['web_work', 'child_progress'])('the progress of %s', (tool) => {
  it('is passed on, with a token that differs for each call', async () => {
    reportsAsAsked();
    const from = await listed();
    const reports = [{ progress: 0 }, { progress: 1.5, total: 3, message: 'half' }, { progress: 3, total: 3 }];
    const [one, other] = [following(from, tool, { reports }), following(from, tool, { reports: [] })];
    const results = [await one.result, await other.result];
    expect(results).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
    expect(new Set(results.map(({ result }) => JSON.stringify(result))).size).toBe(2);
    expect(JSON.stringify(results)).not.toContain('undefined');
    expect(one.reported).toEqual([
      { progress: 0, total: null, message: null },
      { progress: 1.5, total: 3, message: 'half' },
      { progress: 3, total: 3, message: null },
    ]);
    expect(other.reported).toEqual([]);
  });

  it('is dropped where it is of no form, falls back, or has a token of no call', async () => {
    reportsAsAsked();
    const from = await listed();
    const odd = [{}, { progress: '7' }, { progress: null }, { progress: -1 }, { progress: 1, total: 'all' }];
    const tokens = ['none', 999, null, {}, ''].map((progressToken) => ({ progress: 5, progressToken }));
    const reports = [{ progress: 2 }, ...odd, ...tokens, { progress: 1 }, { progress: 3, message: 'on' }];
    const { reported, result } = following(from, tool, { reports });
    expect(await result).toMatchObject({ outcome: 'ok' });
    expect(reported.map(countOf)).toEqual([2, 3]);
  });
});

it('a number beyond all bounds, as JSON can spell it, is dropped', async () => {
  mcp.misbehave = (_, response, body) => {
    if (!body.includes('tools/call')) return false;
    const { id, params } = JSON.parse(body) as { id: number; params: { _meta: { progressToken: number } } }; // reason: as the SDK sends it
    const report = (numbers: string) =>
      `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${params._meta.progressToken},${numbers}}}\n\n`;
    const answer = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: saying('done') })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return !!response.end(
      report('"progress":1e999') + report('"progress":1e300') + report('"progress":4,"total":1e300') + answer,
    );
  };
  const { reported, result } = following(await listed(), 'web_work');
  expect(await result).toMatchObject({ outcome: 'ok' });
  expect(reported).toEqual([{ progress: 4, total: null, message: null }]);
});

it('what a server reports of one call is not shown as that of another', async () => {
  const tokens: (string | number | undefined)[] = [];
  mcp.answer = async ({ progressToken, report, input }) => {
    tokens.push(progressToken);
    await until('both calls', () => Promise.resolve(tokens[1]));
    await report({ progress: Number(input['count']) });
    return saying('done');
  };
  const from = await listed();
  const calls = [1, 2].map((count) => following(from, 'web_work', { count }));
  for (const { result } of calls) expect(await result).toMatchObject({ outcome: 'ok' });
  expect(calls.map(({ reported }) => reported.map(countOf))).toEqual([[1], [2]]);
});

it('what comes after the answer is ignored, and the next call goes on', async () => {
  const from = await listed();
  const { reported, result } = following(from, 'child_progress', {
    reports: [{ progress: 1 }],
    late: [{ progress: 2, message: 'late' }],
  });
  expect(await result).toMatchObject({ outcome: 'ok' });
  await sleep(300);
  expect(reported.map(countOf)).toEqual([1]);
  expect(await following(from, 'child_progress', { reports: [] }).result).toMatchObject({ outcome: 'ok' });
});

it('does not extend the time of a call, however often it is reported', async () => {
  mcp.answer = async ({ report, signal }) => {
    for (let progress = 1; !signal.aborted; progress += 1) {
      await report({ progress, message: 'nearly done' }).catch(() => undefined); // the client has left
      await sleep(50);
    }
    return saying('too late');
  };
  const { reported, result } = following(await listed({ timeoutMs: 1000 }), 'web_work');
  const begunAt = performance.now();
  expect(await result).toMatchObject({ result: { error: 'outcome unknown: there was no answer within 1000 ms' } });
  expect(performance.now() - begunAt).toBeLessThan(10_000);
  const seen = reported.length;
  expect(seen).toBeGreaterThan(2);
  await sleep(300);
  expect(reported).toHaveLength(seen);
});

it('starts from zero again where a call is made again', async () => {
  let attempts = 0;
  mcp.misbehave = (_, response, body) => {
    if (!body.includes('tools/call') || (attempts += 1) > 1) return false;
    const { params } = JSON.parse(body) as { params: { _meta: { progressToken: number } } }; // reason: as the SDK sends it
    const { progressToken } = params._meta;
    const report = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 9 } };
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(report)}\n\n`);
    setTimeout(() => response.destroy(), 100);
    return true;
  };
  mcp.answer = async ({ report }) => {
    await report({ progress: 1 });
    return saying('done');
  };
  const { reported, result } = following(await listed({ idempotent: true }), 'web_work');
  expect(await result).toMatchObject({ outcome: 'ok' });
  expect(reported.map(countOf)).toEqual([9, 1]);
});

it('a flood of it is read to its end, and costs no more than its bytes', async () => {
  const from = await listed();
  const message = 'x'.repeat(1_000);
  const { reported, result } = following(from, 'child_flood', { count: 20_000, message });
  const begunAt = performance.now();
  const before = process.cpuUsage();
  expect(await result).toEqual({ outcome: 'ok', result: { text: 'flooded' } });
  const { user, system } = process.cpuUsage(before);
  console.log(
    `20,000 reports, 20 MB: ${Math.round(performance.now() - begunAt)} ms, ${Math.round((user + system) / 1000)} ms of CPU`,
  );
  expect(reported).toHaveLength(20_000);
});
