import { erasedText, wordsOr, type Erased } from '../erased.js';
import type { ParleyUIChunk, ApprovalDescriptor, ChatMetadata } from './message.js';
import { writeCursor, type ShownText } from './cursor.js';

/** A message of the agent that is shown before it is recorded. */
export interface OpenText extends ShownText {
  /** Whether all text so far was received; otherwise the remainder waits for the recorded message. */
  readonly isFollowed: boolean;
}

export interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly approvalId: string | null;
  readonly isReturned: boolean;
}

export interface AskedApproval {
  readonly toolCallId: string;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired';
}

/** The state folded from a run's frames: everything that the next frame needs. */
export interface RunState {
  readonly runId: string;
  readonly startedSeq: number;
  /** The newest durable frame that was read. */
  readonly seq: number;
  readonly startedAt: string;
  readonly status: ChatMetadata['status'];
  readonly failure: ChatMetadata['failure'];
  readonly truncated: boolean;
  readonly automationId: string | null;
  /** `live`: text of the step was received; `recorded`: its `agent.step` was, and later text belongs to the next step. */
  readonly step: 'none' | 'live' | 'recorded';
  readonly open: readonly OpenText[];
  /** Whether a message that begins now is received from its first word. */
  readonly follows: boolean;
  readonly calls: Readonly<Record<string, Call>>;
  readonly approvals: Readonly<Record<string, AskedApproval>>;
  readonly operations: Readonly<Record<string, { readonly approvalId: string | null; readonly isSettled: boolean }>>;
}

/** The parts of an approval that its request for consent consists of; every answer of `approvals.get` has them. */
export interface ReadApproval {
  readonly fingerprint: string;
  readonly summary: string | Erased;
  readonly terms: ApprovalDescriptor['terms'] | Erased;
  readonly input: unknown;
  readonly contract: unknown;
  readonly toolCallId?: string | null;
}

/** Information that frames alone do not contain. */
export interface FrameContext {
  /** Approvals as they were read, by id. */
  readonly approvals: ReadonlyMap<string, ReadApproval>;
  /** Frames after this `seq` were recorded while the stream was open, so that live frames after them are complete. */
  readonly liveAfter: number;
}

/** A step of the fold: the new state, and the chunks to send. */
export interface Told {
  readonly state: RunState;
  readonly chunks: readonly ParleyUIChunk[];
}

export const noContext: FrameContext = { approvals: new Map(), liveAfter: Number.POSITIVE_INFINITY };

export function initialRun(runId: string): RunState {
  return {
    runId,
    startedSeq: 0,
    seq: 0,
    startedAt: '',
    status: 'running',
    failure: null,
    truncated: false,
    automationId: null,
    step: 'none',
    open: [],
    follows: false,
    calls: {},
    approvals: {},
    operations: {},
  };
}

/** Runs both steps in order: `next` gets the state after the first one. */
export function andThen(told: Told, next: (state: RunState) => Told): Told {
  const { state, chunks } = next(told.state);
  return { state, chunks: [...told.chunks, ...chunks] };
}

export function silent(state: RunState): Told {
  return { state, chunks: [] };
}

/** Returns the exact position in the stream. */
export function cursorOf({ startedSeq, seq, open }: RunState): string {
  return writeCursor({ startedSeq, seq, shown: open });
}

export function metadataOf(state: RunState): ChatMetadata {
  const { runId, status, startedAt, failure, truncated, automationId } = state;
  return {
    runId,
    cursor: cursorOf(state),
    status,
    startedAt,
    ...(failure != null && { failure }),
    ...(truncated && { truncated }),
    ...(automationId !== null && { automationId }),
  };
}

/** Whether no more chunks follow without a decision: the run is over, or waits for consent. */
export function isAtRest(state: RunState): boolean {
  if (isOver(state)) return true;
  return (
    state.status === 'awaiting_approval' && Object.values(state.approvals).some(({ status }) => status === 'pending')
  );
}

/** Whether the run has ended. */
export function isOver({ status }: RunState): boolean {
  return status === 'completed' || status === 'failed' || status === 'aborted';
}

/** Whether every transfer of the run is settled or failed. */
export function isSettled({ operations }: RunState): boolean {
  return Object.values(operations).every((operation) => operation.isSettled);
}

/** Describes an approval from its reading; from the frame alone if it could not be read. */
export function descriptorOf(
  opened: Pick<ApprovalDescriptor, 'approvalId' | 'kind' | 'tool' | 'fingerprint' | 'expiresAt'>,
  input: unknown,
  read: ReadApproval | undefined,
): ApprovalDescriptor {
  const { approvalId, kind, tool, fingerprint, expiresAt } = opened;
  const named = { approvalId, kind, tool, fingerprint, expiresAt };
  if (read === undefined) return { ...named, summary: null, terms: [], input, contract: null };
  // The fingerprint must match what is shown, so both are taken from the same reading.
  const { fingerprint: readFingerprint, contract } = read;
  const summary = wordsOr(read.summary, erasedText);
  const terms = wordsOr(read.terms, []);
  return { ...named, fingerprint: readFingerprint, summary, terms, input: read.input, contract };
}
