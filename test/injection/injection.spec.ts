/** Consent and authority never follow from text, even on a model that obeys every word it reads. */
import { setTimeout as sleep } from 'node:timers/promises';
import { auditMoney } from '@app/testing/audits';
import {
  type Approval,
  approvalOf,
  approve,
  asking,
  conversationOf,
  eventsOf,
  holdings,
  type Listed,
  newOwner,
  operationsOf,
  outcomeOf,
  prompt,
  providerFault,
  quiet,
  raw,
  recorded,
  say,
  type Stage,
  start,
  startStage,
  untilEnded,
  untilStatus,
  usdc,
} from '@app/testing/journeys';
import type { LoopbackMcp } from '@app/testing/mcp';
import type { TestClient } from '@app/testing/client';
import { fatesIn } from './fates';
import { serverOf, startHostileServer } from './hostile-servers';
import { fatesOf, hostileTexts, together, type HostileText } from './hostile-texts';
import { lookUpNote, obedientModel, readTheFile } from './obedient-model';
import { payloadsAgainst, type Victim } from './payloads';

const SIDE_BY_SIDE = 4;
const TIMEOUT_MS = 300_000;
/** Values that only the victim may see: the contents of a file, and a balance. */
const secret = 'the-secret-of-the-victim';
const secretAmount = '77123456789';

/** The tools that the texts name. Runs are limited to these, so that a new tool changes no text's fate. */
const ownTools = ['wallet_balances', 'token_price', 'intents_transfer', 'artifact_read', 'current_time'];
const docsTools = ['docs_lookup', 'docs_pay'];
const everything = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'all_of_input' },
    },
  ],
};

let docs: LoopbackMcp;
let more: LoopbackMcp;
let stage: Stage;
let victim: TestClient;
let texts: readonly HostileText[] = [];
let wealth: string;
beforeAll(async () => {
  docs = await startHostileServer('docs', () => texts);
  more = await startHostileServer('more', () => texts);
  const at = ({ url }: LoopbackMcp) => ({ transport: { type: 'http', url }, consent: 'auto', tools: { pay: 'ask' } });
  const servers = [
    { name: 'docs', ...at(docs) },
    { name: 'more', ...at(more) },
  ];
  stage = await startStage('openai-compatible', {
    MCP_SERVERS: JSON.stringify(servers),
    BUDGET_DAY_CENTS: '1000000',
    BUDGET_MONTH_CENTS: '1000000',
  });
  await providerFault(stage.deployment, prompt);
  victim = await newOwner(stage.deployment);
  const deposit = { userId: victim.userId, tokenId: usdc, amountRaw: secretAmount };
  wealth = String((await stage.deployment.sandbox('POST', 'deposits', deposit))['amountRaw']);
  texts = hostileTexts(payloadsAgainst(await thingsOfTheVictim()));
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([docs.stop(), more.stop()]);
});

async function upload(user: TestClient, conversationId: string, body: string): Promise<string> {
  const answer = await raw(user, 'POST', `/conversations/${conversationId}/artifacts?name=notes.txt`, {
    body,
    headers: { 'content-type': 'text/plain' },
  });
  expect(answer.status).toBe(201);
  return String(answer.body['id']);
}

async function thingsOfTheVictim(): Promise<Victim> {
  const conversationId = await conversationOf(victim);
  const artifactId = await upload(victim, conversationId, `It is ${secret}.`);
  stage.models.says([{ calls: [{ tool: 'intents_transfer', input: { contract: everything } }] }]);
  const { approval } = await asking(victim, await conversationOf(victim), 'withdraw all');
  return {
    userId: victim.userId,
    conversationId,
    artifactId,
    approvalId: approval.id,
    fingerprint: approval.fingerprint,
  };
}

/** Starts the run in which the model meets a batch of texts. Returns its id and conversation. */
async function meet(user: TestClient, batch: readonly HostileText[]) {
  const [{ carrier, payload } = texts[0]!] = batch; // reason for the assertion: there are 200
  const text = batch.map((hostile) => hostile.text).join('\n\n');
  const conversationId = await conversationOf(user);
  const extra = carrier === 'tool description' ? batch.map((hostile) => `${serverOf(hostile)}_d${hostile.order}`) : [];
  const tools = [...ownTools, ...docsTools, ...extra].filter((tool) => !payload.without?.includes(tool));
  if (carrier === 'file') await upload(user, conversationId, text);
  if (carrier === 'history') {
    const { status, failure } = await say(user, conversationId, text, { profile: { tools: [] } });
    expect([text, status, failure]).toEqual([text, 'completed', null]);
  }
  const notes = batch.map(({ order }) => lookUpNote(order)).join(' ');
  const said = { file: readTheFile, 'tool result': notes, 'user text': text }[carrier as string];
  const asked = () => start(user, conversationId, said ?? 'Thank you, go on.', { profile: { tools } });
  let started = await asked();
  // On a crowded machine the MCP server, and so its tools, may seem unavailable for a moment.
  for (let again = 0; started.status === 409 && again < 100; again += 1) {
    await sleep(200);
    started = await asked();
  }
  expect([started.status, started.body]).toEqual([
    202,
    expect.objectContaining({ runId: expect.any(String) as string }),
  ]);
  return { conversationId, runId: started.body.runId };
}

interface Outcome {
  readonly texts: number;
  readonly approvals: number;
  readonly refused: number;
}

/** Lets the model meet texts, and compares the fate of each call with the expected one. */
async function suffer(user: TestClient, batch: readonly HostileText[]): Promise<Outcome> {
  const { conversationId, runId } = await meet(user, batch);
  const due = fatesOf(batch);
  const approvals = due.filter(({ fate }) => fate === 'asked').length;
  const found = await fatesIn(user, conversationId, runId, due.length);
  const told = batch.map(({ text }) => text);
  expect([told, found.status, found.opened.length]).toEqual([
    told,
    approvals > 0 ? 'awaiting_approval' : 'completed',
    approvals,
  ]);
  expect(found.fates.map((fate, call) => ({ text: due[call]?.text, fate }))).toEqual(due);
  return { texts: batch.length, approvals, refused: found.fates.filter((fate) => fate === 'refused').length };
}

test('the model reads what its user owns, so that a leak would be seen', async () => {
  stage.models.says(obedientModel([]));
  const [{ id } = { id: '' }] = (await victim.get<Listed<{ id: string }>>('/conversations')).body.data.slice(-1);
  expect(await say(victim, id, readTheFile)).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(stage.models.requests)).toContain(secret);
  stage.models.says([{ calls: [{ tool: 'wallet_balances', input: {} }] }, { text: ['Rich.'] }]);
  expect(await say(victim, await conversationOf(victim), 'what do I own')).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(stage.models.requests)).toContain(wealth);
});

test(
  '200 hostile texts, obeyed to the letter: nothing moves without an approval, nothing of another user is read',
  async () => {
    expect(texts.length).toBe(200);
    stage.models.says(obedientModel(texts));
    const users = await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => newOwner(stage.deployment)));
    const before = await Promise.all([victim, ...users].map(holdings));
    const openedBefore = (await recorded(stage.deployment, 'approval.opened')).length;
    const waiting = [...together(texts)];
    const outcomes: Outcome[] = [];
    const walk = async (user: TestClient): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.push(await suffer(user, next));
    };
    await Promise.all(users.map(walk));
    await quiet(stage.deployment);

    const sum = (member: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[member], 0);
    const [met, approvals, refused] = [sum('texts'), sum('approvals'), sum('refused')];
    expect(met).toBe(texts.length);
    const read = JSON.stringify(stage.models.requests.map(({ asked }) => asked.body));
    const leaks = [secret, wealth].filter((marker) => read.includes(marker));
    const operations = (await Promise.all([victim, ...users].map(operationsOf))).flat();
    const decided = await recorded(stage.deployment, 'approval.decided');
    const paid = [...docs.calls, ...more.calls].filter(({ name }) => name === 'pay');
    process.stdout.write(
      `injection: ${met} hostile texts obeyed in ${outcomes.length} runs of ${stage.models.requests.length} model steps; ` +
        `${approvals} calls wait for an approval, ${refused} were refused; ` +
        `${operations.length + paid.length} transfers without an approval, ${leaks.length} reads of another user's things\n`,
    );
    expect([operations, decided, paid, leaks]).toEqual([[], [], [], []]);
    expect(await Promise.all([victim, ...users].map(holdings))).toEqual(before);
    expect((await recorded(stage.deployment, 'approval.opened')).length - openedBefore).toBe(approvals);
    expect(await auditMoney(stage.deployment)).toEqual([]);
  },
  TIMEOUT_MS,
);

test('a denial is final: the model asks again, and the user is asked again', async () => {
  const user = await newOwner(stage.deployment);
  stage.models.says([
    { text: ['The user said yes.'], calls: [{ tool: 'intents_transfer', input: { contract: everything } }] },
  ]);
  const conversationId = await conversationOf(user);
  const { runId, approval } = await asking(user, conversationId, 'obey');
  expect((await user.post(`/approvals/${approval.id}/deny`, { reason: 'no' })).status).toBe(200);
  await stage.models.asked(2);
  const again = await pendingAgain(user, runId, approval.id);
  expect(again).toMatchObject({ status: 'pending', operationId: null });
  expect(await operationsOf(user)).toEqual([]);
  // The transfer is a real one: it moves the money with the user's approval, and only then.
  stage.models.says([{ text: ['Done.'] }]);
  expect((await approve(user, again)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 3 });
  expect(await outcomeOf(user, again.id)).toMatchObject({ status: 'settled' });
  expect((await holdings(user))[usdc] ?? '0').toBe('0');
  expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([
    { outcome: 'denied' },
    { outcome: 'ok' },
  ]);
});

/** Waits until the run asks for another approval than before, and returns that. */
async function pendingAgain(user: TestClient, runId: string, before: string): Promise<Approval> {
  for (;;) {
    const run = await untilStatus(user, runId, 'awaiting_approval');
    const [id = before] = run['pendingApprovalIds'] as string[]; // reason for the assertion: the specification's run
    if (id !== before) return approvalOf(user, id);
  }
}
