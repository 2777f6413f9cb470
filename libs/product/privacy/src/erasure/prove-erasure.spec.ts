import { asId, type UserId } from '@app/kernel';
import type { Certificates } from './certificates';
import { erasureDecider } from './erasure.decider';
import { ProveErasure } from './prove-erasure';

const userId = asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11');
const at = '2026-03-01T10:00:00.000Z';

/** The step, over stubs; `counted` has the user of each count. */
function proving() {
  const counted: UserId[] = [];
  let certificate: string | null = null;
  const count = (id: UserId) => {
    counted.push(id);
    return Promise.resolve({ closed: 7, streams: 1, left: { events: 0, streams: [], streamsInAll: 0 } });
  };
  const make: Certificates['make'] = () => Promise.resolve(certificate);
  const parts = [
    { want: () => Promise.resolve() },
    { count },
    { make },
    { caughtUp: () => Promise.resolve(true) },
    { now: () => at },
    { reached: () => undefined },
  ];
  // Reason for the assertion: these are all the methods that the step calls.
  const step = new ProveErasure(...(parts as unknown as ConstructorParameters<typeof ProveErasure>));
  const take = () => step.take(userId, erasureDecider.initialState, new AbortController().signal);
  const certify = (note: string) => {
    certificate = note;
  };
  return { counted, take, certify };
}

it('reads the events of a user once while the log signs nothing', async () => {
  const { counted, take, certify } = proving();
  expect([await take(), await take(), await take(), counted]).toEqual([null, null, null, [userId]]);
  certify('a note');
  expect(await take()).toEqual({ type: 'CompleteErasure', at, closedEvents: 7, certificate: 'a note' });
  expect(counted).toHaveLength(1);
});

it('reads them again for another erasure', async () => {
  const { counted, take, certify } = proving();
  certify('a note');
  await take();
  await take();
  expect(counted).toHaveLength(2);
});
