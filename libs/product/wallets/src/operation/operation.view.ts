import type { ContractAction } from '@app/consent';
import { idInStream, type Recorded } from '@app/event-store';
import { unreachable } from '@app/kernel';
import type { OperationEvent } from './operation.events';
import type { TokenAmount } from '../provider/submission';
import type { OperationAction, OperationView } from './operation.schema';
import { operationKind } from './operation.stream';

/** An operation as its events have made it so far, with its owner and position. */
export interface ProjectedOperation extends OperationView {
  readonly userId: string;
  /** Position of its first event. */
  readonly openedPosition: number;
  readonly position: number;
}

/** The operation folded from its events, as the API returns it; null if they do not begin as an operation does. */
export function operationView(events: readonly Recorded<OperationEvent>[]): OperationView | null {
  const projected = events.reduce<ProjectedOperation | null>(projectOperation, null);
  if (projected === null) return null;
  const { userId: _, openedPosition: __, position: ___, ...view } = projected;
  return view;
}

/** The operation after one more event. */
export function projectOperation(
  before: ProjectedOperation | null,
  { stream, position, event }: Recorded<OperationEvent>,
): ProjectedOperation | null {
  if (event.type === 'operation.prepared' || event.type === 'operation.used') {
    const id = idInStream(operationKind, stream);
    return id === null ? before : { id, ...begun(event), openedPosition: position, position };
  }
  return before && { ...before, ...after(before, event), updatedAt: event.at, position };
}

type BeginEvent = Extract<OperationEvent, { readonly type: 'operation.prepared' | 'operation.used' }>;

function begun(event: BeginEvent): Omit<ProjectedOperation, 'id' | 'openedPosition' | 'position'> {
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

/** The input of an action, if the contract fixes it exactly. */
function fixedInput({ input, quantity }: ContractAction): TokenAmount | null {
  if (!('pinned' in input) || quantity.kind !== 'exact_input_tokens') return null;
  return { tokenId: input.pinned.tokenId, amountRaw: quantity.amountRaw };
}

/** The change that an event makes to an operation. */
function after(operation: ProjectedOperation, event: Exclude<OperationEvent, BeginEvent>): Partial<ProjectedOperation> {
  if ('index' in event) return afterAction(operation, event);
  switch (event.type) {
    case 'approval.opened':
      return {};
    case 'approval.decided':
      // An approval is followed by `operation.confirmed` in the same append.
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

/** The change that an event makes to one action. */
function afterAction(
  operation: ProjectedOperation,
  event: Extract<OperationEvent, { readonly index: number }>,
): Partial<ProjectedOperation> {
  switch (event.type) {
    case 'submission.refused': // only the final answer ends the action
    case 'revocation.journaled':
      return {};
    case 'submission.journaled': {
      const { input, output, leastOutput } = event.submission;
      return actionChanged(operation, event.index, { status: 'submitted', input, output, leastOutput });
    }
    case 'submission.accepted':
      return actionChanged(operation, event.index, { providerReference: event.providerReference });
    case 'action.settled': {
      const { index, output, returned } = event;
      // The provider has now reported the outcome of an action that was unresolved before.
      return { ...actionChanged(operation, index, { status: 'settled', output, returned }), status: 'submitted' };
    }
    case 'action.refunded': {
      const { index, output, returned } = event;
      return actionChanged(operation, index, { status: 'refunded', output, returned });
    }
    case 'action.failed':
      return actionChanged(operation, event.index, { status: 'failed', output: null });
    default:
      return unreachable(event);
  }
}

function actionChanged(
  { actions }: ProjectedOperation,
  index: number,
  change: Partial<OperationAction>,
): Pick<ProjectedOperation, 'actions'> {
  return { actions: actions.map((action) => (action.index === index ? { ...action, ...change } : action)) };
}
