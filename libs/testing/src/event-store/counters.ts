import { encodeEvent, type EventStore } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { counted, counterKind, someCause } from '../deciders';

/** Returns a category for streams of one test. */
export function newCategory(): string {
  return `t${randomUUID().replaceAll('-', '')}`;
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
