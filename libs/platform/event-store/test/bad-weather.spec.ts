/** On a store that behaves like a cluster on a bad day, appends are recorded once, in order, and followers see each of them once. */
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@app/kernel';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, impatient } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import { encodeEvent, followCategories, type EventBatch } from '../src';

const full = process.env['FIGURES'] === 'full';
const SEEDS = full ? 20 : 2;
const APPENDS = full ? 400 : 60;
const stream = 'counter-1';

let embedded: EmbeddedStore;
let stop: AbortController;
beforeAll(() => Logger.overrideLogger(false));
const following: Promise<void>[] = [];
beforeEach(async () => {
  embedded = await EmbeddedStore.start();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(following.splice(0));
  await embedded.stop();
});

test.each(Array.from({ length: SEEDS }, (_, seed) => `${seed}`))('in the weather of seed %s', async (seed) => {
  await embedded.stopServer();
  await embedded.startServer(undefined, seed);
  const store = embedded.connect({ limits: impatient });
  const seen: { readonly one: unknown[]; readonly other: unknown[] } = { one: [], other: [] };
  const into = (numbers: unknown[]) => async (batch: EventBatch) =>
    void numbers.push(...batch.events.map(({ payload }) => payload['n']));
  const { signal } = stop;
  for (const numbers of Object.values(seen))
    following.push(
      followCategories(store.client, { categories: ['counter'], after: 0, signal, onBatch: into(numbers) }),
    );
  let refusals = 0;
  for (let n = 0; n < APPENDS; n += 1) {
    const events = [encodeEvent(counterKind, counted(n), someCause())];
    // An append that was given up is repeated with the same event.
    for (let done = false; !done;) {
      const outcome = await store.append(stream, events, n - 1).catch((error: unknown) => error);
      done = !(outcome instanceof Unavailable);
      if (done) expect(outcome).toMatchObject({ kind: 'appended', revision: n });
      else refusals += 1;
    }
    await sleep(50);
  }
  const expected = Array.from({ length: APPENDS }, (_, n) => n);
  await until(
    'the last event',
    async () => (Math.min(seen.one.length, seen.other.length) >= APPENDS ? true : null),
    60_000,
  );
  expect(seen).toEqual({ one: expected, other: expected });
  process.stdout.write(`weather ${seed}: ${APPENDS} appends (400 with FIGURES=full), ${refusals} given up meanwhile\n`);
});
