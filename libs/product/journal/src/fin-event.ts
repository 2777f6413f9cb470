import { upcast, type LiftingKind, type StoredEvent } from '@app/event-store';

/** The part of the conversations' stream kind that the journal needs; the composition root passes the kind itself. */
export abstract class JournalKind {
  abstract readonly category: string;
  abstract readonly upcasters?: NonNullable<LiftingKind['upcasters']>;
  abstract readonly privateMembers?: NonNullable<LiftingKind['privateMembers']>;
}

/**
 * The JSON text of a durable FinEvent (docs/decisions/journal.md): `seq` is the revision + 1, the payload is in its present version.
 * Built from parts, since only the payload and the request's id need escaping.
 */
export function durableText(kind: JournalKind, stored: StoredEvent): string {
  const requestId = JSON.stringify(stored.metadata.requestId);
  const payload = JSON.stringify(upcast(kind, stored));
  return `{"delivery":"durable","seq":${stored.revision + 1},"requestId":${requestId},"payload":${payload}}`;
}

/** The SSE frame of a durable event: its `id` is the `seq`, so a browser's `Last-Event-ID` is the position to continue at. */
export function durableFrame(kind: JournalKind, stored: StoredEvent): Buffer {
  return Buffer.from(`id: ${stored.revision + 1}\nevent: ${stored.type}\ndata: ${durableText(kind, stored)}\n\n`);
}

/** The SSE frame of a live payload, given as JSON text without line breaks. It has no `id`: a reader cannot resume after it. */
export function liveFrame(type: string, payloadText: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: {"delivery":"live","payload":${payloadText}}\n\n`);
}
