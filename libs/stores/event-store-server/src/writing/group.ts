/** One group commit: queued requests are decided in memory, stored by one statement, and answered after its commit. */
import { METADATA_TYPE, TOMBSTONE_REVISION, TOMBSTONE_TYPE, baseStreamOf, isMetastream, metastreamOf } from '../event';
import type { FramedEvent, ProposedEvent } from '../event';
import { randomUUID } from 'node:crypto';
import type { IdPlace, RevisionSpan } from '../storage/heads-table';
import { frameEvent } from '@app/event-store-wire';
import { decideAppend, decideDelete, type Decision, type History } from './decide';
import { isSoftDeleted, lastRevision, type Head } from '../streams/head';
import type { Append, WriteRequest, WriteResult } from './request';
import { parseStreamMetadata, reopenedMetadata, SOFT_DELETED_METADATA } from '../streams/stream-metadata';

const NO_BYTES = new Uint8Array(0);

export interface GroupPast {
  readonly lastPosition: number;
  /** Committed heads of every base stream of the group; they are not changed. */
  head(baseStream: string): Readonly<Head>;
  knownId(id: string): IdPlace | undefined;
  /** Ids read back for this group, in addition to the known ones. */
  readonly readBack: readonly IdPlace[];
}

/** Decides requests in order; each sees what those before it will have written. Changes nothing outside. */
export class Group implements History {
  readonly events: FramedEvent[] = [];
  /** The heads after the events are committed. */
  readonly heads = new Map<string, Head>();
  private readonly byPlace = new Map<string, IdPlace>();
  private readonly byId = new Map<string, IdPlace>();

  constructor(
    private readonly past: GroupPast,
    private readonly nowMs: number,
  ) {
    for (const place of past.readBack) this.byPlace.set(placeKey(place.stream, place.revision), place);
  }

  placeOf(id: string): IdPlace | undefined {
    return this.past.knownId(id) ?? this.byId.get(id);
  }

  placeAt(id: string, stream: string, revision: number): IdPlace | undefined {
    const place = this.byPlace.get(placeKey(stream, revision)) ?? this.past.knownId(id);
    return place?.id === id && standsAt(place, stream, revision) ? place : undefined;
  }

  decide(request: WriteRequest): WriteResult {
    const head = this.headOf(request.stream);
    switch (request.kind) {
      case 'append':
        return this.answer(decideAppend(request, head, this), (first) => this.append(request, head, first));
      case 'delete':
        return this.answer(decideDelete(request, head), () => this.softDelete(request.stream, head));
      case 'tombstone':
        return this.answer(decideDelete(request, head), () => this.tombstone(request.stream, head));
    }
  }

  private answer(decision: Decision, write: (firstRevision: number) => WriteResult): WriteResult {
    if (decision.kind === 'accepted') return write(decision.firstRevision);
    if (decision.kind !== 'repeated') return decision;
    return { kind: 'written', revision: decision.revision, position: decision.position };
  }

  private append(append: Append, head: Head, firstRevision: number): WriteResult {
    const { stream, events } = append;
    const [reopens, hiddenBefore] = [isSoftDeleted(head) && !head.tombstoned, head.last + 1];
    events.forEach((event, index) => this.add(stream, firstRevision + index, event));
    const revision = firstRevision + events.length - 1;
    const position = this.lastPosition();
    if (!isMetastream(stream)) head.last = revision;
    else if (events.length > 0) {
      head.metaLast = revision;
      head.metadata = parseStreamMetadata(events.at(-1)?.data ?? NO_BYTES);
    }
    // An append of nothing, or of metadata, also reopens a soft-deleted stream; earlier events stay hidden.
    if (reopens) this.writeMetadata(baseStreamOf(stream), head, reopenedMetadata(head.metadata, hiddenBefore));
    return { kind: 'written', revision, position };
  }

  private softDelete(stream: string, head: Head): WriteResult {
    this.writeMetadata(stream, head, SOFT_DELETED_METADATA);
    return { kind: 'written', revision: head.last, position: this.lastPosition() };
  }

  private tombstone(stream: string, head: Head): WriteResult {
    this.add(stream, TOMBSTONE_REVISION, systemEvent(TOMBSTONE_TYPE, false, NO_BYTES));
    head.tombstoned = true;
    return { kind: 'written', revision: TOMBSTONE_REVISION, position: this.lastPosition() };
  }

  private writeMetadata(stream: string, head: Head, data: Buffer): void {
    head.metaLast++;
    head.metadata = parseStreamMetadata(data);
    this.add(metastreamOf(stream), head.metaLast, systemEvent(METADATA_TYPE, true, data));
  }

  private add(stream: string, revision: number, event: ProposedEvent): void {
    const stored = frameEvent({ ...event, stream, revision, position: this.lastPosition() + 1, createdMs: this.nowMs });
    this.events.push(stored);
    this.byPlace.set(placeKey(stream, revision), stored);
    if (!this.byId.has(stored.id)) this.byId.set(stored.id, stored);
  }

  private lastPosition(): number {
    return this.past.lastPosition + this.events.length;
  }

  private headOf(stream: string): Head {
    const base = baseStreamOf(stream);
    const known = this.heads.get(base);
    if (known) return known;
    const copy = { ...this.past.head(base) };
    this.heads.set(base, copy);
    return copy;
  }
}

/** Streams whose first request in this group expects `no_stream` and has events; it is accepted if the stream is new. */
export function streamsBegunBy(requests: readonly WriteRequest[]): string[] {
  const firsts = new Map<string, WriteRequest>();
  for (const request of requests) {
    const base = baseStreamOf(request.stream);
    if (!firsts.has(base)) firsts.set(base, request);
  }
  return [...firsts].filter(([, first]) => begins(first)).map(([base]) => base);
}

function begins(request: WriteRequest): boolean {
  if (request.kind !== 'append' || isMetastream(request.stream)) return false;
  return request.expected === 'no_stream' && request.events.length > 0;
}

/** Revisions whose ids have to be read back before the group can be decided: after a conflict, or a repeat from long ago. */
export function spansToReadBack(
  requests: readonly WriteRequest[],
  past: Pick<GroupPast, 'head' | 'knownId'>,
): RevisionSpan[] {
  const spans: RevisionSpan[] = [];
  for (const request of requests) {
    if (request.kind !== 'append' || request.expected === 'any' || request.expected === 'stream_exists') continue;
    const { stream } = request;
    const from = (request.expected === 'no_stream' ? -1 : request.expected) + 1;
    const to = Math.min(from + request.events.length - 1, lastRevision(past.head(baseStreamOf(stream)), stream));
    if (from > to || request.events.every((event, index) => standsAt(past.knownId(event.id), stream, from + index))) {
      continue;
    }
    spans.push({ stream, from, to });
  }
  return spans;
}

function standsAt(place: IdPlace | undefined, stream: string, revision: number): boolean {
  return place?.stream === stream && place.revision === revision;
}

function systemEvent(type: string, isJson: boolean, data: Uint8Array): ProposedEvent {
  return { id: randomUUID(), type, isJson, data, metadata: NO_BYTES };
}

function placeKey(stream: string, revision: number): string {
  return `${revision}@${stream}`;
}
