import { specification } from '@app/testing/deciders';
import {
  approved,
  at,
  confirm,
  confirmed,
  denied,
  expired,
  expiresAt,
  journal,
  oneWithdrawal,
  opened,
  prepare,
  prepared,
  twoActions,
  used,
} from '../../test/operation-facts';
import { operationDecider, type OperationCommand } from './operation.decider';

const operation = specification(operationDecider);
const { approvalId } = oneWithdrawal;
const deny = (denialReason: string | null = null, when = at): OperationCommand => ({
  type: 'DecideApproval',
  at: when,
  approvalId,
  decidedBy: 'user',
  verdict: { status: 'denied', denialReason },
});
const expire: OperationCommand = { type: 'ExpireApproval', at: expiresAt, approvalId };
const end: OperationCommand = { type: 'EndPrepared', at };
const ended = { ...expired(at), endedReason: 'superseded' } as const;
const use: OperationCommand = { type: 'UseApproval', at, terms: twoActions };

describe('a withdrawal that is prepared', () => {
  it('waits for its approval', () => operation.when(prepare).thenOnce(prepared, opened));
  it('has moved nothing', () => operation.given(prepared, opened).when(journal(0)).thenNothing());
  it('ends with its account, once', () => {
    operation.given(prepared, opened).when(end).thenOnce(ended);
    expect(operation.given(prepared, opened, ended).state?.status).toBe('expired');
  });
  it('does not end in this way once it is confirmed, nor what never began', () => {
    operation.given(prepared, opened, approved, confirmed).when(end).thenNothing();
    operation.given(used).when(end).thenNothing();
    operation.when(end).thenNothing();
  });
});

describe('a confirmation', () => {
  const waiting = operation.given(prepared, opened);
  it('is the decision and the use at once', () => waiting.when(confirm()).then(approved, confirmed));
  it('makes the operation submitted, and its turn begins', () => {
    const { state } = operation.given(prepared, opened, approved, confirmed);
    expect(state).toMatchObject({ status: 'submitted', turnAt: at, approval: { status: 'approved' } });
  });
  it('is refused for what was not reviewed', () =>
    waiting.when(confirm('sha256:other')).thenRefused('withdrawal_changed', { change: 'fingerprint' }));
  it('is refused the second time', () =>
    operation
      .given(prepared, opened, approved, confirmed)
      .when(confirm())
      .thenRefused('withdrawal_changed', { change: 'not_prepared' }));
  it('is refused after a denial', () =>
    operation
      .given(prepared, opened, denied(null))
      .when(confirm())
      .thenRefused('withdrawal_changed', { change: 'not_prepared' }));
  it('records the expiry when it comes at that very instant', () =>
    waiting.when(confirm(undefined, expiresAt)).then(expired(expiresAt)));
  it('is refused after the expiry', () =>
    operation
      .given(prepared, opened, expired(expiresAt))
      .when(confirm())
      .thenRefused('withdrawal_changed', { change: 'expired' }));
  it('finds no operation', () => operation.when(confirm()).thenRefused('not_found'));
  it('is not for what an agent does', () => operation.given(used).when(confirm()).thenRefused('not_found'));
});

describe('the approval of a withdrawal', () => {
  const waiting = operation.given(prepared, opened);
  const approve = { ...deny(), verdict: { status: 'approved' } } as OperationCommand; // reason: the verdict is replaced
  it('is denied', () => waiting.when(deny('too much')).then(denied('too much')));
  it('makes the operation denied', () =>
    expect(operation.given(prepared, opened, denied(null)).state?.status).toBe('denied'));
  it('is not approved but by a confirmation', () => waiting.when(approve).thenRefused('approval_not_pending'));
  it('is decided once', () =>
    operation.given(prepared, opened, denied(null)).when(deny()).thenRefused('approval_not_pending'));
  it('is not denied once it was used', () =>
    operation.given(prepared, opened, approved, confirmed).when(deny()).thenRefused('approval_not_pending'));
  it('expires instead of being denied late', () => waiting.when(deny(null, expiresAt)).then(expired(expiresAt)));
  it('is not found where there is none', () => {
    operation.when(deny()).thenRefused('approval_not_pending');
    operation.given(used).when(deny()).thenRefused('approval_not_pending');
  });
  it('expires once', () => waiting.when(expire).thenOnce(expired(expiresAt)));
  it('makes the operation expired', () =>
    expect(operation.given(prepared, opened, expired(expiresAt)).state?.status).toBe('expired'));
  it('does not expire before its time', () => waiting.when({ ...expire, at }).thenNothing());
  it('does not expire once it was used', () =>
    operation.given(prepared, opened, approved, confirmed).when(expire).thenNothing());
  it('does not expire where there is none', () => {
    operation.when(expire).thenNothing();
    operation.given(used).when(expire).thenNothing();
  });
});

describe('the use of an approval by an agent', () => {
  it('happens once', () => operation.when(use).thenOnce(used));
  it('is submitted at once', () =>
    expect(operation.given(used).state).toMatchObject({ status: 'submitted', turnAt: at, approval: null }));
  it('keeps the terms that came first', () =>
    operation
      .given(used)
      .when({ ...use, terms: oneWithdrawal })
      .thenNothing()); // reason: only the terms differ
});
