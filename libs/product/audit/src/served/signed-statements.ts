import { Injectable } from '@nestjs/common';
import type { ReceivedEvent } from '@app/event-store';
import { Database } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { noteText, signatureOf, toBase64, type LogEntry } from '@app/transparency';
import { checkpointWanted, Checkpoints } from '../signing/checkpoints';
import { LogKeys } from '../signing/log-keys';
import { withLines } from '../checkpoints/witnessing';
import { entryOf } from '../log/covered-events';
import { LogIdentity } from '../log/log-identity';
import { LogTables } from '../log/log-tables';
import { EventProofs } from './log-proofs';

const lookEveryMs = 50;

/** A signed checkpoint, as a note with its witnesses' lines. */
export interface StatedCheckpoint {
  readonly size: number;
  readonly note: string;
}

/** The log's entry of an event, and the proof that the checkpoint covers it; hashes in base64. */
export interface StatedEvent {
  readonly entry: LogEntry;
  readonly index: number;
  readonly path: readonly string[];
}

/** Some events with their proofs up to one checkpoint. */
export interface Stated {
  readonly checkpoint: StatedCheckpoint;
  readonly events: readonly StatedEvent[];
}

/** Statements of the deployment that are signed by the log's key, such as certificates. Every method throws Unavailable. */
@Injectable()
export class SignedStatements {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly proofs: EventProofs,
    private readonly tables: LogTables,
    private readonly identity: LogIdentity,
    private readonly database: Database,
    private readonly keys: LogKeys,
  ) {}

  /** Asks for a checkpoint now. A hint. */
  async want(): Promise<void> {
    await this.database.query('SELECT pg_notify($1, $2)', [checkpointWanted, '']);
  }

  /** The newest signed checkpoint; null if there is none within the time. */
  async newestWithin(withinMs: number): Promise<StatedCheckpoint | null> {
    for (const untilMs = performance.now() + withinMs; ; await sleep(lookEveryMs)) {
      const newest = (await this.checkpoints.current()).signed.at(-1);
      if (newest !== undefined) return { size: newest.size, note: withLines(newest) };
      if (performance.now() >= untilMs) return null;
    }
  }

  /** The proofs of all of these events; null if no checkpoint covers them within the time. */
  async state(events: readonly ReceivedEvent[], withinMs: number): Promise<Stated | null> {
    const { checkpoint: note, inclusions } = await this.proofs.prove(events, withinMs);
    const stated = events.map((event, n) => {
      const inclusion = inclusions[n] ?? null;
      return inclusion && { entry: entryOf(event), index: inclusion.index, path: inclusion.path.map(toBase64) };
    });
    const all = stated.filter((one) => one !== null);
    if (note === null || all.length < stated.length) return null;
    const size = Number(note.split('\n')[1]);
    return { checkpoint: { size, note }, events: all };
  }

  /** The hashes, in base64, that prove that the tree of the later size begins with that of the earlier one. */
  async consistency(earlier: number, later: number): Promise<string[]> {
    return (await this.tables.tree(later).consistencyPath(earlier)).map(toBase64);
  }

  /** The origin that names the log; null before it has a name. */
  async origin(): Promise<string | null> {
    return (await this.checkpoints.current()).origin;
  }

  /** Returns the text, which ends in a newline, as a note signed by the log's key; null while the log signs nothing. */
  async sign(text: string): Promise<string | null> {
    const origin = await this.origin();
    if (origin === null || (await this.identity.hold()) !== null) return null;
    return noteText({ text, signatures: [signatureOf(await this.keys.of(origin), text)] });
  }
}
