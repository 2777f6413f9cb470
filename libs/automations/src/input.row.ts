import type { Recorded } from '@app/event-store';
import type { Projection, ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { inputKind, type InboundEvent, type InputRecorded, type InputSource } from './input.stream';

/** What a signal, a webhook or an invocation brought: simulations look at it again. */
@Entity('automation_inputs')
export class InputRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'automation_id' }) automationId: string;
  /** When it was recorded, by the service clock. */
  @Column('text') at: string;
  @Column('text') source: InputSource;
  @Column('json') event: InboundEvent;
  @Column('bigint') position: number;
}

export class CreateAutomationInputs1700000000671 implements MigrationInterface {
  name = 'CreateAutomationInputs1700000000671';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE automation_inputs (
        id uuid PRIMARY KEY, automation_id uuid NOT NULL, at text NOT NULL, source text NOT NULL, event json NOT NULL,
        position bigint NOT NULL);
      CREATE INDEX automation_inputs_in_order ON automation_inputs (automation_id, at, position);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE automation_inputs');
  }
}

/** Table `automation_inputs`. */
export const inputsProjection: Projection<InputRow, InputRecorded> = {
  name: 'automation_inputs',
  version: 1,
  row: InputRow,
  kinds: [inputKind],
  keyOf: ({ event }) => event.inputId,
  project: (_, { event, position }: Recorded<InputRecorded>) => {
    const { inputId, automationId, at, source } = event;
    return { id: inputId, automationId, at, source, event: event.event, position };
  },
};
