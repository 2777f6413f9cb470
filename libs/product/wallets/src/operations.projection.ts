import type { Contract, ContractAction } from '@app/consent';
import { idInStream, type Recorded } from '@app/event-store';
import { unreachable } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OperationEvent, OperationFailure, OperationTerms, TokenAmount } from './operation.events';
import type { OperationAction, OperationView } from './operation.schema';
import type { OperationStatus } from './operation.state';
import { operationKind } from './operation.stream';

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

/** One row for each financial operation. */
export const operationsProjection: Projection<OperationRow, OperationEvent> = {
  name: 'financial_operations',
  version: 2,
  row: OperationRow,
  kinds: [operationKind],
  keyOf: ({ stream }) => idInStream(operationKind, stream),
  isFirst: ({ revision }) => revision === 0,
  project: (row, { stream, position, event }) => {
    if (event.type === 'operation.prepared' || event.type === 'operation.used') {
      const id = idInStream(operationKind, stream);
      return id === null ? row : { id, ...openRow(event), openedPosition: position, position };
    }
    return row && { ...row, ...after(row, event), updatedAt: event.at, position };
  },
  counters: ({ userId, status }) => [userId, `${userId}/${status}`],
};

/** The operation that all events of its stream come to, as the API answers it; null when they do not begin as one does. */
export function operationView(events: readonly Recorded<OperationEvent>[]): OperationView | null {
  const row = events.reduce<OperationRow | null>((before, event) => operationsProjection.project(before, event), null);
  if (row === null) return null;
  const { userId: _, openedPosition: __, position: ___, ...view } = row;
  return view;
}

type BeginEvent = Extract<OperationEvent, { readonly type: 'operation.prepared' | 'operation.used' }>;

function openRow(event: BeginEvent): Omit<OperationRow, 'id' | 'openedPosition' | 'position'> {
  const { kind, userId, approvalId, conversationId, runId, automationId, contract, at } = event;
  return {
    kind,
    userId,
    approvalId,
    conversationId,
    runId,
    automationId,
    contract,
    status: event.type === 'operation.prepared' ? 'prepared' : 'submitted',
    actions: contract.actions.map(actionOf),
    failure: null,
    createdAt: at,
    updatedAt: at,
    settledAt: null,
  };
}

function actionOf(action: ContractAction, index: number): OperationAction {
  const input = fixedInput(action);
  return {
    index,
    kind: action.kind,
    status: 'pending',
    input,
    output: null,
    leastOutput: null,
    returned: null,
    providerReference: null,
  };
}

/** What an action takes, where the contract says exactly that. */
function fixedInput({ input, quantity }: ContractAction): TokenAmount | null {
  if (!('pinned' in input) || quantity.kind !== 'exact_input_tokens') return null;
  return { tokenId: input.pinned.tokenId, amountRaw: quantity.amountRaw };
}

/** What an event changes of an operation's row. */
function after(row: OperationRow, event: Exclude<OperationEvent, BeginEvent>): Partial<OperationRow> {
  if ('index' in event) return afterAction(row, event);
  switch (event.type) {
    case 'approval.opened':
      return {};
    case 'approval.decided':
      // An approval that was given is followed by `operation.confirmed` in the same append.
      return event.status === 'denied' ? { status: 'denied' } : {};
    case 'approval.expired':
      return { status: 'expired' };
    case 'operation.confirmed':
      return { status: 'submitted' };
    case 'operation.settled':
      return { status: 'settled', settledAt: event.at };
    case 'operation.failed':
      return { status: 'failed', failure: event.failure };
    case 'operation.unresolved':
      return { status: 'unresolved' };
    default:
      return unreachable(event);
  }
}

/** What an event changes of one action. */
function afterAction(
  row: OperationRow,
  event: Extract<OperationEvent, { readonly index: number }>,
): Partial<OperationRow> {
  switch (event.type) {
    case 'submission.refused': // only its last word is an end
    case 'revocation.journaled':
      return {};
    case 'submission.journaled': {
      const { input, output, leastOutput } = event.submission;
      return actionChanged(row, event.index, { status: 'submitted', input, output, leastOutput });
    }
    case 'submission.accepted':
      return actionChanged(row, event.index, { providerReference: event.providerReference });
    case 'action.settled': {
      const { index, output, returned } = event;
      // What the provider could not tell of this action, it has told now.
      return { ...actionChanged(row, index, { status: 'settled', output, returned }), status: 'submitted' };
    }
    case 'action.refunded': {
      const { index, output, returned } = event;
      return actionChanged(row, index, { status: 'refunded', output, returned });
    }
    case 'action.failed':
      return actionChanged(row, event.index, { status: 'failed', output: null });
    default:
      return unreachable(event);
  }
}

function actionChanged(
  { actions }: OperationRow,
  index: number,
  change: Partial<OperationAction>,
): Pick<OperationRow, 'actions'> {
  return { actions: actions.map((action) => (action.index === index ? { ...action, ...change } : action)) };
}
