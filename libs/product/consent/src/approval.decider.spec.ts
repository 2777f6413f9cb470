import { words, asId, type ApprovalId, type Decider, type RunId, type RunKey, type UserId } from '@app/kernel';
import { fold, instant, specification } from '@app/testing/deciders';
import {
  decideApproval,
  endApproval,
  evolveApproval,
  expireApproval,
  openedApproval,
  type ApprovalState,
  type DecideApproval,
  type ExpireApproval,
} from './approval.decider';
import type { ApprovalEvent } from './approval.events';

type Command = ({ readonly type: 'Decide' } & DecideApproval) | ({ readonly type: 'Expire' } & ExpireApproval);

/** A stream with one approval; those of conversations, operations and automations hold many. */
const decider: Decider<ApprovalState | null, Command, ApprovalEvent> = {
  initialState: null,
  decide: (command, state) =>
    command.type === 'Decide'
      ? decideApproval(command, state ?? undefined)
      : expireApproval(command, state ?? undefined),
  evolve: (state, event) => {
    if (event.type === 'approval.opened') return openedApproval(event);
    return state === null ? null : evolveApproval(state, event);
  },
};
const approval = specification(decider);

const at = instant('2026-03-01T10:00Z');
const soon = instant('2026-03-01T10:14:59.999Z');
const expiresAt = instant('2026-03-01T10:15Z');
const late = instant('2026-03-01T10:15:00.001Z');
const approvalId = asId<ApprovalId>('transfer');
const runKey = asId<RunKey>('key of one');

const opened: ApprovalEvent = {
  type: 'approval.opened',
  at,
  approvalId,
  kind: 'agent_tool',
  tool: 'intents_transfer',
  fingerprint: 'sha256:00',
  fingerprintVersion: 2,
  runId: asId<RunId>('one'),
  expiresAt,
  userId: asId<UserId>('ada'),
  runKey,
  walletId: null,
  toolCallId: null,
  automationId: null,
  input: {},
  contract: null,
  summary: words`Withdraw 1.5 USDC to your main account.`,
  terms: [],
};
const approve = { type: 'Decide', at: soon, approvalId, verdict: { status: 'approved' }, decidedBy: 'user' } as const;
const deny = { ...approve, verdict: { status: 'denied', denialReason: 'too much' } } as const;
const expire = { type: 'Expire', at: expiresAt, approvalId } as const;

const decided = { type: 'approval.decided', at: soon, approvalId, decidedBy: 'user', runKey } as const;
const approved: ApprovalEvent = { ...decided, status: 'approved', denialReason: null };
const denied: ApprovalEvent = { ...decided, status: 'denied', denialReason: 'too much' };
const expired: ApprovalEvent = { type: 'approval.expired', at: expiresAt, approvalId, endedReason: 'timeout', runKey };

describe('a pending approval', () => {
  it('is approved', () => approval.given(opened).when(approve).then(approved));
  it('is denied, with the reason if there is one', () => {
    approval.given(opened).when(deny).then(denied);
    const silent = { ...deny, verdict: { status: 'denied', denialReason: null } } as const;
    approval
      .given(opened)
      .when(silent)
      .then({ ...denied, denialReason: null });
  });
  it('is approved by a contract of an automation', () =>
    approval
      .given(opened)
      .when({ ...approve, decidedBy: 'automation_contract' })
      .then({ ...approved, decidedBy: 'automation_contract' }));

  it('expires once, at its time', () => approval.given(opened).when(expire).thenOnce(expired));
  it('expires late as well', () =>
    approval
      .given(opened)
      .when({ ...expire, at: late })
      .thenOnce({ ...expired, at: late }));
  it('does not expire before', () =>
    approval
      .given(opened)
      .when({ ...expire, at: soon })
      .thenNothing());
});

describe('a decision at or after the expiry', () => {
  it.each([approve, deny])('records the expiry instead', (decision) => {
    approval
      .given(opened)
      .when({ ...decision, at: expiresAt })
      .then(expired);
    approval
      .given(opened)
      .when({ ...decision, at: late })
      .then({ ...expired, at: late });
  });
  it('is of no effect once the expiry is recorded', () =>
    approval
      .given(opened, expired)
      .when({ ...approve, at: late })
      .thenRefused('approval_not_pending'));
});

describe('an approval that is over', () => {
  it.each([
    ['approved', approved],
    ['denied', denied],
    ['expired', expired],
  ] as const)('stays %s', (status, end) => {
    const over = approval.given(opened, end);
    expect(over.state?.status).toBe(status);
    over.when(approve).thenRefused('approval_not_pending');
    over.when(deny).thenRefused('approval_not_pending');
    over.when({ ...expire, at: late }).thenNothing();
  });

  it.each(['run_ended', 'superseded'] as const)('may have ended with what it was asked for: %s', (endedReason) => {
    const { state } = approval.given(opened);
    const event = endApproval(soon, state!, endedReason);
    expect(event).toStrictEqual({ type: 'approval.expired', at: soon, approvalId, endedReason, runKey });
    expect(fold(decider, state, [event])?.status).toBe('expired');
  });
});

describe('an approval that never was', () => {
  it('is not decided', () => approval.when(approve).thenRefused('approval_not_pending'));
  it('does not expire', () => approval.when(expire).thenNothing());
});

describe('the state of an approval', () => {
  it('keeps what decisions depend on', () =>
    expect(approval.given(opened).state).toStrictEqual({
      approvalId,
      runKey,
      toolCallId: null,
      fingerprint: 'sha256:00',
      expiresAt,
      status: 'pending',
      denialReason: null,
    }));
  it('belongs to no run where nothing waits', () => {
    const free = approval.given({ ...opened, runKey: null });
    free.when(approve).then({ ...approved, runKey: null });
    free.when(expire).then({ ...expired, runKey: null });
  });
});
