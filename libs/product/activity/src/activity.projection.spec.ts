import type { Recorded } from '@app/event-store';
import { instant } from '@app/testing/deciders';
import { activityProjection, type ActivityRow } from './activity.projection';
import type { ToldEvent } from './activity.view';

const userId = '0190a000-0000-7000-8000-00000000ada0';
const [conversation, operation, automation] = ['conversation-c', 'operation-o', 'automation-a'];
const at = instant('2026-03-01T10:00:00Z');
const projection = activityProjection([]);

type Told = readonly [stream: string, event: { readonly type: string } & Record<string, unknown>];

const created: Told = [
  conversation,
  { type: 'conversation.created', title: 'A chat', origin: 'conversation', automationId: null, userId },
];
const opened = (stream: string, more: object = {}): Told => [
  stream,
  {
    type: 'approval.opened',
    userId,
    approvalId: 'p',
    runId: null,
    automationId: null,
    tool: 'wallet_withdrawal',
    summary: 'Withdraw 1 USDC.',
    ...more,
  },
];
const used: Told = [operation, { type: 'operation.used', approvalId: 'p' }];
const accepted = (index = 0): Told => [operation, { type: 'submission.accepted', index }];
const settled: Told = [operation, { type: 'operation.settled' }];

/** The rows of all these events by key, computed as the projector would. */
function fold(...told: readonly Told[]): Map<string, ActivityRow> {
  const rows = new Map<string, ActivityRow>();
  const rowAt = (key: string) => rows.get(key) ?? null;
  told.forEach(([stream, event], index) => {
    // Reason for the assertion: the projection reads only these members of a recorded event.
    const recorded = { stream, event: { at, ...event }, id: `id ${index}`, position: index } as unknown;
    const seen = recorded as Recorded<ToldEvent>;
    const key = projection.keyOf(seen);
    const more = (projection.moreKeysOf?.(seen) ?? []).filter((each) => rows.has(each));
    for (const each of [...(key === null ? [] : [key]), ...more]) {
      const row = projection.project(rowAt(each), seen, rowAt);
      if (row !== null) rows.set(each, row);
    }
  });
  return rows;
}

/** The milestones among the rows, oldest first. */
function milestonesOf(...told: readonly Told[]) {
  const rows = [...fold(...told).values()].filter(({ milestonePosition }) => milestonePosition !== null);
  return rows.sort((one, other) => Number(one.milestonePosition) - Number(other.milestonePosition));
}

const kinds = (...told: readonly Told[]) => milestonesOf(...told).map(({ kind }) => kind);

describe('an operation', () => {
  it('is submitted when its first action is taken, whenever that is and however often it is signed', () => {
    const told = milestonesOf(created, opened(conversation), used, accepted(), accepted(1), accepted(), settled);
    expect(told.map(({ kind, milestonePosition }) => [kind, milestonePosition])).toEqual([
      ['conversation_created', 0],
      ['approval_opened', 1],
      ['operation_submitted', 3],
      ['operation_settled', 6],
    ]);
    expect(told[2]).toMatchObject({ operationId: 'o', approvalId: 'p', conversationId: 'c', origin: 'conversation' });
    expect(told[3]).toMatchObject({ titleSentence: 'Withdraw 1 USDC.', titleOutcome: 'Settled' });
  });

  it('that fails before anything was taken never was submitted', () => {
    const failed: Told = [operation, { type: 'operation.failed', failure: { reason: 'timed_out', text: '' } }];
    expect(kinds(created, opened(conversation), used, failed).slice(2)).toEqual(['operation_failed']);
  });

  it('is told by its own stream, and not by its copies in the conversation', () => {
    const copies: Told[] = [
      [conversation, { type: 'operation.submitted', operationId: 'o', runId: null, approvalId: 'p' }],
      [conversation, { type: 'settlement.updated', operationId: 'o', status: 'settled', actions: [], failure: null }],
    ];
    expect(kinds(created, ...copies)).toEqual(['conversation_created']);
  });

  it('that belongs to no conversation has the origin `operation`, and so has the contract of an automation', () => {
    const decided: Told = [
      operation,
      { type: 'approval.decided', approvalId: 'p', status: 'approved', decidedBy: 'user' },
    ];
    const confirmed: Told = [operation, { type: 'operation.confirmed' }];
    const direct = milestonesOf(opened(operation), decided, confirmed, accepted());
    expect(direct.map(({ kind, origin, operationId }) => [kind, origin, operationId])).toEqual([
      ['approval_opened', 'operation', 'o'],
      ['approval_decided', 'operation', 'o'],
      ['operation_submitted', 'operation', 'o'],
    ]);
    const superseded: Told = [automation, { type: 'approval.expired', approvalId: 'p', endedReason: 'superseded' }];
    expect(milestonesOf(opened(automation), superseded)).toMatchObject([
      { kind: 'approval_opened', origin: 'operation', automationId: 'a', isAction: true },
      { kind: 'approval_expired', titleSentence: 'Withdraw 1 USDC.', titleOutcome: 'Expired', automationId: 'a' },
    ]);
  });
});

it('an event whose subject was never told of is passed over', () => {
  const ended: Told = [conversation, { type: 'run.ended', runKey: 'r', status: 'completed' }];
  const triggered: Told = [conversation, { type: 'automation.triggered', occurrenceId: 'x' }];
  expect(fold(opened(conversation), ended, triggered, used, accepted(), settled).size).toBe(0);
});

it('chats belong to `actions` with what was asked and paid, runs of automations as well', () => {
  const started = (origin: string): Told[] => [
    [conversation, { type: 'conversation.created', title: 'x', origin, automationId: null, userId }],
    [conversation, { type: 'automation.triggered', occurrenceId: 'x' }],
    [
      conversation,
      { type: 'run.started', runKey: 'r', runId: 'r', occurrenceId: 'x', request: { input: { text: 'hi' } } },
    ],
  ];
  expect(milestonesOf(...started('automation')).map(({ kind, isAction, runId }) => [kind, isAction, runId])).toEqual([
    ['conversation_created', false, null],
    ['automation_fired', true, 'r'],
    ['run_started', true, 'r'],
  ]);
  expect(milestonesOf(...started('conversation')).at(-1)).toMatchObject({ kind: 'run_started', isAction: false });
});
