import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '../client';
import { allPages } from './journeys';

const bookedWithinMs = 120_000;
const askAgainMs = 20;

interface Snapshot {
  readonly periodKind: 'day' | 'month';
  readonly reservedCents: number;
  readonly spentCents: number;
}

/** Cents that are reserved, and cents that are spent. */
export type HeldAndSpent = readonly [number, number];

/**
 * Returns the cents that a user's budget holds and has spent in each period, after checking that its entries add up to
 * them.
 */
export async function booksOf(user: TestClient): Promise<Record<Snapshot['periodKind'], HeldAndSpent>> {
  const { status, body } = await user.get<{ snapshots: [Snapshot, Snapshot] }>('/budget');
  expect(status).toBe(200);
  const [day, month] = body.snapshots;
  return { day: await explained(user, day), month: await explained(user, month) };
}

async function explained(user: TestClient, { periodKind, reservedCents, spentCents }: Snapshot): Promise<HeldAndSpent> {
  const { items } = await allPages(user, `/budget/entries?limit=3&periodKind=${periodKind}`);
  const sum = (kind: string) =>
    items.filter((entry) => entry['kind'] === kind).reduce((cents, entry) => cents + Number(entry['amountCents']), 0);
  expect([sum('reserved') - sum('released'), sum('spent')]).toEqual([reservedCents, spentCents]);
  return [reservedCents, spentCents];
}

/** Returns the budget entries of a run, newest first: `spent 3`. */
export async function movedFor(user: TestClient, runId: string): Promise<string[]> {
  const { items } = await allPages(user, '/budget/entries');
  return items
    .filter((entry) => entry['runId'] === runId)
    .map(({ kind, amountCents }) => `${String(kind)} ${String(amountCents)}`);
}

/**
 * Waits until no segment of the user holds anything, because the end of a segment is journaled first and booked right
 * after.
 */
export async function untilBooked(user: TestClient): Promise<void> {
  const deadline = performance.now() + bookedWithinMs;
  for (;;) {
    const { body } = await user.get<{ snapshots: readonly Snapshot[] }>('/budget');
    if (body.snapshots.every(({ reservedCents }) => reservedCents === 0)) return;
    if (performance.now() > deadline) throw new Error(`still held: ${JSON.stringify(body.snapshots)}`);
    await sleep(askAgainMs);
  }
}
