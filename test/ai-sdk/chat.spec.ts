import { isWithdrawn, ParleyChatTransport, readHistory, type ParleyUIMessage } from '@parley/client/ai-sdk';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { CuttingProxy } from '@app/testing/proxies';
import {
  type Approval,
  conversationOf,
  holdings,
  type Listed,
  startLongRun,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { clientOf, patience } from '../client/clients';
import { linesOf, PageChat } from './page-chat';
import { PartnerServer } from './partner';

const cutsWanted = process.env['FIGURES'] === 'full' ? 200 : 20;
jest.setTimeout(300_000);

let deployment: Deployment;
beforeAll(async () => {
  // Enough for all tests with FIGURES=full.
  const env = { STREAMS_PER_USER: '1000', BUDGET_DAY_CENTS: '5000' };
  deployment = await startDeployment({ mode: 'in-process', env });
});
afterAll(() => deployment.stop());
afterEach(() => deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } }));

interface Opened {
  readonly user: TestClient;
  readonly conversationId: string;
  readonly server: PartnerServer;
}

/** Runs `work` with a user, a conversation, and the partner's server in front of both. */
async function opened(work: (opened: Opened) => Promise<void>): Promise<void> {
  const user = await deployment.newUser();
  await user.post('/wallet');
  const conversationId = await conversationOf(user);
  const server = await PartnerServer.start(clientOf(user, user.baseUrl, { when: () => false }));
  try {
    await work({ user, conversationId, server });
  } finally {
    await server.stop();
  }
}

/** A newly loaded page that shows the conversation. */
async function pageOf(conversationId: string, api: string) {
  const transport = new ParleyChatTransport({ api });
  const { messages } = await transport.load(conversationId);
  const { sendAutomaticallyWhen } = transport;
  return new PageChat({ id: conversationId, messages, transport, sendAutomaticallyWhen });
}

/** The approval that the page asks for, or null while it asks for none. */
function questionIn({ messages }: PageChat) {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === 'dynamic-tool' && part.state === 'approval-requested') return part.approval;
  }
  return null;
}

async function recorded({ user, conversationId }: Opened): Promise<ParleyUIMessage[]> {
  return (await readHistory({ parley: clientOf(user), conversationId })).messages;
}

/**
 * The messages without the parts in which two readings may differ: the SDK's own marks, and whether recorded data is before or after text
 * that was streaming.
 */
function plain(messages: readonly ParleyUIMessage[]): unknown {
  const isData = (part: ParleyUIMessage['parts'][number]) => part.type.startsWith('data-');
  const sorted = messages.map((message) => ({
    ...message,
    parts: [...message.parts.filter((part) => !isData(part)), ...message.parts.filter(isData)],
  }));
  return JSON.parse(JSON.stringify(sorted), (key, value: unknown) => (key === 'approved' ? undefined : value));
}

it('says what the agent says, word by word, and ends with what is recorded', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 1_000 } });
  await opened(async (all) => {
    const page = await pageOf(all.conversationId, all.server.api);
    const seen = new Set<string>();
    const watch = setInterval(() => seen.add(page.lines.at(-1) ?? ''), 10);
    await page.sendMessage({ text: 'repeat after me: every word comes once and in its order' });
    clearInterval(watch);
    expect(page.error).toBeUndefined();
    expect(page.lines).toEqual([
      'user: repeat after me: every word comes once and in its order',
      'assistant: every word comes once and in its order',
    ]);
    expect(seen.size).toBeGreaterThan(4);
    expect(plain(page.messages.slice(1))).toEqual(plain((await recorded(all)).slice(1)));
  });
});

it('asks for consent with its terms, sends the fingerprint of what was shown, and tells of the settlement', async () => {
  await opened(async (all) => {
    const { user, conversationId, server } = all;
    const page = await pageOf(conversationId, server.api);
    await page.sendMessage({ text: 'withdraw 1.5 USDC' });
    const [approval] = (await user.get<Listed<Approval>>('/approvals')).body.data;
    expect(questionIn(page)).toMatchObject({
      id: approval?.id,
      descriptor: {
        fingerprint: approval?.fingerprint,
        summary: approval?.['summary'],
        terms: approval?.['terms'],
        contract: approval?.['contract'],
      },
    });
    await page.addToolApprovalResponse({ id: approval?.id ?? '', approved: true });
    await until('the settlement', async () => (page.status === 'ready' && settled(page) ? true : null));
    expect(page.lines.at(-1)).toBe('assistant: The transfer is on its way. What comes of it is reported apart.');
    expect((await holdings(user))[usdc]).toBe('248500000');
    expect(plain(page.messages.slice(1))).toEqual(plain((await recorded(all)).slice(1)));
  });
});

function settled({ messages }: PageChat): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === 'data-settlement' && part.data.status === 'settled'),
  );
}

it('denies with a reason, which the agent reads', async () => {
  await opened(async (all) => {
    const page = await pageOf(all.conversationId, all.server.api);
    await page.sendMessage({ text: 'withdraw 2 USDC' });
    await page.addToolApprovalResponse({ id: questionIn(page)?.id ?? '', approved: false, reason: 'Not today' });
    await until('the end', async () =>
      page.status === 'ready' && page.messages[1]?.metadata && statusOf(page) === 'completed' ? true : null,
    );
    expect(page.messages[1]?.parts).toContainEqual(expect.objectContaining({ state: 'output-denied' }));
    expect((await all.user.get<Listed>('/approvals?status=denied')).body.data[0]).toMatchObject({
      denialReason: 'Not today',
    });
    expect((await holdings(all.user))[usdc]).toBe('250000000');
  });
});

function statusOf({ messages }: PageChat): unknown {
  return Reflect.get(messages.at(-1)?.metadata ?? {}, 'status');
}

it('loses no answer that cannot be recorded yet: it is sent until it is', async () => {
  await opened(async (all) => {
    const { user, conversationId, server } = all;
    const page = await pageOf(conversationId, server.api);
    await page.sendMessage({ text: 'withdraw 1 USDC' });
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 20_000 } });
    const runId = await startLongRun(user, conversationId);
    const answered = page.addToolApprovalResponse({ id: questionIn(page)?.id ?? '', approved: true });
    await answered;
    await until('a refusal', async () => (page.status === 'submitted' ? true : null));
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    await user.post(`/agent-runs/${runId}/abort`);
    await until('the settlement', async () => (settled(page) ? true : null));
    expect((await user.get<Listed>('/financial-operations')).body.data).toHaveLength(1);
  });
});

it('asks again where an answer could not be recorded at all', async () => {
  await opened(async ({ user, conversationId, server }) => {
    const transport = new ParleyChatTransport({ api: server.api, retryForMs: 300 });
    const { sendAutomaticallyWhen } = transport;
    const page = new PageChat({ id: conversationId, transport, sendAutomaticallyWhen });
    await page.sendMessage({ text: 'withdraw 1 USDC' });
    const question = questionIn(page);
    await server.stop();
    await page.addToolApprovalResponse({ id: question?.id ?? '', approved: true });
    await until('the error', async () => (page.status === 'error' ? true : null));
    expect(page.error?.message).toMatch(/^Your answer did not arrive/);
    expect(questionIn(page)).toEqual(question);
    expect((await user.get<Listed>('/approvals')).body.data).toHaveLength(1);
  });
});

it('tells a message that is sent twice as one run, and runs nothing again to tell an answer again', async () => {
  await opened(async ({ user, conversationId, server }) => {
    const page = await pageOf(conversationId, server.api);
    await page.sendMessage({ text: 'repeat after me: once' });
    await page.regenerate();
    expect(page.lines).toEqual(['user: repeat after me: once', 'assistant: once']);
    expect((await user.get<Listed>('/agent-runs')).body.data).toHaveLength(1);
  });
});

it('says that the agent is busy at once', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 20_000 } });
  await opened(async ({ user, conversationId, server }) => {
    await startLongRun(user, conversationId);
    const page = await pageOf(conversationId, server.api);
    await page.sendMessage({ text: 'what is my balance' });
    expect(page.error).toMatchObject({ name: 'ChatRefused', reason: 'run_active', status: 409 });
  });
});

it('tells a run that failed as an error, which the message keeps', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 20_000 } });
  await opened(async (all) => {
    const page = await pageOf(all.conversationId, all.server.api);
    const sent = page.sendMessage({ text: 'repeat after me: on and on and on and on' });
    await until('words', async () => (page.lines.length === 2 ? true : null));
    await new ParleyChatTransport({ api: all.server.api }).abort(all.conversationId);
    await sent;
    expect(page.status).toBe('ready');
    expect(statusOf(page)).toBe('aborted');
    expect(linesOf(await recorded(all))).toEqual(page.lines);
  });
});

it('goes on after a reload in the middle of an answer, telling it whole', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 4_000 } });
  await opened(async ({ conversationId, server }) => {
    const before = await pageOf(conversationId, server.api);
    void before.sendMessage({ text: 'repeat after me: what was begun before is whole after' });
    await until('words', async () => ((before.lines[1] ?? '').length > 20 ? true : null));
    await before.stop();
    const after = await pageOf(conversationId, server.api);
    await after.resumeStream();
    expect(after.lines).toEqual([
      'user: repeat after me: what was begun before is whole after',
      'assistant: what was begun before is whole after',
    ]);
  });
});

it('resumes nothing where nothing is under way', async () => {
  await opened(async ({ conversationId, server }) => {
    const page = await pageOf(conversationId, server.api);
    await page.resumeStream();
    expect(page).toMatchObject({ status: 'ready', messages: [] });
  });
});

it('watches what happens while no answer streams', async () => {
  await opened(async ({ user, conversationId, server }) => {
    const transport = new ParleyChatTransport({ api: server.api });
    const gone = new AbortController();
    let messages: ParleyUIMessage[] = [];
    const watching = (async () => {
      for await (const update of transport.watch(conversationId, 0, gone.signal))
        messages = transport.withUpdate(messages, update);
    })();
    await user.post('/agent-runs', { conversationId, input: { text: 'repeat after me: said elsewhere' } });
    const isThere = async () => (linesOf(messages)[1] === 'assistant: said elsewhere' ? true : null);
    await until('the message', isThere);
    gone.abort();
    await watching;
    expect(linesOf(messages)).toEqual(['user: repeat after me: said elsewhere', 'assistant: said elsewhere']);
  });
});

it('goes on where the connections behind the server are cut', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 800 } });
  const user = await deployment.newUser();
  await user.post('/wallet');
  const conversationId = await conversationOf(user);
  const proxy = await CuttingProxy.start(user.baseUrl, { seed: 11, upBytesMax: 4_000, downBytesMax: 4_000 });
  const server = await PartnerServer.start(clientOf(user, proxy.baseUrl, patience));
  try {
    const page = await pageOf(conversationId, server.api);
    let rounds = 0;
    for (; rounds < 3 || proxy.total < cutsWanted; rounds += 1) {
      await page.sendMessage({ text: 'repeat after me: one two three four five six' });
      expect(page.error).toBeUndefined();
    }
    await page.sendMessage({ text: 'withdraw 1.5 USDC' });
    await page.addToolApprovalResponse({ id: questionIn(page)?.id ?? '', approved: true });
    await until('the settlement', async () => (page.status === 'ready' && settled(page) ? true : null));
    const shown = page.messages.map((message) => ({
      ...message,
      parts: message.parts.filter((part) => !isWithdrawn(part)),
    }));
    expect(linesOf(shown)).toEqual(linesOf(await recorded({ user, conversationId, server })));
    expect(linesOf(shown).slice(0, 2)).toEqual([
      'user: repeat after me: one two three four five six',
      'assistant: one two three four five six',
    ]);
    expect((await user.get<Listed>('/financial-operations')).body.data).toHaveLength(1);
    expect(proxy.total).toBeGreaterThanOrEqual(cutsWanted);
  } finally {
    await server.stop();
    await proxy.stop();
  }
});

describe('through a proxy that cuts every connection', () => {
  it('loses nothing, tells nothing twice, and moves money once', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 300 } });
    await opened(async (all) => {
      const { user, conversationId, server } = all;
      const proxy = await CuttingProxy.start(server.origin, { seed: 7, upBytesMax: 3_000, downBytesMax: 4_000 });
      const parts = ['one two three four five six', 'seven eight nine ten', 'eleven twelve'];
      let rounds = 0;
      try {
        const page = await pageOf(conversationId, `${proxy.baseUrl}/api/chat`);
        for (; rounds < 3 || proxy.total < cutsWanted; rounds += 1) {
          await page.sendMessage({ text: `repeat after me: ${parts[rounds % parts.length]}` });
          expect(page.error).toBeUndefined();
        }
        await page.sendMessage({ text: 'withdraw 1.5 USDC' });
        await page.addToolApprovalResponse({ id: questionIn(page)?.id ?? '', approved: true });
        await until('the settlement', async () => (page.status === 'ready' && settled(page) ? true : null));
        expect(page.lines.slice(0, -2)).toEqual(
          Array.from({ length: rounds }, (_, round) => parts[round % parts.length]).flatMap((text) => [
            `user: repeat after me: ${text}`,
            `assistant: ${text}`,
          ]),
        );
        const answers = (messages: readonly ParleyUIMessage[]) =>
          plain(messages.filter(({ role }) => role === 'assistant'));
        expect(answers(page.messages)).toEqual(answers(await recorded(all)));
      } finally {
        await proxy.stop();
      }
      const { body } = await user.get<Listed<{ id: string }>>('/financial-operations');
      expect(body.data).toHaveLength(1);
      await untilOperation(user, body.data[0]?.id ?? '');
      expect((await holdings(user))[usdc]).toBe('248500000');
      const { connections, total } = { connections: proxy.cuts.connections, total: proxy.total };
      process.stdout.write(
        `useChat's chat: ${rounds + 1} messages over ${connections} connections and ${total} cuts: nothing lost, nothing twice\n`,
      );
      expect(total).toBeGreaterThanOrEqual(cutsWanted);
    });
  });
});
