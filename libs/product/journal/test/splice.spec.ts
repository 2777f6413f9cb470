import * as fc from 'fast-check';
import { conversationKind } from '@app/conversations';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConversationHubs } from '../src/conversation-hubs';
import type { FrameSink } from '../src/event-socket';
import { Journal } from '../src/journal';
import { newConversationId, newUserId, startStores, type TestStores } from '@app/testing/journal';

/** A reader that reads slowly, and remembers the seqs of all frames it got. */
class SlowReader implements FrameSink {
  closed = false;
  readonly seqs: number[] = [];

  constructor(
    public after: number,
    private readonly pauseMs: number,
  ) {}

  write(bytes: Buffer): void {
    for (const [, seq] of bytes.toString().matchAll(/^id: (\d+)$/gm)) this.seqs.push(Number(seq));
  }

  end(): void {
    this.closed = true;
  }

  async waitForDrain(): Promise<void> {
    await sleep(this.pauseMs);
  }
}

let stores: TestStores;
beforeAll(async () => {
  stores = await startStores();
});
afterAll(() => stores?.stop());

describe('a hub', () => {
  it('gives every reader every event after its cursor once, in order, however appends, replays and joins interleave', async () => {
    // Most appends are small and most cursors near the head, because that is where replay and live meet.
    const count = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 1, max: 300 }));
    const back = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -4, max: 6 }) }, fc.integer({ min: 0, max: 900 }));
    const pauseMs = fc.integer({ min: 0, max: 5 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), count }),
      fc.record({ kind: fc.constant('join' as const), back, pauseMs }),
      fc.record({ kind: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: 8 }) }),
    );
    const interleaving = fc.array(step, { minLength: 20, maxLength: 60 });
    await fc.assert(fc.asyncProperty(interleaving, fc.integer({ min: 1, max: 700 }), runInterleaving), {
      numRuns: 8,
      endOnFailure: true, // each failing run waits for events that never arrive
    });
  });
});

type Step =
  { kind: 'append'; count: number } | { kind: 'join'; back: number; pauseMs: number } | { kind: 'pause'; ms: number };

async function runInterleaving(steps: Step[], first: number): Promise<void> {
  const { store, notifications } = stores;
  const [id, owner] = [newConversationId(), newUserId()];
  let head = await stores.append(id, owner, first);
  const hubs = new ConversationHubs(store, new Journal(store, conversationKind), conversationKind, notifications);
  const joined: { from: number; reader: SlowReader; served: Promise<void> }[] = [];
  let appending: Promise<unknown> = Promise.resolve();
  for (const step of steps) {
    if (step.kind === 'pause') await sleep(step.ms);
    // Appends and joins run concurrently; only the appends wait for each other.
    else if (step.kind === 'append')
      appending = appending.then(async () => (head = await stores.append(id, owner, step.count)));
    else {
      const from = Math.max(0, head - step.back);
      const reader = new SlowReader(from, step.pauseMs);
      joined.push({ from, reader, served: hubs.join(id).then(({ source }) => source.serve(reader)) });
    }
  }
  await appending;
  await Promise.all(joined.map(({ served }) => served));
  const last = head + 1;
  const wanted = (from: number) => Math.max(0, last - from);
  const deadline = Date.now() + 60_000;
  while (joined.some(({ from, reader }) => reader.seqs.length < wanted(from)) && Date.now() < deadline) await sleep(5);
  await sleep(10);
  await hubs.onApplicationShutdown();
  for (const { from, reader } of joined) {
    expect(reader.seqs).toEqual(Array.from({ length: wanted(from) }, (_, index) => from + index + 1));
  }
}
