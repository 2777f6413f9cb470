import { accept, reject, unreachable, type Decider, type Instant } from '@app/kernel';
import type { Intent, OperatorLogEvent, Read } from './operator-log.events';

export type OperatorLogCommand =
  | { readonly type: 'Intend'; readonly intent: Intent }
  | { readonly type: 'Complete'; readonly at: Instant; readonly intentId: string; readonly outcome: string }
  | { readonly type: 'Look'; readonly read: Read };

export interface OperatorLogState {
  /** Intents that are not completed, in the order in which they were logged. */
  readonly pending: readonly Intent[];
}

/**
 * Maximum number of changes of one operation in flight; those left by crashes are completed within seconds. Each operation has room of its
 * own, so that changes that wait for a store or for a lock never block another operation: a pause, a freeze or a revocation.
 */
export const pendingMax = 100;
/** Maximum number of those that have one target: asking again for the same must not take the room of others. */
export const pendingOfOneMax = 10;
const retryAfterSeconds = 5;

/** The rules of the operators' log (docs/decisions/operators.md): a change is logged before it is made, and after. */
export const operatorLogDecider: Decider<OperatorLogState, OperatorLogCommand, OperatorLogEvent> = {
  initialState: { pending: [] },

  decide: (command, { pending }) => {
    switch (command.type) {
      case 'Intend':
        if (!hasRoom(pending, command.intent))
          return reject({ kind: 'reason', reason: 'rate_limited', retryAfterSeconds });
        return accept({ type: 'operator.intended', ...command.intent });
      case 'Complete': {
        const { at, intentId, outcome } = command;
        const isPending = pending.some((intent) => intent.intentId === intentId);
        return isPending ? accept({ type: 'operator.completed', at, intentId, outcome }) : accept();
      }
      case 'Look':
        return accept({ type: 'operator.read', ...command.read });
      default:
        return unreachable(command);
    }
  },

  evolve: (state, event) => {
    const { pending } = state;
    switch (event.type) {
      case 'operator.intended': {
        const { type: _, ...intent } = event;
        return { pending: [...pending, intent] };
      }
      case 'operator.completed':
        return { pending: pending.filter(({ intentId }) => intentId !== event.intentId) };
      case 'operator.read':
        return state;
      default:
        return unreachable(event);
    }
  },
};

function hasRoom(pending: readonly Intent[], { operation, target }: Intent): boolean {
  const alike = pending.filter((other) => other.operation === operation);
  const ofTarget = alike.filter((other) => other.target === target);
  return alike.length < pendingMax && ofTarget.length < pendingOfOneMax;
}
