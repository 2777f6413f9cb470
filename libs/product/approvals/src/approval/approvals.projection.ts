import type { ApprovalDecider, ApprovalEnd, ApprovalKind, ApprovalStatus, Contract } from '@app/consent';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import type { Recorded } from '@app/event-store';
import type { JsonValue, Personal } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { holderKinds, isApprovalChange, viewAfter, viewOfOpening } from './approval.view';
import type { ApprovalHolderEvent, ClosedApproval } from './approval.view';

/** An approval, as the API returns it except that its words are as they are stored, and the places of its events. */
@Entity('approvals')
export class ApprovalRow implements ClosedApproval, ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('text') kind: ApprovalKind;
  @Column('text') tool: string;
  @Column('text') fingerprint: string;
  /** `json` rather than `jsonb`, so that what was reviewed is shown as it was written, down to the order of its members. */
  @Column('json', { nullable: true }) input: Personal<JsonValue>;
  @Column('json', { nullable: true }) contract: Contract | null;
  @Column('text') status: ApprovalStatus;
  @Column('uuid', { nullable: true }) conversationId: string | null;
  @Column('uuid', { nullable: true }) runId: string | null;
  @Column('text', { nullable: true }) toolCallId: string | null;
  @Column('uuid', { nullable: true }) operationId: string | null;
  @Column('uuid', { nullable: true }) automationId: string | null;
  @Column('text') openedAt: string;
  @Column('text') expiresAt: string;
  @Column('text', { nullable: true }) decidedAt: string | null;
  @Column('text', { nullable: true }) decidedBy: ApprovalDecider | null;
  @Column('text', { nullable: true }) denialReason: Personal<string | null>;
  @Column('text', { nullable: true }) endedReason: ApprovalEnd | null;
  @Column('text') summary: Personal<string>;
  @Column('json') terms: ClosedApproval['terms'];
  /** The stream that holds it, the revision of its opening there, and that of its decision or expiry. */
  @Column('text') stream: string;
  @Column('integer') openedRevision: number;
  @Column('integer', { nullable: true }) closedRevision: number | null;
  /** The request that opened it: actions of the service itself continue that request. */
  @Column('json') openedBy: OpenedBy;
  /** Position of its opening: lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

interface OpenedBy {
  readonly requestId: string;
  readonly correlationId: string;
  readonly eventId: string;
}

/** The event into which a fact of an operation was copied in its conversation. */
@Entity('operation_copies')
class OperationCopyRow implements ReadModelRow {
  /** `<operationId>/<event type>`. */
  @PrimaryColumn('text') copyKey: string;
  @Column('integer') revision: number;
  @Column('bigint') position: number;
}

const approvalsMigrations = [
  migration(
    630,
    'CreateApprovals',
    `
      CREATE TABLE approvals (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, kind text NOT NULL, tool text NOT NULL, fingerprint text NOT NULL,
        input json, contract json, status text NOT NULL, conversation_id uuid, run_id uuid, tool_call_id text,
        operation_id uuid, automation_id uuid, opened_at text NOT NULL, expires_at text NOT NULL, decided_at text,
        decided_by text, denial_reason text, ended_reason text, summary text NOT NULL, stream text NOT NULL,
        opened_revision integer NOT NULL, closed_revision integer, opened_by json NOT NULL,
        opened_position bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX approvals_newest_first ON approvals (user_id, opened_position DESC);
      CREATE INDEX approvals_by_status ON approvals (user_id, status, opened_position DESC);
      CREATE INDEX approvals_pending ON approvals (expires_at) WHERE status = 'pending';

      CREATE TABLE operation_copies (copy_key text PRIMARY KEY, revision integer NOT NULL, position bigint NOT NULL);
    `,
  ),
  migration(631, 'AddApprovalTerms', `ALTER TABLE approvals ADD COLUMN terms json NOT NULL DEFAULT '[]'`),
];

/** Table `approvals`, from every stream that can hold one. */
const approvalsProjection: Projection<ApprovalRow, ApprovalHolderEvent> = {
  name: 'approvals',
  version: 2,
  row: ApprovalRow,
  kinds: holderKinds,
  keyOf: ({ event }) => (isApprovalChange(event) ? event.approvalId : null),
  project: (row, recorded) => {
    const { event, stream, revision } = recorded;
    if (event.type === 'approval.opened') return openRow(recorded);
    if (row === null || !isApprovalChange(event)) return row;
    const closes = event.type === 'approval.decided' || event.type === 'approval.expired';
    return { ...viewAfter(row, event, stream), closedRevision: closes ? revision : row.closedRevision };
  },
  counters: ({ userId, status }) => [`${userId}/${status}`],
};

function openRow(recorded: Recorded<ApprovalHolderEvent>): ApprovalRow | null {
  const { event, stream, revision, position, metadata, id } = recorded;
  if (event.type !== 'approval.opened') return null;
  return {
    ...viewOfOpening(event, stream),
    userId: event.userId,
    stream,
    openedRevision: revision,
    closedRevision: null,
    openedBy: { requestId: metadata.requestId, correlationId: metadata.$correlationId, eventId: id },
    openedPosition: position,
    position,
  };
}

/** Table `operation_copies`. */
const operationCopiesProjection: Projection<OperationCopyRow, ConversationEvent> = {
  name: 'operation_copies',
  version: 1,
  row: OperationCopyRow,
  kinds: [conversationKind],
  keyOf: ({ event }) =>
    event.type === 'operation.submitted' || event.type === 'settlement.updated'
      ? `${event.operationId}/${event.type}`
      : null,
  project: (_, { event, revision, position }) =>
    event.type === 'operation.submitted' || event.type === 'settlement.updated'
      ? { copyKey: `${event.operationId}/${event.type}`, revision, position }
      : null,
};

/** The slice's tables, migrations and projections in PostgreSQL. */
export const approvalsReadModel = {
  rows: [ApprovalRow, OperationCopyRow],
  migrations: approvalsMigrations,
  projections: [approvalsProjection, operationCopiesProjection],
};
