/** `input.replaces`: a message of the user is corrected or repeated; nothing is deleted, and the model reads of money that moved. */
import { randomUUID } from 'node:crypto';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approve,
  conversationOf,
  expectProblem,
  journal,
  newOwner,
  outcomeOf,
  pendingOf,
  start,
  untilEnded,
  usdc,
} from '@app/testing/journeys';
import { LoopbackModels, type Asked } from '@app/testing/models';

let models: LoopbackModels;
let deployment: Deployment;
let user: TestClient;
let asked: Asked[] = [];
beforeAll(async () => {
  models = await LoopbackModels.start('openai-compatible');
  const env = { ...models.environment(), BUDGET_DAY_CENTS: '1000000', BUDGET_MONTH_CENTS: '1000000' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
beforeEach(async () => {
  user = await newOwner(deployment);
  asked = [];
  models.says((request) => {
    asked.push(request);
    return { text: [`answer ${asked.length}`] };
  });
});
afterAll(async () => {
  await deployment.stop();
  await models.close();
});

interface Message {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly superseded: boolean;
}

const messagesOf = async (id: string, query = '') =>
  (await user.get<{ data: Message[] }>(`/conversations/${id}/messages${query}`)).body.data;

const textsOf = async (id: string, query = '') => (await messagesOf(id, query)).map(({ text }) => text);

/** Says it, waits for the answer, and returns the id of the message. */
async function ask(id: string, text: string, replaces?: string): Promise<string> {
  const { status, body } = await start(user, id, text, {
    input: { text, ...(replaces !== undefined && { replaces }) },
  });
  expect([status, body]).toMatchObject([202, { conversationId: id }]);
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  return (await messagesOf(id)).findLast(({ role }) => role === 'user')?.id ?? '';
}

const promptOf = (at: number): string => (asked.at(at)?.messages ?? []).map(({ text }) => text).join('\n');

it('has the model read nothing of what it replaces, and lists show the new line', async () => {
  const id = await conversationOf(user);
  await ask(id, 'first');
  const second = await ask(id, 'secnd');
  await ask(id, 'third');
  await ask(id, 'second', second);
  expect(promptOf(-1)).toMatch(/first[^]*answer 1[^]*second$/);
  expect(promptOf(-1)).not.toMatch(/secnd|answer 2|third|replaced/);
  expect(await textsOf(id)).toEqual(['first', 'answer 1', 'second', 'answer 4']);
  const all = await messagesOf(id, '?superseded=true');
  expect(all.map(({ text, superseded }) => [text, superseded])).toEqual([
    ['first', false],
    ['answer 1', false],
    ['secnd', true],
    ['answer 2', true],
    ['third', true],
    ['answer 3', true],
    ['second', false],
    ['answer 4', false],
  ]);
  const frames = await journal(user, id);
  const marker = frames.findIndex(({ payload }) => payload.type === 'message.superseded');
  expect(frames[marker]?.payload).toMatchObject({ messageId: second });
  expect(frames[marker + 1]?.payload).toMatchObject({ type: 'run.started', request: { input: { replaces: second } } });
  await ask(id, 'fourth');
  expect(promptOf(-1)).toMatch(/first[^]*second[^]*answer 4[^]*fourth$/);
  expect(promptOf(-1)).not.toMatch(/secnd|third/);
});

it('answers the same text again, as often as it is asked to', async () => {
  const id = await conversationOf(user);
  let message = await ask(id, 'tell me a number');
  for (let times = 0; times < 3; times += 1) message = await ask(id, 'tell me a number', message);
  expect(await textsOf(id)).toEqual(['tell me a number', 'answer 4']);
  expect(await textsOf(id, '?superseded=true')).toHaveLength(8);
  expect(promptOf(-1)).not.toContain('answer');
});

it('tells the model what money did in the part that it replaces', async () => {
  const id = await conversationOf(user);
  const withdraw = {
    kind: 'withdraw_to_owner',
    input: { pinned: { tokenId: usdc, decimals: 6 } },
    quantity: { kind: 'exact_input_tokens', amountRaw: '5000000' },
  };
  const contract = { type: 'ledger_intents_transfer', actions: [withdraw] };
  models.says([{ calls: [{ tool: 'intents_transfer', input: { contract } }] }, { text: ['Sent.'] }]);
  const { runId } = (await start(user, id, 'send me 5 USDC')).body;
  const approval = await pendingOf(user, runId);
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, runId);
  const operation = await outcomeOf(user, approval.id);
  models.says((request) => {
    asked.push(request);
    return { text: ['ok'] };
  });
  const [sent] = await messagesOf(id);
  await ask(id, 'send me nothing', sent?.id);
  for (const at of [0, 1]) {
    if (at === 1) await ask(id, 'and now?');
    const prompt = promptOf(-1);
    expect(prompt).not.toMatch(/send me 5 USDC|Sent\./);
    const line = prompt.split('\n').find((one) => one.startsWith('{')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      operationId: operation.id,
      state: 'settled',
      approved: expect.stringMatching(/5 USDC/) as string,
      actions: [{ kind: 'withdraw_to_owner', state: 'settled', takes: { amount: '5', symbol: 'USDC' } }],
    });
    expect(prompt.split(line)).toHaveLength(2);
  }
});

it('is refused while a run is live, waits for the user, or is queued, and records nothing', async () => {
  const id = await conversationOf(user);
  const message = await ask(id, 'first');
  models.says(() => ({ text: ['slow', 'ly'], pauseMs: 300 }));
  const { runId } = (await start(user, id, 'second')).body;
  const before = (await journal(user, id)).length;
  for (const whenBusy of ['reject', 'queue', 'steer'])
    expectProblem(
      await start(user, id, 'again', { whenBusy, input: { text: 'again', replaces: message } }),
      'run_active',
    );
  await untilEnded(user, runId);
  const types = (await journal(user, id)).slice(before).map(({ payload }) => String(payload.type));
  expect(types.filter((type) => /superseded|queued|steered|started/.test(type))).toEqual([]);
});

it.each<[string, () => Promise<string>]>([
  ['is unknown', () => Promise.resolve(randomUUID())],
  ['is in another conversation', async () => ask(await conversationOf(user), 'elsewhere')],
])('is refused where the message %s', async (_what, messageOf) => {
  const message = await messageOf();
  const id = await conversationOf(user);
  await ask(id, 'first');
  const answer = await start(user, id, 'again', { input: { text: 'again', replaces: message } });
  expectProblem(answer, 'invalid_input', { at: ['/input/replaces'] });
});

it("is refused for the agent's own message, and for one that left the line", async () => {
  const id = await conversationOf(user);
  const message = await ask(id, 'first');
  const said = (await messagesOf(id)).find(({ role }) => role === 'assistant')?.id;
  const again = (replaces: string | undefined) => start(user, id, 'x', { input: { text: 'x', replaces } });
  expectProblem(await again(said), 'invalid_input', { at: ['/input/replaces'] });
  await ask(id, 'second', message);
  expectProblem(await again(message), 'invalid_input', { at: ['/input/replaces'] });
});

it('happens once, however often and wherever the request is repeated', async () => {
  const id = await conversationOf(user);
  const message = await ask(id, 'first');
  const there = user.via(deployment.baseUrls[1] ?? '');
  const runId = randomUUID();
  const send = (client: TestClient) => start(client, id, 'x', { runId, input: { text: 'x', replaces: message } });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(at % 2 === 0 ? user : there)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  await untilEnded(user, runId);
  expect((await send(there)).status).toBe(202);
  const types = (await journal(user, id)).map(({ payload }) => payload.type);
  expect(types.filter((type) => type === 'message.superseded')).toHaveLength(1);
  // Others that replace the same message come too late.
  const late = await Promise.all(
    Array.from({ length: 6 }, () => start(user, id, 'y', { input: { text: 'y', replaces: message } })),
  );
  for (const answer of late) expectProblem(answer, 'invalid_input', { at: ['/input/replaces'] });
});
