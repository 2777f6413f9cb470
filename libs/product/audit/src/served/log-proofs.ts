import { Injectable } from '@nestjs/common';
import type { ReceivedEvent } from '@app/event-store';
import { Database } from '@app/read-store';
import { Configuration } from '@app/settings';
import { leafHash, entryBytes, sameHash, type Hash } from '@app/transparency';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointWanted, Checkpoints } from '../signing/checkpoints';
import type { SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import { entryOf } from '../log/covered-events';
import { LogIdentity } from '../log/log-identity';
import { LogTables } from '../log/log-tables';
import { isWitnessed, withLines } from '../checkpoints/witnessing';

const lookEveryMs = 100;

/** Proof that an event is in the log: the index of its leaf, and the path from there to the root. */
export interface Inclusion {
  readonly index: number;
  readonly path: readonly Hash[];
}

/** Proofs for some events, up to one checkpoint. */
export interface LogProofs {
  /** The signed note with its witnesses' lines; null while there is none. */
  readonly checkpoint: string | null;
  /** One for each event; null if the checkpoint does not cover it, or the log has another entry for it. */
  readonly inclusions: readonly (Inclusion | null)[];
}

/** Proves that events are in the log, as the store holds them. */
@Injectable()
export class EventProofs {
  constructor(
    private readonly tables: LogTables,
    private readonly checkpoints: Checkpoints,
    private readonly database: Database,
    private readonly configuration: Configuration,
    private readonly identity: LogIdentity,
  ) {}

  /**
   * Proofs up to a checkpoint that covers all of the events and has the cosignatures that WITNESSES_NEEDED demands.
   * After `withinMs`, or at once while the log is held, returns what exists then. Throws Unavailable.
   */
  async prove(events: readonly ReceivedEvent[], withinMs: number): Promise<LogProofs> {
    const checkpoint = await this.checkpointOver(Math.max(...events.map(({ position }) => position)), withinMs);
    if (checkpoint === null) return { checkpoint: null, inclusions: events.map(() => null) };
    const { size } = checkpoint;
    if ((await this.tables.place()).size < size) return { checkpoint: null, inclusions: events.map(() => null) };
    const tree = this.tables.tree(size);
    const inclusions = await Promise.all(
      events.map(async (event): Promise<Inclusion | null> => {
        const entry = entryOf(event);
        const index = await this.tables.indexOf({ position: event.position, entry });
        if (index === null || index >= size) return null;
        const isThis = sameHash(await tree.leaf(index), leafHash(entryBytes(entry)));
        return isThis ? { index, path: await tree.inclusionPath(index) } : null;
      }),
    );
    return { checkpoint: withLines(checkpoint), inclusions };
  }

  private async checkpointOver(position: number, withinMs: number): Promise<SignedCheckpoint | null> {
    const untilMs = performance.now() + ((await this.identity.hold()) === null ? withinMs : 0);
    for (let isAsked = false; ; isAsked = true) {
      const { signed } = await this.checkpoints.current();
      const newest = signed.at(-1) ?? null;
      const covers = newest !== null && newest.position >= position;
      const good = signed.findLast((one) => one.position >= position && isWitnessed(one, this.configuration));
      if (good !== undefined || performance.now() >= untilMs) return good ?? newest;
      if (!isAsked && !covers) await this.database.query('SELECT pg_notify($1, $2)', [checkpointWanted, '']);
      await sleep(lookEveryMs);
    }
  }
}
