/** The agent's own tools for automations, as a model that calls them sees them (docs/decisions/runs.md and docs/decisions/automations.md). */
import { randomUUID } from 'node:crypto';
import { Tools } from '@app/engine';
import {
  asId,
  instantOf,
  type ApprovalId,
  type ConversationId,
  type JsonObject,
  type RunId,
  type ToolCallId,
} from '@app/kernel';
import type { TestClient } from '@app/testing/client';
import {
  type Approval,
  approve,
  asking,
  type Automation,
  byOperator,
  conversationOf,
  definitionOf,
  eventsOf,
  type Listed,
  newOwner,
  partOf,
  pendingOf,
  recorded,
  say,
  type Stage,
  startStage,
  untilEnded,
  usdc,
} from '@app/testing/journeys';

let stage: Stage;
let user: TestClient;
let conversationId: string;
beforeAll(async () => (stage = await startStage('openai-compatible', { BUDGET_DAY_CENTS: '100000' })), 60_000);
beforeEach(async () => {
  user = await newOwner(stage.deployment);
  conversationId = await conversationOf(user);
});
afterAll(() => stage.stop());

const definition = definitionOf() as JsonObject; // reason for the assertion: it is JSON
const changed: JsonObject = { ...definition, name: 'Buy NEAR again', prompt: 'swap 10 USDC to NEAR, again' };
const calling = (tool: string, input: object) => ({ calls: [{ tool, input: input as JsonObject }] }); // reason: as above
const done = { text: ['Done.'] };

const automationsOf = async () => (await user.get<Listed<Automation>>('/automations?limit=100')).body.data;
const approvalsOf = async () => (await user.get<Listed<Approval>>('/approvals?status=all&limit=100')).body.data;
const lastReturned = async () => (await eventsOf(user, conversationId, 'tool.returned')).at(-1);

/** Lets the model make the call, and the user approve it. */
async function approved(tool: string, input: object): Promise<Approval> {
  stage.models.says([calling(tool, input), done]);
  const { runId, approval } = await asking(user, conversationId, 'obey');
  expect(approval).toMatchObject({ kind: 'agent_tool', tool, input, contract: null, automationId: null });
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  return approval;
}

/** Makes the call without asking the user; returns the result that the model got. */
async function told(tool: string, input: object): Promise<unknown> {
  stage.models.says([calling(tool, input), done]);
  expect(await say(user, conversationId, 'obey')).toMatchObject({ status: 'completed', segment: 1 });
  return lastReturned();
}

it('creates what the user has approved, once, and asks for its contract apart', async () => {
  const approval = await approved('automation_create', { definition });
  expect(approval['summary']).toMatch(
    /^Create the automation “.*”\. .* When an event of type “never\.sent” arrives, the task runs\./,
  );
  const [automation, ...others] = await automationsOf();
  // Answers include the default that the definition omitted: one use per occurrence.
  expect(others).toEqual([]);
  expect(automation).toMatchObject({ definition, definitionVersion: 1 });
  expect(await lastReturned()).toMatchObject({
    outcome: 'ok',
    result: {
      automationId: automation?.id,
      revision: automation?.revision,
      contractApprovalId: automation?.contractApprovalId,
      note: expect.stringContaining('apart') as string,
    },
  });
  const kinds = (await approvalsOf()).map(({ kind, status }) => [kind, status]);
  expect(kinds).toEqual([
    ['automation_contract', 'pending'],
    ['agent_tool', 'approved'],
  ]);
});

it('creates nothing that was denied', async () => {
  stage.models.says([calling('automation_create', { definition }), done]);
  const { runId, approval } = await asking(user, conversationId, 'obey');
  expect((await user.post(`/approvals/${approval.id}/deny`, {})).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await lastReturned()).toMatchObject({ outcome: 'denied' });
  expect(await automationsOf()).toEqual([]);
});

it.each<[string, object, string]>([
  ['no definition', {}, 'must be {definition}'],
  ['more than a definition', { definition, approved: true }, 'must be {definition}'],
  ['one with a mistake', { definition: { ...definition, name: '' } }, '/name'],
  ['a bad contract', { definition: { ...definition, contract: { type: 'none' } } }, '/contract'],
  [
    'a zone that there is not',
    withSchedule({ kind: 'cron', expression: '0 9 * * *', timezone: 'Europe/Nowhere' }),
    'automation_invalid',
  ],
  [
    'a time that never comes',
    withSchedule({ kind: 'cron', expression: '0 9 31 2 *', timezone: 'UTC' }),
    'automation_invalid',
  ],
  [
    'a contract over a token with other decimals',
    { definition: { ...definition, contract: otherDecimals() } },
    'automation_invalid',
  ],
])('is told what is wrong with %s, and nobody is asked', async (_, input, words) => {
  const error = expect.stringContaining(words) as string;
  expect(await told('automation_create', input)).toMatchObject({ outcome: 'error', result: { error } });
  expect([await approvalsOf(), await automationsOf()]).toEqual([[], []]);
});

function withSchedule(schedule: object): object {
  return { definition: { ...definition, wake: { kind: 'schedule', schedule } } };
}

function otherDecimals(): object {
  const input = { pinned: { tokenId: usdc, decimals: 7 } };
  const action = { kind: 'withdraw_to_owner', input, quantity: { kind: 'all_of_input' } };
  return { ...(definition['contract'] as object), actions: [action] }; // reason for the assertion: it is one
}

it('lists them, of this user alone', async () => {
  await approved('automation_create', { definition });
  const [automation] = await automationsOf();
  const listed = { automationId: automation?.id, name: 'Buy NEAR', state: 'enabled', revision: automation?.revision };
  const behavior = expect.stringContaining('never.sent') as string;
  expect(await told('automation_list', {})).toMatchObject({
    result: { total: 1, automations: [{ ...listed, behavior }] },
  });
  expect(await told('automation_list', { state: 'paused' })).toMatchObject({ result: { total: 0, automations: [] } });
  for (const wrong of [{ state: 'all' }, { userId: user.userId }])
    expect(await told('automation_list', wrong)).toMatchObject({ outcome: 'error' });
  user = await newOwner(stage.deployment);
  conversationId = await conversationOf(user);
  expect(await told('automation_list', {})).toMatchObject({ result: { total: 0, automations: [] } });
});

describe('an update', () => {
  let automation: Automation;
  const updateOf = (change: object = {}) => {
    return { automationId: automation.id, revision: automation.revision, definition: changed, ...change };
  };
  beforeEach(async () => {
    const created = await user.post<Automation>('/automations', definition);
    expect(created.status).toBe(201);
    automation = created.body;
  });

  it('is made when the user has approved it', async () => {
    const approval = await approved('automation_update', updateOf());
    expect(approval['summary']).toMatch(/^Change the automation “.*”\. .* When an event/);
    const [after] = await automationsOf();
    expect(after).toMatchObject({ definition: changed, definitionVersion: 2 });
    // The authority is bound to the whole rule: any change to it is asked about again.
    expect(after?.contractApprovalId).toMatch(/^[0-9a-f-]{36}$/);
    expect(after?.contractApprovalId).not.toBe(automation.contractApprovalId);
    expect(await lastReturned()).toMatchObject({ outcome: 'ok', result: { revision: after?.revision } });
  });

  it('is refused, and nobody is asked, when it is not of the present version or not of the user', async () => {
    const [stale, foreign] = [automation.revision.replace(/^1/, '2'), '0190a000-0000-7000-8000-00000000dead'];
    const before = await approvalsOf();
    expect(await told('automation_update', updateOf({ revision: stale }))).toMatchObject({
      result: { error: expect.stringContaining('automation_changed') as string },
    });
    expect(await told('automation_update', updateOf({ automationId: foreign }))).toMatchObject({
      result: { error: 'there is no such automation' },
    });
    expect(await told('automation_update', updateOf({ definition: {} }))).toMatchObject({ outcome: 'error' });
    expect(await told('automation_update', updateOf({ consent: 'auto' }))).toMatchObject({ outcome: 'error' });
    expect(await approvalsOf()).toEqual(before);
  });

  it('that was approved is not made over another that came in between', async () => {
    stage.models.says([calling('automation_update', updateOf()), done]);
    const { runId } = await asking(user, conversationId, 'obey');
    const { revision } = automation;
    const other = { revision, definition: { ...definition, name: 'By hand' } };
    expect((await user.request('PUT', `/automations/${automation.id}`, other)).status).toBe(200);
    expect((await approve(user, await pendingOf(user, runId))).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
    expect(await lastReturned()).toMatchObject({
      outcome: 'error',
      result: { error: expect.stringContaining('automation_changed') as string },
    });
    expect(await automationsOf()).toMatchObject([{ name: 'By hand', definitionVersion: 2 }]);
  });
});

it('makes a call that was cut off again without making anything twice', async () => {
  const tools = partOf(stage.deployment, Tools);
  const { userId, cause } = byOperator(user);
  const of = {
    conversationId: asId<ConversationId>(conversationId),
    runId: asId<RunId>(randomUUID()),
    automationId: null,
  };
  const context = { ...of, userId, cause, toolCallId: asId<ToolCallId>('run/1/0') };
  const twice = async (name: string, input: JsonObject) => {
    const tool = tools.find(name);
    if (tool?.consent !== 'ask') throw new Error(`${name} is no tool that asks`);
    const approvalId = asId<ApprovalId>(randomUUID());
    const useBefore = instantOf(Date.now() + 60_000);
    const call = { approvalId, input, contract: null, decidedBy: 'user', useBefore } as const;
    const first = await tool.run(call, context, new AbortController().signal);
    expect(await tool.run(call, context, new AbortController().signal)).toEqual(first);
    expect(first).toMatchObject({ outcome: 'ok' });
  };
  await twice('automation_create', { definition });
  const [created, ...others] = await automationsOf();
  expect(others).toEqual([]);
  const { id, revision } = created as Automation; // reason for the assertion: the call returned it
  await twice('automation_update', { automationId: id, revision, definition: changed });
  expect(await automationsOf()).toMatchObject([{ id, definitionVersion: 2, definition: changed }]);
});

it('has made no automation without a decision of its user', async () => {
  const created = await recorded(stage.deployment, 'automation.created');
  const byAgents = created.filter(({ metadata }) => metadata.actor.id === 'engine');
  const decided = await recorded(stage.deployment, 'approval.decided');
  expect(byAgents.length).toBeGreaterThan(0);
  for (const { metadata } of byAgents)
    expect(decided.some((one) => one.metadata.$correlationId === metadata.$correlationId)).toBe(true);
});
