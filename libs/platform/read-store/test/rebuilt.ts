import type { EventStore } from '@app/event-store';
import { encodeEvent } from '@app/event-store';
import { Probe } from '@app/runtime';
import { counterKind, someCause, type CounterEvent } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { until as patiently } from '@app/testing/until';
import { v7 as uuidV7 } from 'uuid';
import {
  ProjectionRunner,
  ProjectionStates,
  Rebuilder,
  Rebuilds,
  type AnyProjection,
  type Database,
  type Rebuild,
} from '../src';
import { notes, openTallies, tallies } from './tally';

/** Short, so that no test waits for it. */
const retryStalledEveryMs = 200;

/** One program with its projections and a separate connection. */
export interface ProgramOnStage {
  readonly database: Database;
  readonly runner: ProjectionRunner;
  readonly rebuilds: Rebuilds;
  readonly states: ProjectionStates;
  /** Returns a started rebuilder; it is stopped with the stage. */
  rebuilder(probe?: Probe, pageEvents?: number): Rebuilder;
}

/** Counters in a separate store, and programs that project and rebuild their read models. */
export class RebuiltTallies {
  private readonly ending: (() => Promise<void>)[] = [];

  private constructor(
    private readonly embedded: EmbeddedStore,
    readonly store: EventStore,
  ) {}

  static async start(): Promise<RebuiltTallies> {
    const embedded = await EmbeddedStore.start();
    return new RebuiltTallies(embedded, embedded.connect());
  }

  async stop(): Promise<void> {
    for (const end of this.ending.reverse()) await end();
    await this.embedded.stop();
  }

  /** A process of a program, whose projector runs. @param partitions number of its projectors' partitions from now on */
  async program(
    projections: readonly AnyProjection[] = [tallies, notes],
    partitions?: number,
  ): Promise<ProgramOnStage> {
    const database = await openTallies(this.embedded.database.url, projections);
    await database.tables.look();
    this.ending.push(() => database.close());
    const store = this.embedded.connect();
    const runner = new ProjectionRunner(database, store, projections, {
      probe: new Probe(),
      partitions,
      retryStalledEveryMs,
    });
    runner.start();
    this.ending.push(() => runner.stop());
    const rebuilder = (probe = new Probe(), pageEvents = 5): Rebuilder => {
      const pace = { pageEvents, writtenEvents: 1 };
      const made = new Rebuilder({ database, store: this.store, projections, probe, pace });
      made.start();
      this.ending.push(() => made.stop());
      return made;
    };
    const states = new ProjectionStates(database, store, projections);
    return { database, runner, rebuilds: new Rebuilds(database, projections), states, rebuilder };
  }

  /** @returns the position of the last event */
  async append(id: string, ...events: CounterEvent[]): Promise<number> {
    return this.appendTo(`counter-${id}`, events);
  }

  /** Events that no read model uses. */
  async appendElsewhere(...events: CounterEvent[]): Promise<void> {
    await this.appendTo(`elsewhere-${uuidV7()}`, events);
  }

  private async appendTo(stream: string, events: readonly CounterEvent[]): Promise<number> {
    const encoded = events.map((event) => encodeEvent(counterKind, event, someCause()));
    const appended = await this.store.append(stream, encoded, await this.store.lastRevision(stream));
    if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
    return appended.position;
  }
}

/** Starts a rebuild of the tallies, and resolves once it does not continue by itself. */
export async function rebuilt({ rebuilds }: ProgramOnStage, projection = 'tallies'): Promise<Rebuild> {
  const id = uuidV7();
  expect(await rebuilds.start(id, projection, 'a test')).toEqual({ kind: 'done' });
  return atRest(rebuilds, id);
}

export async function atRest(rebuilds: Rebuilds, id: string): Promise<Rebuild> {
  return patiently('the rebuild', async () => {
    const found = await rebuilds.find(id);
    return found === null || ['building', 'catching_up', 'comparing'].includes(found.state) ? null : found;
  });
}

/** Resolves once each table that the program reads has the position. */
export async function projectedTo({ database }: ProgramOnStage, position: number): Promise<void> {
  await until(async () => {
    const [seen] = await database.query<{ passed: boolean }>(
      `SELECT coalesce(bool_and(follower IS NOT NULL AND position >= $1), false) AS passed FROM read_model_tables JOIN read_model_positions USING (table_name)
       WHERE state IN ('ready', 'live', 'kept')`,
      [position],
    );
    return seen?.passed === true;
  });
}
