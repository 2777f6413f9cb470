import { Injectable } from '@nestjs/common';
import { decodeEvent, EventStore, type StoredEvent } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { CheckpointEvent } from '../checkpoints/checkpoints.events';
import { checkpointsKind } from '../checkpoints/checkpoints.stream';
import { checkpointsStream } from './covered-events';

/** A checkpoint, assembled from its events. */
export interface ListedCheckpoint {
  /** Revision of the event that decided it. */
  readonly revision: number;
  readonly at: Instant;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  readonly position: number;
  /** The signer's public key; null, like the note, while the checkpoint is unsigned. */
  readonly key: string | null;
  readonly note: string | null;
  /** In the order in which they signed. */
  readonly witnesses: readonly { readonly key: string; readonly line: string }[];
}

type Cosigned = Extract<CheckpointEvent, { readonly type: 'checkpoint.cosigned' }>;

type Fixed = Extract<CheckpointEvent, { readonly type: 'checkpoint.fixed' }>;
type Signed = Extract<CheckpointEvent, { readonly type: 'checkpoint.signed' }>;

/** The signatures of a checkpoint. */
interface Signatures {
  readonly signed: Signed | null;
  readonly lines: readonly Cosigned[];
}

const pageEvents = 100;
/** Number of later events to read; any witness that signs has signed within them. */
const laterEvents = 500;

/** All checkpoints ever made, read from their stream. */
@Injectable()
export class CheckpointList {
  constructor(private readonly store: EventStore) {}

  /** Lists checkpoints before a revision, newest first. Throws Unavailable. */
  async list(before: number | null, count: number): Promise<ListedCheckpoint[]> {
    const reader = new BackwardsReader();
    if (before !== null)
      for (const stored of await this.store.readStream(checkpointsStream, before, laterEvents))
        if (!reader.takeLater(stored)) break;
    let next = before === null ? await this.store.lastRevision(checkpointsStream) : before - 1;
    while (next >= 0 && reader.found.length < count) {
      const page = await this.store.readStreamBackwards(checkpointsStream, next, pageEvents);
      if (page.length === 0) break;
      for (const stored of page) reader.take(stored);
      next -= pageEvents;
    }
    return reader.found.slice(0, count);
  }
}

/** Assembles checkpoints from events that are read from newest to oldest. */
class BackwardsReader {
  readonly found: ListedCheckpoint[] = [];
  private readonly lines = new Map<number, Cosigned[]>();
  private signed: Signed | null = null;
  /** A copy's signatures of the checkpoint that is read next. */
  private again: { readonly revision: number; readonly signed: Signed; readonly lines: readonly Cosigned[] } | null =
    null;

  /** Takes an event after the requested checkpoints, oldest first. Returns false for one after which sizes are those of other trees. */
  takeLater(stored: StoredEvent): boolean {
    const { event } = decodeEvent<CheckpointEvent>(checkpointsKind, stored);
    if (event.type === 'log.resumed' && event.anew) return false;
    if (event.type === 'checkpoint.cosigned') this.linesOf(event.size).push(event);
    return true;
  }

  take(stored: StoredEvent): void {
    const { event } = decodeEvent<CheckpointEvent>(checkpointsKind, stored);
    if (event.type === 'checkpoint.cosigned') this.linesOf(event.size).unshift(event);
    else if (event.type === 'checkpoint.signed') this.signed = event;
    else if (event.type === 'log.resumed' && event.anew) this.lines.clear();
    else if (event.type === 'log.resumed' && event.as === 'copy') this.takeResumed(stored.revision);
    else if (event.type === 'checkpoint.fixed') {
      const { size } = event;
      if (this.again?.signed.size === size) this.add(event, this.again.revision, this.again);
      this.again = null;
      this.add(event, stored.revision, { signed: this.signed, lines: this.linesOf(size) });
      this.lines.delete(size);
      this.signed = null;
    }
  }

  /** A copy signs the last decided checkpoint again, under its own name; that is listed as a separate checkpoint. */
  private takeResumed(revision: number): void {
    if (this.signed === null) return;
    this.again = { revision, signed: this.signed, lines: this.linesOf(this.signed.size) };
    this.lines.delete(this.signed.size);
    this.signed = null;
  }

  private add({ at, size, root, position }: Fixed, revision: number, by: Signatures): void {
    const { key, note } = by.signed?.size === size ? by.signed : { key: null, note: null };
    const whole = note === null ? null : note + by.lines.map(({ line }) => line).join('');
    const witnesses = by.lines.map(({ witness, line }) => ({ key: witness, line }));
    this.found.push({ revision, at, size, root, position, key, note: whole, witnesses });
  }

  private linesOf(size: number): Cosigned[] {
    const lines = this.lines.get(size) ?? [];
    this.lines.set(size, lines);
    return lines;
  }
}
