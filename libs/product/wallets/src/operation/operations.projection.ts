import type { Contract } from '@app/consent';
import { idInStream } from '@app/event-store';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OperationEvent, OperationTerms } from './operation.events';
import type { OperationAction } from './operation.schema';
import type { OperationStatus } from './operation.state';
import { operationKind } from './operation.stream';
import { projectOperation, type ProjectedOperation } from './operation.view';

/** A financial operation, as the API returns it. */
@Entity('financial_operations')
export class OperationRow implements ProjectedOperation, ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('text') kind: OperationTerms['kind'];
  @Column('text') status: OperationStatus;
  @Column('uuid') approvalId: string;
  @Column('uuid', { nullable: true }) conversationId: string | null;
  @Column('uuid', { nullable: true }) runId: string | null;
  @Column('uuid', { nullable: true }) automationId: string | null;
  @Column('jsonb') contract: Contract;
  @Column('jsonb') actions: readonly OperationAction[];
  @Column('jsonb', { nullable: true }) failure: ProjectedOperation['failure'];
  @Column('text') createdAt: string;
  @Column('text') updatedAt: string;
  @Column('text', { nullable: true }) settledAt: string | null;
  /** Position of its first event; lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const operationsMigrations = [
  migration(
    601,
    'CreateFinancialOperations',
    `
      CREATE TABLE financial_operations (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, kind text NOT NULL, status text NOT NULL, approval_id uuid NOT NULL,
        conversation_id uuid, run_id uuid, automation_id uuid, contract jsonb NOT NULL, actions jsonb NOT NULL, failure jsonb,
        created_at text NOT NULL, updated_at text NOT NULL, settled_at text, opened_position bigint NOT NULL,
        position bigint NOT NULL);
      CREATE INDEX operations_newest_first ON financial_operations (user_id, opened_position DESC);
      CREATE INDEX operations_by_status ON financial_operations (user_id, status, opened_position DESC);
      CREATE INDEX operations_in_flight ON financial_operations (user_id) WHERE status IN ('submitted', 'unresolved');
    `,
  ),
];

/** One row for each financial operation. */
export const operationsProjection: Projection<OperationRow, OperationEvent> = {
  name: 'financial_operations',
  version: 2,
  row: OperationRow,
  kinds: [operationKind],
  keyOf: ({ stream }) => idInStream(operationKind, stream),
  isFirst: ({ revision }) => revision === 0,
  project: projectOperation,
  counters: ({ userId, status }) => [userId, `${userId}/${status}`],
};
