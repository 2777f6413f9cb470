/** The progress of an MCP server's tools reaches readers of every replica while the call goes on, and nothing of it is recorded. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, journal, journalTypes, recorded, say, start, untilEnded } from '@app/testing/journeys';
import { LoopbackMcp, saying } from '@app/testing/mcp';

type EventReader = Awaited<ReturnType<TestClient['stream']>>;

const type = 'agent.tool_progress';
const secret = 'the invoices of Miss Marple';

let mcp: LoopbackMcp;
let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'work' }];
  const servers = [{ name: 'web', transport: { type: 'http', url: mcp.url }, consent: 'auto' }];
  const env = { MCP_SERVERS: JSON.stringify(servers), LOG_LEVEL: 'debug' };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 1 }, env });
});
beforeEach(async () => {
  user = await deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(async () => {
  await deployment.stop();
  await mcp.stop();
});

/** A reader of the conversation through each replica. */
async function readers(): Promise<EventReader[]> {
  const opened = deployment.baseUrls.map(async (baseUrl) => {
    const reader = await user.via(baseUrl).stream(`/conversations/${conversationId}/stream`);
    await reader.untilEvent('conversation.created');
    return reader;
  });
  return Promise.all(opened);
}

const progressIn = ({ frames }: EventReader) => frames.filter(({ event }) => event === type);
const payloadsIn = (reader: EventReader) => progressIn(reader).map(({ data }) => data.payload);

it('reaches every reader before the result, whichever replica it reads from, in one line of bounded words', async () => {
  mcp.answer = async ({ report }) => {
    await report({ progress: 1, total: 3, message: `${secret}\n\u001b[2J` });
    await sleep(1_000);
    await report({ progress: 2, total: 3, message: '\u{1F600}'.repeat(300) });
    await sleep(1_000);
    await report({ progress: 3, total: 3 });
    return saying('done');
  };
  const both = await readers();
  const { body } = await start(user, conversationId, 'call web_work {}');
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  const head = { type, at: expect.any(String) as string, runId: body.runId, toolCallId: `${body.runId}/1/0`, total: 3 };
  const shown = [
    { ...head, progress: 1, message: `${secret} \ufffd[2J` },
    { ...head, progress: 2, message: `${'\u{1F600}'.repeat(199)}…` },
    { ...head, progress: 3, message: null },
  ];
  for (const reader of both) {
    await reader.untilEvent('run.ended');
    expect(progressIn(reader)).toEqual(
      shown.map((payload) => ({ id: undefined, event: type, data: { delivery: 'live', payload } })),
    );
    const returned = reader.frames.findIndex(({ event }) => event === 'tool.returned');
    expect(reader.frames.slice(returned).map(({ event }) => event)).not.toContain(type);
    await reader.close();
  }
});

it('of a flood is at most four frames a second, and the last report', async () => {
  const count = 6_000;
  mcp.answer = async ({ report }) => {
    for (let progress = 1; progress <= count; progress += 1) {
      await report({ progress, total: count, message: `step ${progress}` });
      if (progress % 20 === 0) await sleep(10);
    }
    return saying('done');
  };
  const both = await readers();
  const { body } = await start(user, conversationId, 'call web_work {}');
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  for (const reader of both) {
    await reader.untilEvent('run.ended');
    const counts = payloadsIn(reader).map(({ progress }) => Number(progress));
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    expect([counts.length > 4, counts.at(-1)]).toEqual([true, count]);
    const shownMs = payloadsIn(reader).map(({ at }) => Date.parse(String(at)));
    for (const first of shownMs)
      expect(shownMs.filter((ms) => ms >= first && ms < first + 1000).length).toBeLessThanOrEqual(4);
    console.log(`${count} reports: ${counts.length} frames in ${(shownMs.at(-1) ?? 0) - (shownMs[0] ?? 0)} ms`);
    await reader.close();
  }
});

it('leaves nothing behind: the events of a call without it, and no word in a journal or a log', async () => {
  const typesWith = async (isReported: boolean): Promise<string[]> => {
    mcp.answer = async ({ report }) => {
      for (let progress = 1; isReported && progress <= 3; progress += 1) {
        await report({ progress, message: secret });
        await sleep(400);
      }
      return saying('done');
    };
    conversationId = await conversationOf(user);
    expect(await say(user, conversationId, 'call web_work {}')).toMatchObject({ status: 'completed' });
    return journalTypes(user, conversationId);
  };
  const silent = await typesWith(false);
  expect(silent).toContain('tool.returned');
  expect(await typesWith(true)).toEqual(silent);
  expect(JSON.stringify(await journal(user, conversationId))).not.toContain(secret);
  expect(await recorded(deployment, 'agent.tool')).toEqual([]);
  // A reader that comes later replays the journal, and it is complete.
  const late = await user.stream(`/conversations/${conversationId}/stream`);
  await late.untilEvent('run.ended');
  expect(progressIn(late)).toEqual([]);
  await late.close();
  const processes = [...deployment.apis, ...deployment.workers];
  expect(processes).toHaveLength(3);
  for (const { output } of processes) expect(output).not.toContain(secret);
});

it('ends with the call: an abort ends its frames at once', async () => {
  mcp.answer = async ({ report, signal }) => {
    for (let progress = 1; !signal.aborted; progress += 1) {
      await report({ progress }).catch(() => undefined); // the client has left
      await sleep(50);
    }
    return saying('too late');
  };
  const both = await readers();
  const { body } = await start(user, conversationId, 'call web_work {}');
  for (const reader of both) await reader.untilEvent(type);
  expect((await user.post(`/agent-runs/${body.runId}/abort`)).status).toBe(200);
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'aborted' });
  for (const reader of both) {
    await reader.untilEvent('run.ended');
    await sleep(700);
    const ended = reader.frames.findIndex(({ event }) => event === 'run.ended');
    expect(reader.frames.slice(ended).map(({ event }) => event)).not.toContain(type);
    await reader.close();
  }
});
