import type { ApprovalEvent } from '@app/consent';
import { unreachable } from '@app/kernel';
import type { OperationEvent } from './operation.events';
import { currentAction, isUnderWay } from './operation.state';
import type { ActionState, CurrentAction, OperationState } from './operation.state';
import { maySubmit } from './submission/submission.decider';

type ActionEvent = Extract<OperationEvent, { readonly index: number }>;
type EndEvent = Extract<OperationEvent, { readonly type: 'operation.settled' | 'operation.failed' }>;
type ApprovalPart = ApprovalEvent | Extract<OperationEvent, { readonly type: 'operation.confirmed' }>;

/**
 * Whether the decider can have recorded an event of this type in this state. The fold applies every event, so a stream that
 * something else wrote into can begin an operation again, or end an action twice.
 * @param state before the event; null before the first one
 */
export function mayFollow(state: OperationState | null, event: OperationEvent): boolean {
  if (event.type === 'operation.prepared' || event.type === 'operation.used') return state === null;
  if (state === null) return false;
  if ('index' in event) return mayFollowInAction(state, event);
  if (event.type === 'operation.unresolved')
    return state.status !== 'unresolved' && currentAction(state)?.submission != null;
  return event.type === 'operation.settled' || event.type === 'operation.failed'
    ? mayEnd(state, event)
    : mayFollowInApproval(state, event);
}

/** An operation ends once all of its actions have settled, or one of them has not. */
function mayEnd(state: OperationState, { type }: EndEvent): boolean {
  const { actions } = state;
  if (type === 'operation.settled') return isUnderWay(state) && actions.every(({ status }) => status === 'settled');
  return isUnderWay(state) && actions.some(isLost);
}

/** A direct withdrawal is prepared, opened, decided and confirmed, in this order. */
function mayFollowInApproval({ status, approval }: OperationState, { type }: ApprovalPart): boolean {
  if (status !== 'prepared') return false;
  switch (type) {
    case 'approval.opened':
      return approval === null;
    case 'approval.decided':
    case 'approval.expired':
      return approval?.status === 'pending';
    case 'operation.confirmed':
      return approval?.status === 'approved';
    default:
      return unreachable(type);
  }
}

/** Only the current action has events, and none after its end. */
function mayFollowInAction(state: OperationState, event: ActionEvent): boolean {
  const action = currentAction(state);
  if (action?.index !== event.index || isLost(action)) return false;
  switch (event.type) {
    case 'submission.journaled':
      return maySubmit(state, event.index);
    case 'submission.accepted':
      return isUnanswered(action);
    case 'submission.refused':
      return isUnanswered(action) && action.refusal === null;
    case 'revocation.journaled':
      return isUnanswered(action) && action.refusal !== null && action.revocation === null;
    case 'action.settled':
    case 'action.refunded':
      return action.providerReference !== null;
    case 'action.failed':
      return true;
    default:
      return unreachable(event);
  }
}

function isLost({ status }: ActionState): boolean {
  return status === 'failed' || status === 'refunded';
}

/** Whether something was sent that the provider has not accepted. */
function isUnanswered({ submission, providerReference }: CurrentAction): boolean {
  return submission !== null && providerReference === null;
}
