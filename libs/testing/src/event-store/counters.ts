import { encodeEvent, type EventStore } from '@app/event-store';
import { jsonEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { counted, counterKind, someCause } from '../deciders';

/** Returns a category for streams of one test. */
export function newCategory(): string {
  return `t${randomUUID().replaceAll('-', '')}`;
}

/** Returns an event that another program wrote: its metadata is not the product's. */
export function foreignEvent(type: string) {
  return jsonEvent({ type, data: { type }, metadata: {} });
}

/**
 * Appends `count` events that count the numbers from `first` on, at the revisions of the same numbers. @returns the
 * position of the last
 */
export async function appendCounted(store: EventStore, stream: string, first: number, count = 1): Promise<number> {
  const events = Array.from({ length: count }, (_, n) => encodeEvent(counterKind, counted(first + n), someCause()));
  const appended = await store.append(stream, events, first - 1);
  if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
  return appended.position;
}
