import {
  conversationKind,
  type ConversationEvent,
  type ResolvedRun,
  type RunFailure,
  type RunOrigin,
  type RunRequest,
  type RunResponse,
} from '@app/conversations';
import { idInStream } from '@app/event-store';
import { applyFold, type Folds, type JsonValue, type Personal } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const runStatuses = [
  'waiting',
  'queued',
  'running',
  'awaiting_approval',
  'stopping',
  'completed',
  'failed',
  'aborted',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** A run, as the API returns it; stored under its id inside the deployment. */
@Entity('runs')
export class RunRow implements ReadModelRow {
  @PrimaryColumn('uuid') runKey: string;
  @Column('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('uuid') conversationId: string;
  @Column('text') origin: RunOrigin;
  @Column('uuid', { nullable: true }) automationId: string | null;
  @Column('uuid', { nullable: true }) occurrenceId: string | null;
  /** `json` rather than `jsonb`, so that it is shown as it was sent, down to the order of its members. */
  @Column('json') request: Personal<RunRequest>;
  @Column('jsonb') resolved: ResolvedRun;
  @Column('jsonb', { nullable: true }) response: Personal<RunResponse | null>;
  @Column('jsonb', { nullable: true }) output: Personal<JsonValue>;
  @Column('text') status: RunStatus;
  @Column('integer') segment: number;
  @Column('jsonb') pendingApprovalIds: readonly string[];
  @Column('bigint') inputTokens: number;
  @Column('bigint') cachedInputTokens: number;
  @Column('bigint') outputTokens: number;
  @Column('bigint') costCents: number;
  @Column('boolean') usageEstimated: boolean;
  @Column('jsonb', { nullable: true }) failure: RunFailure | null;
  @Column('text') createdAt: string;
  @Column('text', { nullable: true }) startedAt: string | null;
  @Column('text', { nullable: true }) endedAt: string | null;
  /** `seq` of its `run.started`; while it waits to start, of its `input.queued`. */
  @Column('integer') startedSeq: number;
  /** Position of its first event: lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const runsMigrations = [
  migration(
    20,
    'CreateRuns',
    `
      CREATE TABLE runs (
        run_key uuid PRIMARY KEY, id uuid NOT NULL, user_id uuid NOT NULL, conversation_id uuid NOT NULL, origin text NOT NULL,
        automation_id uuid, occurrence_id uuid, request jsonb NOT NULL, response jsonb, output jsonb, status text NOT NULL,
        segment integer NOT NULL, pending_approval_ids jsonb NOT NULL, input_tokens bigint NOT NULL,
        output_tokens bigint NOT NULL, cost_cents bigint NOT NULL, failure jsonb, created_at text NOT NULL, started_at text,
        ended_at text, started_seq integer NOT NULL, opened_position bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX runs_newest_first ON runs (user_id, opened_position DESC);
      CREATE INDEX runs_of_conversation ON runs (conversation_id, opened_position DESC);
      CREATE INDEX runs_to_execute ON runs (opened_position) WHERE status IN ('queued', 'running', 'stopping');

      CREATE TABLE execution_slots (
        run_key uuid NOT NULL, segment integer NOT NULL, taken_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (run_key, segment));
      CREATE TABLE run_leases (run_key uuid PRIMARY KEY, worker_id uuid NOT NULL, expires_at timestamptz NOT NULL);

      -- One taker at a time counts, so that the capacity is never passed, whatever the number of replicas.
      CREATE FUNCTION take_execution_slot(wanted_run uuid, wanted_segment integer, capacity integer) RETURNS boolean
      LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(7265100);
        IF EXISTS (SELECT 1 FROM execution_slots WHERE run_key = wanted_run AND segment = wanted_segment) THEN
          RETURN true;
        END IF;
        IF (SELECT count(*) FROM execution_slots) >= capacity THEN
          RETURN false;
        END IF;
        INSERT INTO execution_slots (run_key, segment) VALUES (wanted_run, wanted_segment);
        RETURN true;
      END $$;
    `,
  ),
  // Slots have a user, so that no user holds more than a share of them.
  migration(
    21,
    'ShareExecutionSlots',
    `
      ALTER TABLE execution_slots ADD COLUMN user_id uuid;
      UPDATE execution_slots AS s SET user_id = r.user_id FROM runs AS r WHERE r.run_key = s.run_key;
      -- Of a run that nobody knows: its admission was cut off.
      DELETE FROM execution_slots WHERE user_id IS NULL;
      ALTER TABLE execution_slots ALTER COLUMN user_id SET NOT NULL;

      DROP FUNCTION take_execution_slot;
      CREATE FUNCTION take_execution_slot(
        wanted_run uuid, wanted_segment integer, wanted_user uuid, capacity integer, share integer) RETURNS boolean
      LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(7265100);
        IF EXISTS (SELECT 1 FROM execution_slots WHERE run_key = wanted_run AND segment = wanted_segment) THEN
          RETURN true;
        END IF;
        IF (SELECT count(*) >= capacity OR count(*) FILTER (WHERE user_id = wanted_user) >= share FROM execution_slots) THEN
          RETURN false;
        END IF;
        INSERT INTO execution_slots (run_key, segment, user_id) VALUES (wanted_run, wanted_segment, wanted_user);
        RETURN true;
      END $$;
    `,
  ),
  // The request is stored as it was sent, and its resolution next to it. The table is filled again by its new version.
  migration(
    22,
    'KeepRequestsAsSent',
    `
      ALTER TABLE runs ALTER COLUMN request TYPE json;
      ALTER TABLE runs ADD COLUMN resolved jsonb;
    `,
  ),
  // Some usage is an estimate, and answers may be cut. The table is filled again by its new version.
  migration(23, 'MarkEstimates', 'ALTER TABLE runs ADD COLUMN usage_estimated boolean NOT NULL DEFAULT false'),
  // The part of the input that a provider's cache held. The table is filled again by its new version.
  migration(26, 'CountCachedInput', 'ALTER TABLE runs ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0'),
  // Operators list the failed runs of all users.
  migration(25, 'IndexFailedRuns', `CREATE INDEX runs_failed ON runs (opened_position DESC) WHERE status = 'failed'`),
  // Runs that wait to start.
  migration(27, 'IndexWaitingRuns', `CREATE INDEX runs_waiting ON runs (opened_position) WHERE status = 'waiting'`),
];

type RunEvent = Extract<ConversationEvent, { readonly runKey: unknown }>;

/** Table `runs`. */
export const runsProjection: Projection<RunRow, ConversationEvent> = {
  name: 'runs',
  version: 6,
  row: RunRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => ('runKey' in event ? event.runKey : null),
  // Its id is fresh, or permanently bound to this one start.
  isFirst: ({ event }) => event.type === 'input.queued' || (event.type === 'run.started' && event.queuedAt === null),
  project: (row, { event, stream, revision, position }) => {
    if (!('runKey' in event)) return row;
    const conversationId = idInStream(conversationKind, stream) ?? '';
    if (event.type === 'input.queued') return { ...waitingRow(event), conversationId, ...placeOf(revision, position) };
    if (event.type === 'run.started') {
      const { openedPosition, ...place } = placeOf(revision, position);
      return { ...startedRow(event), conversationId, openedPosition: row?.openedPosition ?? openedPosition, ...place };
    }
    return row === null ? null : applyFold(folds, row, event);
  },
  counters: (row) => [row.userId, `${row.userId}/${row.conversationId}`],
};

function placeOf(revision: number, position: number) {
  return { startedSeq: revision + 1, openedPosition: position, position };
}

function waitingRow(event: Extract<RunEvent, { type: 'input.queued' }>) {
  const ofUser = { origin: 'user', automationId: null, occurrenceId: null } as const;
  return { ...newRow(event), ...ofUser, status: 'waiting' as const, createdAt: event.at, startedAt: null };
}

function startedRow(event: Extract<RunEvent, { type: 'run.started' }>) {
  const { origin, automationId, occurrenceId, at, holder, queuedAt } = event;
  return {
    ...newRow(event),
    origin,
    automationId,
    occurrenceId,
    status: holder === null ? ('queued' as const) : ('running' as const),
    createdAt: queuedAt ?? at,
    startedAt: holder === null ? null : at,
  };
}

function newRow({ runKey, runId, userId, request, resolved }: Extract<RunEvent, { readonly resolved: unknown }>) {
  return {
    runKey,
    id: runId,
    userId,
    request,
    resolved,
    response: null,
    output: null,
    segment: 1,
    pendingApprovalIds: [],
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    costCents: 0,
    usageEstimated: false,
    failure: null,
    endedAt: null,
  };
}

/** How the events of an existing run change its row. */
const folds: Folds<RunRow, RunEvent> = {
  'run.claimed': (row, event) => ({
    ...row,
    status: row.status === 'queued' ? 'running' : row.status,
    segment: event.segment,
    startedAt: row.startedAt ?? event.at,
  }),
  'run.suspended': (row, event) => ({ ...row, status: 'awaiting_approval', pendingApprovalIds: event.approvalIds }),
  'run.resumed': (row, { segment, holder }) => ({ ...row, status: holder === null ? 'queued' : 'running', segment }),
  'approval.decided': withoutPending,
  'approval.expired': withoutPending,
  'input.withdrawn': (row, { at }) => ({ ...row, status: 'aborted', endedAt: at }),
  'run.stopping': (row) => ({ ...row, status: 'stopping' }),
  'agent.step': (row, { usage }) => ({
    ...row,
    inputTokens: row.inputTokens + usage.inputTokens,
    cachedInputTokens: row.cachedInputTokens + usage.cachedInputTokens,
    outputTokens: row.outputTokens + usage.outputTokens,
    costCents: row.costCents + usage.costCents,
    usageEstimated: row.usageEstimated || usage.estimated,
  }),
  'run.ended': (row, { status, response, output, failure, usage, at }) => {
    const { estimated: usageEstimated, ...used } = usage;
    return { ...row, status, response, output, failure, ...used, usageEstimated, endedAt: at };
  },
};

function withoutPending(row: RunRow, { approvalId }: { readonly approvalId: string }): RunRow {
  return { ...row, pendingApprovalIds: row.pendingApprovalIds.filter((id) => id !== approvalId) };
}
