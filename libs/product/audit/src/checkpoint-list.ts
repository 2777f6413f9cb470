import { Injectable } from '@nestjs/common';
import { decodeEvent, EventStore, type StoredEvent } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { CheckpointEvent } from './checkpoints.events';
import { checkpointsKind } from './checkpoints.stream';
import { checkpointsStream } from './covered-events';

/** A checkpoint as its events tell it. */
export interface ListedCheckpoint {
  /** Of the event that decided it. */
  readonly revision: number;
  readonly at: Instant;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  readonly position: number;
  /** Null, as is its note, as long as it is not signed. */
  readonly key: string | null;
  readonly note: string | null;
  /** In the order in which they signed. */
  readonly witnesses: readonly { readonly key: string; readonly line: string }[];
}

type Cosigned = Extract<CheckpointEvent, { readonly type: 'checkpoint.cosigned' }>;

type Fixed = Extract<CheckpointEvent, { readonly type: 'checkpoint.fixed' }>;
type Signed = Extract<CheckpointEvent, { readonly type: 'checkpoint.signed' }>;

/** Who signed a checkpoint. */
interface Signatures {
  readonly signed: Signed | null;
  readonly lines: readonly Cosigned[];
}

const pageEvents = 100;
/** Within that many events, all witnesses have signed that ever will. */
const laterEvents = 500;

/** All checkpoints that there ever were, read from their stream. */
@Injectable()
export class CheckpointList {
  constructor(private readonly store: EventStore) {}

  /** The newest first, before a revision. Throws Unavailable. */
  async list(before: number | null, count: number): Promise<ListedCheckpoint[]> {
    const reader = new BackwardsReader();
    if (before !== null)
      for (const stored of await this.store.readStream(checkpointsStream, before, laterEvents))
        reader.takeLater(stored);
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

/** Puts checkpoints together from events that come from the newest to the oldest. */
class BackwardsReader {
  readonly found: ListedCheckpoint[] = [];
  private readonly lines = new Map<number, Cosigned[]>();
  private signed: Signed | null = null;
  /** What a copy signed of the checkpoint that comes next. */
  private again: { readonly revision: number; readonly signed: Signed; readonly lines: readonly Cosigned[] } | null =
    null;

  /** What came after the checkpoints that are asked for, the oldest first. */
  takeLater(stored: StoredEvent): void {
    const { event } = decodeEvent<CheckpointEvent>(checkpointsKind, stored);
    if (event.type === 'checkpoint.cosigned') this.linesOf(event.size).push(event);
  }

  take(stored: StoredEvent): void {
    const { event } = decodeEvent<CheckpointEvent>(checkpointsKind, stored);
    if (event.type === 'checkpoint.cosigned') this.linesOf(event.size).unshift(event);
    else if (event.type === 'checkpoint.signed') this.signed = event;
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

  /** A copy signs what was decided before it once more: that is a checkpoint of its own. */
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
