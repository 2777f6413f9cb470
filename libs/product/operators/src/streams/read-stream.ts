import { hash } from 'node:crypto';
import { decodeOwn, type EventStore, type ReceivedEvent, type Remains, type StoredEvent } from '@app/event-store';
import { instantIn, invalid, ok, refuse, type Instant, type Result, type DamagedStream } from '@app/kernel';
import { Throttle } from '@app/read-store';
import { foldingOf } from './stream-kinds';
import type { AuditedEvent, StreamIntegrity, StreamState } from './streams.schema';

/** Names of this product's streams; the event store is not asked for any other name. */
const namePattern = /^[a-z][a-z0-9]*-[A-Za-z0-9_.:-]{1,150}$/;
/** Events per read. */
const pageEvents = 500;

/**
 * The remains of a stream; null for a text that names none, and for a stream that never existed. An event of another
 * program is known only to a process that has folded the stream. @throws Unavailable
 */
export async function remainsOf(store: EventStore, stream: string): Promise<Remains | null> {
  if (!namePattern.test(stream)) return null;
  const remains = await store.remainsOf(stream);
  const known = store.damaged.of(stream);
  if (remains.damage === null && known?.damage === 'foreign') return { ...remains, damage: known };
  return remains.last < 0 && remains.damage === null ? null : remains;
}

/** The integrity of a stream, as shown to operators and auditors. */
export function integrityOf({ first, last, damage }: Remains): StreamIntegrity {
  const there = last < 0 ? { first: null, last: null } : { first, last };
  if (damage === null) return { state: 'whole', ...there, missing: null, detail: null };
  return { state: damage.damage, ...there, missing: missingOf(damage.damage, first, last), detail: damage.message };
}

function missingOf(damage: DamagedStream['damage'], first: number, last: number): string | null {
  if (damage === 'foreign') return null;
  return damage !== 'truncated' || last < 0 ? 'all' : `0 to ${first - 1}`;
}

export function isStreamName(text: string): boolean {
  return namePattern.test(text);
}

/** A point in a stream: after that many events, or after the events up to an instant. */
export type Point = { readonly seq: number } | { readonly at: Instant };

/** Parses a point from a member of a query; null if it is absent. Refuses with `invalid_input`. */
export function pointIn(name: string, text: string | undefined): Result<Point | null> {
  if (text === undefined) return ok(null);
  if (/^\d{1,15}$/.test(text)) return ok({ seq: Number(text) });
  const at = instantIn(text);
  return at === null ? refuse(invalid(`/${name}`, 'must be a seq or an instant')) : ok({ at });
}

/** Folds events up to a point, or to the first that cannot be folded; null if no decider knows the stream. @throws Unavailable */
export async function stateAt(store: EventStore, stream: string, point: Point): Promise<StreamState | null> {
  const folding = foldingOf(stream);
  if (folding === null) return null;
  const resting = new Throttle();
  for (let seq = 0; ; await resting.pause()) {
    const page = await opened(store, await store.readRemaining(stream, seq, pageEvents));
    for (const { received, stored } of page) {
      // Stop at a gap, because nothing can be folded across it.
      if (received.revision > seq && !isAfter(received.revision, null, point))
        return { seq, state: folding.state(), stoppedAt: received.revision };
      if (isAfter(received.revision, stored, point)) return { seq, state: folding.state(), stoppedAt: null };
      if (stored === null || !folding.take(stored))
        return { seq, state: folding.state(), stoppedAt: received.revision };
      seq = received.revision + 1;
    }
    if (page.length < pageEvents) return { seq, state: folding.state(), stoppedAt: null };
  }
}

/** Instants compare as text. */
function isAfter(revision: number, stored: StoredEvent | null, point: Point): boolean {
  if ('seq' in point) return revision >= point.seq;
  const at = stored?.payload['at'];
  return typeof at === 'string' && at > point.at;
}

/** An event as it is stored, and with its words open; null for one that this product did not write. */
export interface OpenedEvent {
  readonly received: ReceivedEvent;
  readonly stored: StoredEvent | null;
}

/** Returns events with their words open, or erased. Throws Unavailable. */
export async function opened(store: EventStore, events: readonly ReceivedEvent[]): Promise<OpenedEvent[]> {
  const own = events.map(decodeOwn);
  const open = await store.open(own.filter((stored) => stored !== null));
  let next = 0;
  return events.map((received, n) => ({ received, stored: own[n] === null ? null : (open[next++] ?? null) }));
}

/** An event as auditors see it: its words are open, and the hashes are those of the stored bytes. */
export function auditedEvent({ received, stored }: OpenedEvent): AuditedEvent {
  const { revision, position, id, type, data, metadata } = received;
  return {
    seq: revision + 1,
    revision,
    position,
    id,
    type,
    payload: stored?.payload ?? null,
    metadata: stored === null ? null : { ...stored.metadata },
    dataSha256: hash('sha256', data, 'hex'),
    metadataSha256: hash('sha256', metadata, 'hex'),
  };
}
