import { spelled, words } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import {
  accepted,
  at,
  failed,
  failure,
  journal,
  journaled,
  operationId,
  operationSettled,
  reference,
  refused,
  settled,
  submissionOf,
  worthUsd,
  unresolved,
  used,
  oneWithdrawal,
} from '../../../test/operation-facts';
import { operationDecider } from '../operation.decider';
import type { OperationEvent } from '../operation.events';
import type { SubmissionCommand } from './submission.decider';

const operation = specification(operationDecider);
const about = (index: number, attempt = 1) => ({ at, index, key: `${operationId}/${index}/${attempt}` });
const accept = (index: number): SubmissionCommand => ({
  type: 'RecordAcceptance',
  ...about(index),
  revocationKnown: false,
  providerReference: reference,
});
const settle = (index: number): SubmissionCommand => ({
  type: 'RecordSettled',
  ...about(index),
  revocationKnown: false,
  providerReference: reference,
  output: null,
  returned: null,
});
const refund: SubmissionCommand = {
  type: 'RecordRefunded',
  ...about(0),
  revocationKnown: false,
  providerReference: reference,
  output: null,
  returned: null,
};
const fail: SubmissionCommand = { type: 'RecordFailure', ...about(0), revocationKnown: false, failure };
const giveUp = (key: string | null): SubmissionCommand => ({ type: 'GiveUp', at, index: 0, key, failure });
const refuse: SubmissionCommand = { type: 'RecordRefusal', ...about(0), failure };
const cannotSay: SubmissionCommand = { type: 'RecordUnresolved', ...about(0), revocationKnown: false };

const [firstSettled, secondJournaled] = [[used, journaled(0), accepted(0), settled(0)], journaled(1)];
const over = [...firstSettled, secondJournaled, accepted(1), settled(1), operationSettled];

describe('a submission', () => {
  it('of another amount or token than the words name ends the operation', () => {
    const [input, output] = [submissionOf(0).input, submissionOf(0).output];
    for (const changes of [
      { input: { ...input, amountRaw: '1500001' } },
      { input: { ...input, tokenId: 'nep141:else' } },
      { output: { tokenId: 'nep141:else', amountRaw: output?.amountRaw ?? '' } },
      { output: null },
    ])
      operation
        .given(used)
        .when({ type: 'JournalSubmission', at, index: 0, submission: { ...submissionOf(0), ...changes }, worthUsd })
        .then(...failed(0, { reason: 'bounds_exceeded', text: words`It would move more than was approved.` }));
  });

  it('is journaled once', () => operation.given(used).when(journal(0)).thenOnce(journaled(0)));
  it('is of the action whose turn it is', () => operation.given(used).when(journal(1)).thenNothing());
  it('follows the one before', () => {
    operation.given(used).when(journal(0, 2)).thenNothing();
    operation.given(used, journaled(0)).when(journal(0, 2)).thenOnce(journaled(0, 2));
    operation.given(used, journaled(0)).when(journal(0, 3)).thenNothing();
  });
  it('is not replaced once it was accepted', () =>
    operation.given(used, journaled(0), accepted(0)).when(journal(0, 2)).thenNothing());
  it('is not replaced while nobody can say what became of it', () =>
    operation.given(used, journaled(0), unresolved).when(journal(0, 2)).thenNothing());
  it('is of no operation that is over', () =>
    operation
      .given(...over)
      .when(journal(1, 2))
      .thenNothing());
  it('is of no operation that is absent', () => operation.when(journal(0)).thenNothing());
});

describe('an acceptance', () => {
  it('is recorded once', () => operation.given(used, journaled(0)).when(accept(0)).thenOnce(accepted(0)));
  it('makes the action submitted', () =>
    expect(operation.given(used, journaled(0), accepted(0)).state?.actions).toStrictEqual([
      {
        status: 'submitted',
        submission: submissionOf(0),
        providerReference: reference,
        refusal: null,
        revocation: null,
        worthUsd,
        delivered: null,
      },
      {
        status: 'pending',
        submission: null,
        providerReference: null,
        refusal: null,
        revocation: null,
        worthUsd: null,
        delivered: null,
      },
    ]));
  it('of an earlier attempt comes too late', () =>
    operation.given(used, journaled(0), journaled(0, 2)).when(accept(0)).thenNothing());
  it('of what was not journaled is none', () => operation.given(used).when(accept(0)).thenNothing());
});

describe('a refusal', () => {
  it('is recorded once', () => operation.given(used, journaled(0)).when(refuse).thenOnce(refused(0)));
  it('is no end', () => {
    const { state } = operation.given(used, journaled(0), refused(0));
    expect(state).toMatchObject({ status: 'submitted', failure: null, actions: [{ refusal: failure }, {}] });
  });
  it('has no other bytes in its place', () =>
    operation.given(used, journaled(0), refused(0)).when(journal(0, 2)).thenNothing());
  it('comes too late for what was accepted', () =>
    operation.given(used, journaled(0), accepted(0)).when(refuse).thenNothing());
  it('is followed by the settlement of what others had executed', () =>
    operation.given(used, journaled(0), refused(0)).when(settle(0)).thenOnce(accepted(0), settled(0)));
  it('is followed by an end once nothing can come of it', () =>
    operation
      .given(used, journaled(0), refused(0))
      .when(giveUp(about(0).key))
      .thenOnce(...failed(0)));
});

describe('a revocation', () => {
  const { key } = about(0);
  const revocation = { key, bytes: 'nothing' };
  const revoke: SubmissionCommand = { type: 'JournalRevocation', ...about(0), revocation };
  const revoked: OperationEvent = { type: 'revocation.journaled', at, index: 0, revocation };
  it('that the asking driver did not know of makes what was told count for nothing', () => {
    const before = operation.given(used, journaled(0), refused(0), revoked);
    for (const told of [accept(0), settle(0), refund, fail, cannotSay]) before.when(told).thenNothing();
    before.when({ ...settle(0), revocationKnown: true } as SubmissionCommand).thenOnce(accepted(0), settled(0));
  });
  it('is journaled once', () => operation.given(used, journaled(0), refused(0)).when(revoke).thenOnce(revoked));
  it('is only of what was refused', () => {
    operation.given(used, journaled(0)).when(revoke).thenNothing();
    operation.given(used, journaled(0), refused(0), accepted(0)).when(revoke).thenNothing();
  });
});

describe('a settlement', () => {
  it('hands over to the next action', () => {
    operation.given(used, journaled(0), accepted(0)).when(settle(0)).thenOnce(settled(0));
    expect(operation.given(...firstSettled).state).toMatchObject({ status: 'submitted', turnAt: at });
    operation
      .given(...firstSettled)
      .when(journal(1))
      .then(journaled(1));
  });
  it('of the last action settles the operation in the same append', () =>
    operation
      .given(...firstSettled, secondJournaled, accepted(1))
      .when(settle(1))
      .thenOnce(settled(1), operationSettled));
  it('brings the acceptance with it that nobody heard of', () =>
    operation.given(used, journaled(0)).when(settle(0)).thenOnce(accepted(0), settled(0)));
  it('of a withdrawal without a word before', () =>
    operation
      .given({ type: 'operation.used', at, ...oneWithdrawal }, journaled(0))
      .when(settle(0))
      .thenOnce(accepted(0), settled(0), operationSettled));
  it('ends what nobody could tell', () => {
    operation.given(used, journaled(0), unresolved).when(settle(0)).thenOnce(accepted(0), settled(0));
    expect(operation.given(used, journaled(0), unresolved, accepted(0), settled(0)).state?.status).toBe('submitted');
  });
  it('comes once', () =>
    operation
      .given(...over)
      .when(settle(1))
      .thenNothing());
  it('needs both actions', () => expect(operation.given(...over).state?.status).toBe('settled'));
});

describe('an end without settlement', () => {
  const refunded = { reason: 'refunded', text: words`The provider gave back what was sent.` } as const;
  it('is a refund', () =>
    operation
      .given(used, journaled(0), accepted(0))
      .when(refund)
      .thenOnce(
        { type: 'action.refunded', at, index: 0, output: null, returned: null },
        { type: 'operation.failed', at, failure: refunded },
      ));
  it('is a refund, and the first that is heard', () =>
    operation
      .given(used, journaled(0))
      .when(refund)
      .thenOnce(
        accepted(0),
        { type: 'action.refunded', at, index: 0, output: null, returned: null },
        { type: 'operation.failed', at, failure: refunded },
      ));
  it('is a refund that says how much came back', () => {
    const { input } = submissionOf(0);
    const returned = { ...input, amountRaw: '1400000' };
    const text = words`The provider gave back 1400000 of the 1500000 smallest units of ${spelled(input.tokenId, 'tokenId')} that were sent.`;
    operation
      .given(used, journaled(0), accepted(0))
      .when({ ...refund, returned })
      .thenOnce(
        { type: 'action.refunded', at, index: 0, output: null, returned },
        { type: 'operation.failed', at, failure: { reason: 'refunded', text } },
      );
  });
  it('is a failure', () =>
    operation
      .given(used, journaled(0), accepted(0))
      .when(fail)
      .thenOnce(...failed(0)));
  it('leaves what is settled settled and what was to come pending', () => {
    const { state } = operation.given(...firstSettled, secondJournaled, ...failed(1));
    expect(state).toMatchObject({ status: 'failed', failure, actions: [{ status: 'settled' }, { status: 'failed' }] });
    expect(operation.given(used, ...failed(0)).state?.actions[1]).toMatchObject({ status: 'pending' });
  });
  it('is final', () => {
    const ended = operation.given(used, journaled(0), ...failed(0));
    ended.when(settle(0)).thenNothing();
    ended.when(journal(0, 2)).thenNothing();
    ended.when(cannotSay).thenNothing();
  });
});

describe('giving up', () => {
  const { key } = about(0);
  it('ends what nothing was ever sent for', () =>
    operation
      .given(used)
      .when(giveUp(null))
      .thenOnce(...failed(0)));
  it('ends what was never accepted', () =>
    operation
      .given(used, journaled(0))
      .when(giveUp(key))
      .thenOnce(...failed(0)));
  it('ends what nobody could tell and then was never accepted', () =>
    operation
      .given(used, journaled(0), unresolved)
      .when(giveUp(key))
      .thenOnce(...failed(0)));
  it('is not for what the provider has taken', () =>
    operation.given(used, journaled(0), accepted(0)).when(giveUp(key)).thenNothing());
  it('is not for what another driver has journaled meanwhile', () => {
    operation.given(used, journaled(0)).when(giveUp(null)).thenNothing();
    operation.given(used, journaled(0), journaled(0, 2)).when(giveUp(key)).thenNothing();
  });
});

describe('a provider that cannot say', () => {
  it('is noted once', () => operation.given(used, journaled(0)).when(cannotSay).thenOnce(unresolved));
  it('shows', () => expect(operation.given(used, journaled(0), unresolved).state?.status).toBe('unresolved'));
  it('is of no interest about an earlier attempt', () =>
    operation.given(used, journaled(0), journaled(0, 2)).when(cannotSay).thenNothing());
});
