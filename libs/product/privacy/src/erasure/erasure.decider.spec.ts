import { instant, specification } from '@app/testing/deciders';
import { erasureDecider, type ErasureCommand } from './erasure.decider';
import type { ErasureEvent, Purged } from './erasure.events';

const at = instant('2026-03-01T10:00Z');
const reason = 'the person asked for it';
const keys = { user: 1, conversations: 2, identities: 1 };
const purged: Purged = {
  snapshots: 1,
  artifacts: 0,
  artifactsKept: 0,
  deliveries: 3,
  samples: 0,
  timers: 0,
  checks: 0,
};
const facts = { keys, operationsInFlight: 0, checkpoint: null };
const left = { events: 3, streams: ['conversation-1'], streamsInAll: 1 };
const certified = { closedEvents: 12, certificate: 'a note' };

const request: ErasureCommand = { type: 'RequestErasure', at, reason };
const destroy: ErasureCommand = { type: 'RecordKeysDestroyed', at, ...facts };
const purge: ErasureCommand = { type: 'RecordPurged', at, purged, keyTable: 'rewritten' };
const leave: ErasureCommand = { type: 'RecordWordsLeft', at, ...left };
const complete: ErasureCommand = { type: 'CompleteErasure', at, ...certified };

const requested: ErasureEvent = { type: 'erasure.requested', at, reason };
const destroyed: ErasureEvent = { type: 'erasure.keys_destroyed', at, ...facts };
const cleared: ErasureEvent = { type: 'erasure.purged', at, purged, keyTable: 'rewritten' };
const wordsLeft: ErasureEvent = { type: 'erasure.words_left', at, ...left };
const completed: ErasureEvent = { type: 'erasure.completed', at, ...certified };

describe('an erasure', () => {
  const erasure = specification(erasureDecider);

  it('is requested once', () => erasure.when(request).thenOnce(requested));
  it('records each step once, in this order', () => {
    erasure.given(requested).when(destroy).thenOnce(destroyed);
    erasure.given(requested, destroyed).when(purge).thenOnce(cleared);
    erasure.given(requested, destroyed, cleared).when(complete).thenOnce(completed);
  });
  it('leaves no step out', () => {
    erasure.given(requested).when(purge).thenNothing();
    erasure.given(requested).when(complete).thenNothing();
    erasure.given(requested, destroyed).when(complete).thenNothing();
    erasure.given(requested, destroyed).when(leave).thenNothing();
  });
  it('has no steps before it is requested', () => {
    for (const step of [destroy, purge, leave, complete]) erasure.when(step).thenRefused('not_found');
  });
  it('is not requested again while it goes on, nor once it is completed', () => {
    erasure.given(requested, destroyed).when(request).thenNothing();
    erasure.given(requested, destroyed, cleared, completed).when(request).thenNothing();
  });

  describe('that meets words in clear', () => {
    const met = erasure.given(requested, destroyed, cleared, wordsLeft);
    it('says how many and where', () => erasure.given(requested, destroyed, cleared).when(leave).thenOnce(wordsLeft));
    it('is not completed', () => {
      met.when(complete).thenNothing();
      expect(met.state).toMatchObject({ status: 'incomplete', wordsLeft: left, completed: null });
    });
    it('goes on where it is requested again, and never makes keys', () => {
      met.when(request).then(requested);
      const again = erasure.given(requested, destroyed, cleared, wordsLeft, requested);
      expect(again.state).toMatchObject({ status: 'purging', requestedAt: at, wordsLeft: null });
      again.when(purge).thenOnce(cleared);
      again.when(destroy).thenNothing();
    });
  });
});
