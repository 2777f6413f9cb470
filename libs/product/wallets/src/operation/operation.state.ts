import { evolveApproval, openedApproval, type ApprovalState } from '@app/consent';
import { notBegun, unreachable, type Instant } from '@app/kernel';
import type { OperationEvent, OperationTerms } from './operation.events';
import type { Delivered, OperationFailure, Revocation, Submission } from '../provider/submission';

export const operationStatuses = [
  'prepared',
  'submitted',
  'settled',
  'failed',
  'expired',
  'denied',
  'unresolved',
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

export const actionStatuses = ['pending', 'submitted', 'settled', 'refunded', 'failed'] as const;
export type ActionStatus = (typeof actionStatuses)[number];

/** The state of a financial operation, folded from its stream. */
export interface OperationState {
  readonly terms: OperationTerms;
  /** `submitted` from the moment its use is recorded. */
  readonly status: OperationStatus;
  /** The approval of a direct withdrawal; null for an agent's transfer, which was approved in its conversation. */
  readonly approval: ApprovalState | null;
  /** One for each action of the contract, in order. */
  readonly actions: readonly ActionState[];
  /** When the current action's turn began: at the use, or at the settlement of the previous action. */
  readonly turnAt: Instant | null;
  readonly failure: OperationFailure | null;
}

export interface ActionState {
  /** `submitted` once the provider has accepted it. */
  readonly status: ActionStatus;
  /** The last journaled submission. */
  readonly submission: Submission | null;
  /** Worth of the last journaled submission (see `JournaledSubmission`). */
  readonly worthUsd: string | null;
  /** The provider's name for it, once accepted. */
  readonly providerReference: string | null;
  /** Why the provider refused the last journaled submission; not final. */
  readonly refusal: OperationFailure | null;
  /** The journaled revocation of the submission. */
  readonly revocation: Revocation | null;
  /** The amounts that the provider reported at its end; null until then. */
  readonly delivered: Delivered | null;
}

/** The action whose turn it is. */
export interface CurrentAction extends ActionState {
  readonly index: number;
}

const untouched: ActionState = {
  status: 'pending',
  submission: null,
  worthUsd: null,
  providerReference: null,
  refusal: null,
  revocation: null,
  delivered: null,
};

/** The action to be completed next; null when the operation has not begun or is over. */
export function currentAction(state: OperationState | null): CurrentAction | null {
  if (state === null || !isUnderWay(state)) return null;
  const index = state.actions.findIndex(({ status }) => status !== 'settled');
  const action = state.actions[index];
  return action === undefined ? null : { index, ...action };
}

/** Whether money may be moving: it was used, and is neither settled nor failed. */
export function isUnderWay({ status }: OperationState): boolean {
  return status === 'submitted' || status === 'unresolved';
}

/** The state after one more event; null until there is an operation. */
export function evolveOperation(state: OperationState | null, event: OperationEvent): OperationState {
  if (event.type === 'operation.prepared' || event.type === 'operation.used') return beginOperation(event);
  return state === null ? notBegun(event) : evolveBegun(state, event);
}

type BeginEvent = Extract<OperationEvent, { readonly type: 'operation.prepared' | 'operation.used' }>;

function beginOperation(event: BeginEvent): OperationState {
  const { type, at, ...terms } = event;
  return {
    terms,
    status: type === 'operation.used' ? 'submitted' : 'prepared',
    approval: null,
    actions: terms.contract.actions.map(() => untouched),
    turnAt: type === 'operation.used' ? at : null,
    failure: null,
  };
}

function evolveBegun(state: OperationState, event: Exclude<OperationEvent, BeginEvent>): OperationState {
  if ('index' in event) return evolveAction(state, event);
  switch (event.type) {
    case 'approval.opened':
      return { ...state, approval: openedApproval(event) };
    case 'approval.decided':
    case 'approval.expired':
      return evolveDecided(state, event);
    case 'operation.confirmed':
      return { ...state, status: 'submitted', turnAt: event.at };
    case 'operation.settled':
      return { ...state, status: 'settled' };
    case 'operation.failed':
      return { ...state, status: 'failed', failure: event.failure };
    case 'operation.unresolved':
      return { ...state, status: 'unresolved' };
    default:
      return unreachable(event);
  }
}

function evolveAction(
  state: OperationState,
  event: Extract<OperationEvent, { readonly index: number }>,
): OperationState {
  switch (event.type) {
    case 'submission.journaled':
      return withAction(state, event.index, { submission: event.submission, worthUsd: event.worthUsd });
    case 'submission.accepted':
      return withAction(state, event.index, { status: 'submitted', providerReference: event.providerReference });
    case 'submission.refused':
      return withAction(state, event.index, { refusal: event.failure });
    case 'revocation.journaled':
      return withAction(state, event.index, { revocation: event.revocation });
    case 'action.settled':
      // The provider has now reported the outcome of an action that was unresolved before.
      return { ...withAction(state, event.index, endOf('settled', event)), status: 'submitted', turnAt: event.at };
    case 'action.refunded':
      return withAction(state, event.index, endOf('refunded', event));
    case 'action.failed':
      return withAction(state, event.index, { status: 'failed' });
    default:
      return unreachable(event);
  }
}

function endOf(status: ActionStatus, { output, returned }: Delivered): Partial<ActionState> {
  return { status, delivered: { output, returned } };
}

type DecidedEvent = Extract<OperationEvent, { readonly type: 'approval.decided' | 'approval.expired' }>;

/** An approval alone does not change the status: `operation.confirmed` follows in the same append. */
function evolveDecided(state: OperationState, event: DecidedEvent): OperationState {
  const approval = state.approval && evolveApproval(state.approval, event);
  if (event.type === 'approval.expired') return { ...state, approval, status: 'expired' };
  return event.status === 'denied' ? { ...state, approval, status: 'denied' } : { ...state, approval };
}

function withAction(state: OperationState, index: number, change: Partial<ActionState>): OperationState {
  const actions = state.actions.map((action, at) => (at === index ? { ...action, ...change } : action));
  return { ...state, actions };
}
