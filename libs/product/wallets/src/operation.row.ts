import type { Contract } from '@app/consent';
import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OperationFailure, OperationTerms } from './operation.events';
import type { OperationAction } from './operation.schema';
import type { OperationStatus } from './operation.state';

/** A financial operation, as the API answers it. */
@Entity('financial_operations')
export class OperationRow implements ReadModelRow {
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
  @Column('jsonb', { nullable: true }) failure: OperationFailure | null;
  @Column('text') createdAt: string;
  @Column('text') updatedAt: string;
  @Column('text', { nullable: true }) settledAt: string | null;
  /** Position of its first event: lists are sorted by it. */
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
