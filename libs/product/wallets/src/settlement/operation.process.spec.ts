import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import { fold } from '@app/testing/deciders';
import {
  accepted,
  approved,
  at,
  confirmed,
  expiresAt,
  failed,
  failure,
  journaled,
  opened,
  operationId,
  operationSettled,
  prepared,
  refused,
  settled,
  submissionOf,
  unresolved,
  used,
} from '../../test/operation-facts';
import { operationDecider } from '../operation/operation.decider';
import type { OperationEvent } from '../operation/operation.events';
import { nextStep, type Learned } from './operation.process';

const after = (instant: Instant, ms: number): Instant => instantOf(epochMsOf(instant) + ms);
const soon = after(at, 1_000);
const grace = 30_000;
/** Deadline of bytes that expire before the operation does. */
const deadline = after(at, 60_000);
const lastWord = after(deadline, grace);
const key = `${operationId}/0/1`;

const nothing: Learned = { kind: 'nothing' };
const wait: Learned = { kind: 'wait', until: null };
const neverAccepted = (isFinal: boolean): Learned => ({ kind: 'never_accepted', key, isFinal });

function next(events: readonly OperationEvent[], now = soon, learned = nothing) {
  return nextStep(fold(operationDecider, operationDecider.initialState, events), now, learned);
}

const sent = journaled(0, 1, deadline);
const submission = submissionOf(0, 1, deadline);
const ask = { do: 'ask', index: 0, submission };
const send = { do: 'send', index: 0, submission };
const timedOut = { reason: 'timed_out', text: 'The provider did not take it in time.' };

describe('an operation that is not under way', () => {
  it.each<[string, OperationEvent[]]>([
    ['does not exist', []],
    ['is only prepared', [prepared, opened]],
    ['has settled', [used, sent, accepted(0), settled(0), journaled(1), accepted(1), settled(1), operationSettled]],
    ['has failed', [used, sent, ...failed(0)]],
  ])('%s: nothing is to be done', (_, events) => expect(next(events)).toStrictEqual({ do: 'nothing' }));
});

describe('an action whose turn it is', () => {
  it('is planned, to expire early enough for the last word on it', () => {
    const step = { do: 'plan', index: 0, attempt: 1, latestDeadline: after(expiresAt, -grace) };
    expect(next([used])).toStrictEqual(step);
    expect(next([prepared, opened, approved, confirmed])).toStrictEqual(step);
  });
  it('is planned when the one before has settled', () =>
    expect(next([used, sent, accepted(0), settled(0)])).toMatchObject({ do: 'plan', index: 1, attempt: 1 }));
  it('has all the time there is when that is short', () =>
    expect(next([used], after(expiresAt, -grace))).toMatchObject({ do: 'plan', latestDeadline: expiresAt }));
  it('times out when nothing could be sent', () =>
    expect(next([used], expiresAt)).toStrictEqual({ do: 'give_up', index: 0, key: null, failure: timedOut }));
  it('has a minute when its turn comes in the last second', () => {
    const late = after(expiresAt, -1);
    const lateUse: OperationEvent[] = [prepared, opened, approved, { type: 'operation.confirmed', at: late }];
    const last = after(late, 60_000);
    expect(next(lateUse, expiresAt)).toMatchObject({ do: 'plan', latestDeadline: last });
    expect(next(lateUse, last)).toMatchObject({ do: 'give_up' });
    const slow: OperationEvent[] = [used, sent, accepted(0), { ...settled(0), at: expiresAt }];
    expect(next(slow, expiresAt)).toMatchObject({ do: 'plan', index: 1 });
    expect(next(slow, after(expiresAt, 60_000))).toMatchObject({ do: 'give_up', index: 1 });
  });
  it('waits while the provider is away, until it times out', () =>
    expect(next([used], soon, wait)).toStrictEqual({ do: 'wait', until: null, noLaterThan: expiresAt }));
});

describe('what was journaled', () => {
  it('is sent by the driver that has just journaled it', () =>
    expect(next([used, sent], soon, { kind: 'journaled', key })).toStrictEqual(send));
  it('is asked about by a driver that has not', () => {
    expect(next([used, sent])).toStrictEqual(ask);
    expect(next([used, sent], soon, { kind: 'journaled', key: 'another' })).toStrictEqual(ask);
  });
  it('is asked about when its deadline has passed', () =>
    expect(next([used, sent], deadline, { kind: 'journaled', key })).toStrictEqual(ask));
  it('is sent again when it never was accepted', () =>
    expect(next([used, sent], soon, neverAccepted(false))).toStrictEqual(send));
  it('is asked about when the word is on another attempt', () =>
    expect(next([used, sent, journaled(0, 2)], soon, neverAccepted(true))).toMatchObject({ do: 'ask' }));
  it('waits, not longer than until the last word on it is expected', () =>
    expect(next([used, sent], soon, wait)).toStrictEqual({ do: 'wait', until: null, noLaterThan: lastWord }));
  it('waits as long as the provider says', () => {
    const until = after(at, 5_000);
    const checkAt: Learned = { kind: 'wait', until };
    expect(next([used, sent, accepted(0)], soon, checkAt)).toStrictEqual({ do: 'wait', until, noLaterThan: null });
  });
});

describe('what was never accepted', () => {
  it('is not sent after its deadline, and waits for the last word', () =>
    expect(next([used, sent], deadline, neverAccepted(false))).toStrictEqual({
      do: 'wait',
      until: null,
      noLaterThan: lastWord,
    }));
  it('keeps waiting while there is no last word, also beyond the expiry', () =>
    expect(next([used, sent], expiresAt, neverAccepted(false))).toMatchObject({ do: 'wait', noLaterThan: null }));
  it('is replaced once it never can be', () =>
    expect(next([used, sent], lastWord, neverAccepted(true))).toStrictEqual({
      do: 'plan',
      index: 0,
      attempt: 2,
      latestDeadline: after(expiresAt, -grace),
    }));
  it('times out with the operation', () =>
    expect(next([used, sent], expiresAt, neverAccepted(true))).toStrictEqual({
      do: 'give_up',
      index: 0,
      key,
      failure: timedOut,
    }));
});

describe('what the provider refused', () => {
  const refusedOnce = [used, sent, refused(0)];
  const revocation = { key, bytes: 'nothing' };
  const revoked: OperationEvent[] = [...refusedOnce, { type: 'revocation.journaled', at, index: 0, revocation }];
  const revoke = { do: 'revoke', index: 0, revocation };
  it('is asked about first', () => expect(next(refusedOnce)).toStrictEqual(ask));
  it('is revoked, and not sent again', () => {
    const step = { do: 'plan_revocation', index: 0, submission };
    expect(next(refusedOnce, soon, neverAccepted(false))).toStrictEqual(step);
    const learned: Learned = { kind: 'revocation_journaled', key };
    expect(next(revoked, soon, learned)).toStrictEqual(revoke);
  });
  it('is asked about before its revocation is sent again', () => {
    expect(next(revoked)).toStrictEqual(ask);
    expect(next(revoked, soon, neverAccepted(false))).toStrictEqual(revoke);
  });
  it.each<[string, OperationEvent[], Instant]>([
    ['its deadline has passed', refusedOnce, deadline],
    ['its deadline and that of its revocation have passed', revoked, deadline],
  ])('waits for the last word when %s', (_, events, now) =>
    expect(next(events, now, neverAccepted(false))).toMatchObject({ do: 'wait', noLaterThan: lastWord }),
  );
  it('ends for its reason once it never can be executed', () =>
    expect(next(refusedOnce, soon, neverAccepted(true))).toStrictEqual({ do: 'give_up', index: 0, key, failure }));
});

describe('what the provider could not say', () => {
  const unknown = [used, sent, unresolved];
  it('is asked about, and nothing is sent', () => {
    expect(next(unknown)).toStrictEqual(ask);
    expect(next(unknown, soon, neverAccepted(false))).toMatchObject({ do: 'wait', noLaterThan: lastWord });
  });
  it('has nothing in its place', () =>
    expect(next(unknown, soon, neverAccepted(true))).toMatchObject({ do: 'give_up', key }));
});

describe('what the provider had accepted and then never did', () => {
  const taken = [used, sent, accepted(0)];
  it('is waited for', () =>
    expect(next(taken, expiresAt, neverAccepted(false))).toMatchObject({ do: 'wait', until: null }));
  it.each<[string, OperationEvent[]]>([
    ['under way', taken],
    ['unresolved', [...taken, unresolved]],
  ])('fails once it never can be executed: %s', (_, events) =>
    expect(next(events, soon, neverAccepted(true))).toStrictEqual({
      do: 'fail',
      index: 0,
      key,
      failure: { reason: 'provider_rejected', text: 'The provider took it and did not execute it in time.' },
    }),
  );
});
