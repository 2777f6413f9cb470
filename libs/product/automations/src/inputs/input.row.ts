import { migration, type Projection, type ReadModelRow, type Database } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { isErased, type AutomationId, type Instant, type Personal } from '@app/kernel';
import { openMembers, type KeyRing } from '@app/sealing';
import type { AutomationEvent, PassedOver } from '../automation/automation.events';
import { automationKind } from '../automation/automation.stream';
import { inputKind, type InboundEvent, type InputRecorded, type InputSource } from './input.stream';

/** A recorded signal, webhook event or invocation, kept for simulations and outcomes. */
@Entity('automation_inputs')
export class InputRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') automationId: string;
  /** When it was recorded, by the service clock. */
  @Column('text') at: string;
  @Column('text') source: InputSource;
  /** Sealed, as in the event that recorded it. */
  @Column('json') event: Personal<InboundEvent>;
  /** The reason why it led to no occurrence; null when it did, and until it is evaluated. */
  @Column('text', { nullable: true }) outcome: PassedOver | null;
  /** Position of its recording: inputs of one instant are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const inputsMigrations = [
  migration(
    671,
    'CreateAutomationInputs',
    `
      CREATE TABLE automation_inputs (
        id uuid PRIMARY KEY, automation_id uuid NOT NULL, at text NOT NULL, source text NOT NULL, event json NOT NULL,
        position bigint NOT NULL);
      CREATE INDEX automation_inputs_in_order ON automation_inputs (automation_id, at, position);
    `,
  ),
  // The table is filled again from the streams, because the projection's version changed too.
  migration(
    675,
    'AddInputOutcomes',
    `
      TRUNCATE automation_inputs;
      DROP INDEX automation_inputs_in_order;
      ALTER TABLE automation_inputs ADD COLUMN outcome text, ADD COLUMN opened_position bigint NOT NULL;
      CREATE INDEX automation_inputs_in_order ON automation_inputs (automation_id, at, opened_position);
    `,
  ),
];

/** Table `automation_inputs`. */
export const inputsProjection: Projection<InputRow, InputRecorded | AutomationEvent> = {
  name: 'automation_inputs',
  version: 2,
  row: InputRow,
  kinds: [inputKind, automationKind],
  keyOf: ({ event }) => (event.type === 'input.recorded' || event.type === 'input.passed_over' ? event.inputId : null),
  project: (row, { event, position }) => {
    if (event.type === 'input.passed_over') return row && { ...row, outcome: event.outcome };
    if (event.type !== 'input.recorded') return row;
    const { inputId, automationId, at, source, dormant } = event;
    const outcome = dormant === true ? 'paused' : null;
    return { id: inputId, automationId, at, source, event: event.event, outcome, openedPosition: position, position };
  },
};

/** Maximum number of inputs in memory at a time: each has up to 16 KiB of data. */
const inputsAtOnce = 200;

/** An input as it was recorded. */
export interface RecordedInput {
  readonly at: Instant;
  /** Sorts inputs of one instant. */
  readonly position: number;
  readonly source: InputSource;
  readonly event: InboundEvent;
}

interface SealedInput extends Omit<RecordedInput, 'event'> {
  readonly event: InputRow['event'];
}

/** Where inputs are, and the keys that open them. */
interface InputStore {
  readonly database: Database;
  readonly keys: KeyRing;
}

/**
 * The inputs of an automation that were recorded after `from` and not after `to`, oldest first, without those whose event was erased.
 * @throws Unavailable
 */
export async function* inputsBetween(
  { database, keys }: InputStore,
  automationId: AutomationId,
  from: Instant,
  to: Instant,
): AsyncGenerator<RecordedInput> {
  let last: Pick<RecordedInput, 'at' | 'position'> | undefined = { at: from, position: Number.MAX_SAFE_INTEGER };
  while (last !== undefined) {
    const page: SealedInput[] = await database.query<SealedInput>(
      `SELECT at, opened_position AS position, source, event FROM {automation_inputs}
       WHERE automation_id = $1 AND (at, opened_position) > ($2, $3) AND at <= $4 ORDER BY at, opened_position LIMIT $5`,
      [automationId, last.at, last.position, to, inputsAtOnce],
    );
    for (const { event, ...input } of await openMembers(keys, page, ['event']))
      if (!isErased(event)) yield { ...input, event };
    last = page.length < inputsAtOnce ? undefined : page.at(-1);
  }
}
