import { encodeEvent, type EventStore } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { counted, counterKind, someCause } from '../deciders';

/** For streams of a test's own. */
export function newCategory(): string {
  return `t${randomUUID().replaceAll('-', '')}`;
}

/** Appends that so many numbers from the first on were counted, at the revisions of the same numbers. @returns the position of the last */
export async function appendCounted(store: EventStore, stream: string, first: number, count = 1): Promise<number> {
  const events = Array.from({ length: count }, (_, n) => encodeEvent(counterKind, counted(first + n), someCause()));
  const appended = await store.append(stream, events, first - 1);
  if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
  return appended.position;
}
