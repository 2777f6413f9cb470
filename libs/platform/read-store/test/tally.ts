import type { Recorded } from '@app/event-store';
import { idInStream } from '@app/event-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type CounterEvent, counterKind } from '@app/testing/deciders';
import { readStoreMigrations, Database, migrate, migration, type AnyProjection, type Projection } from '../src';

@Entity('tallies')
export class TallyRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('integer') total!: number;
  @Column('boolean') closed!: boolean;
  @Column('text', { nullable: true }) lastNote!: string | null;
  @Column('bigint') position!: number;
}

/** One row for each counter, with the sum of its counts. Numbers below zero are of no interest. */
export const tallies: Projection<TallyRow, CounterEvent> = {
  name: 'tallies',
  version: 1,
  row: TallyRow,
  kinds: [counterKind],
  keyOf: ({ event, stream }) =>
    event.type === 'counter.counted' && event.n < 0 ? null : idInStream(counterKind, stream),
  project: (row, { event, stream }: Recorded<CounterEvent>) => {
    const before = row ?? newTally(idInStream(counterKind, stream) ?? '');
    return event.type === 'counter.closed'
      ? { ...before, closed: true }
      : { ...before, total: before.total + event.n, lastNote: event.note };
  },
  counters: ({ closed }) => (closed ? ['all', 'closed'] : ['all']),
};

@Entity('notes')
export class NotesRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('text', { array: true }) texts!: readonly string[];
  @Column('bigint') position!: number;
}

/** The notes of each counter. */
export const notes: Projection<NotesRow, CounterEvent> = {
  name: 'notes',
  version: 1,
  row: NotesRow,
  kinds: [counterKind],
  keyOf: ({ event, stream }) => (event.type === 'counter.counted' ? idInStream(counterKind, stream) : null),
  project: (row, { event, stream }) => {
    if (event.type !== 'counter.counted') return row;
    const { id, texts, position } = row ?? { id: idInStream(counterKind, stream) ?? '', texts: [], position: 0 };
    return { id, texts: [...texts, event.note], position };
  },
};

function newTally(id: string): TallyRow {
  return { id, total: 0, closed: false, lastNote: null, position: 0 };
}

export const tallyMigrations = [
  ...readStoreMigrations,
  migration(
    9999,
    'CreateTallies',
    `CREATE TABLE tallies (id uuid PRIMARY KEY, total integer NOT NULL, closed boolean NOT NULL, last_note text,
       position bigint NOT NULL);
     CREATE INDEX tallies_highest ON tallies (total DESC) WHERE NOT closed;
     CREATE TABLE notes (id uuid PRIMARY KEY, texts text[] NOT NULL, position bigint NOT NULL)`,
  ),
];

/** Opens a separate connection to the database, migrated. */
export async function openTallies(url: string, projections: readonly AnyProjection[] = [tallies]): Promise<Database> {
  const database = await Database.connect({
    url,
    poolSize: 4,
    rows: [TallyRow, NotesRow],
    migrations: tallyMigrations,
    projections,
  });
  await migrate(database);
  return database;
}
