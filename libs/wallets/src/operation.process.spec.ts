import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import { fold } from '../../../test/support/decider-spec';
import {
  accepted,
  approved,
  at,
  confirmed,
  expiresAt,
  failed,
  journaled,
  opened,
  operationId,
  operationSettled,
  prepared,
  settled,
  submissionOf,
  unresolved,
  used,
} from '../test/operation-facts';
import { operationDecider } from './operation.decider';
import type { OperationEvent } from './operation.events';
import { nextStep, type Learned } from './operation.process';

const after = (instant: Instant, ms: number): Instant => instantOf(epochMsOf(instant) + ms);
const soon = after(at, 1_000);
const grace = 30_000;
/** Of bytes that expire before the operation does. */
const deadline = after(at, 60_000);
const believed = after(deadline, grace);
const key = `${operationId}/0/1`;

const nothing: Learned = { kind: 'nothing' };
const wait: Learned = { kind: 'wait', until: null };
const neverAccepted = (askedAt: Instant): Learned => ({ kind: 'never_accepted', key, askedAt });

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
  it('is sent by whoever has just journaled it', () =>
    expect(next([used, sent], soon, { kind: 'journaled', key })).toStrictEqual(send));
  it('is asked about by whoever has not', () => {
    expect(next([used, sent])).toStrictEqual(ask);
    expect(next([used, sent], soon, { kind: 'journaled', key: 'another' })).toStrictEqual(ask);
  });
  it('is asked about when its deadline has passed', () =>
    expect(next([used, sent], deadline, { kind: 'journaled', key })).toStrictEqual(ask));
  it('is sent again when it never was accepted', () =>
    expect(next([used, sent], soon, neverAccepted(soon))).toStrictEqual(send));
  it('is asked about when the word is on another attempt', () =>
    expect(next([used, sent, journaled(0, 2)], soon, neverAccepted(soon))).toMatchObject({ do: 'ask' }));
  it('waits, not longer than until the last word on it counts', () =>
    expect(next([used, sent], soon, wait)).toStrictEqual({ do: 'wait', until: null, noLaterThan: believed }));
  it('waits as long as the provider says', () => {
    const until = after(at, 5_000);
    const checkAt: Learned = { kind: 'wait', until };
    expect(next([used, sent, accepted(0)], soon, checkAt)).toStrictEqual({ do: 'wait', until, noLaterThan: null });
  });
});

describe('what was never accepted when its deadline has passed', () => {
  it('waits until that is certain', () =>
    expect(next([used, sent], deadline, neverAccepted(deadline))).toMatchObject({ do: 'wait', until: believed }));
  it('is asked about again, since that was said too early', () =>
    expect(next([used, sent], believed, neverAccepted(deadline))).toStrictEqual(ask));
  it('is replaced', () =>
    expect(next([used, sent], believed, neverAccepted(believed))).toStrictEqual({
      ...{ do: 'plan', index: 0, attempt: 2 },
      latestDeadline: after(expiresAt, -grace),
    }));
  it('times out with the operation', () =>
    expect(next([used, sent], expiresAt, neverAccepted(expiresAt))).toStrictEqual({
      ...{ do: 'give_up', index: 0, key },
      failure: timedOut,
    }));
  it('keeps the operation open beyond its expiry while it is not certain', () => {
    const late = [used, journaled(0, 1, expiresAt)];
    expect(next(late, expiresAt, neverAccepted(expiresAt))).toMatchObject({
      do: 'wait',
      until: after(expiresAt, grace),
    });
  });
});

describe('what the provider could not say', () => {
  const unknown = [used, sent, unresolved];
  it('is asked about, and nothing is sent', () => {
    expect(next(unknown)).toStrictEqual(ask);
    expect(next(unknown, soon, neverAccepted(soon))).toMatchObject({ do: 'wait', until: believed });
  });
  it('has nothing in its place', () =>
    expect(next(unknown, believed, neverAccepted(believed))).toMatchObject({ do: 'give_up', key }));
});

describe('what the provider had accepted and then never did', () => {
  const taken = [used, sent, accepted(0)];
  it.each([soon, believed, expiresAt])('is unresolved at %s', (now) =>
    expect(next(taken, now, neverAccepted(now))).toStrictEqual({ do: 'record_unresolved', index: 0, key }),
  );
  it('is asked about for ever', () => {
    expect(next([...taken, unresolved], expiresAt)).toStrictEqual(ask);
    const waiting = { do: 'wait', until: null, noLaterThan: null };
    expect(next([...taken, unresolved], expiresAt, neverAccepted(expiresAt))).toStrictEqual(waiting);
  });
});
