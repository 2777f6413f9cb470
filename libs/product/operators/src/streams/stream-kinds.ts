import { checkpointsKind } from '@app/audit';
import { automationKind, inputKind } from '@app/automations';
import { budgetKind } from '@app/budget';
import { conversationKind } from '@app/conversations';
import { deploymentKind } from '@app/deployment';
import { decodeEvent, idInStream, type DomainEvent, type StoredEvent, type StreamKind } from '@app/event-store';
import type { JsonValue } from '@app/kernel';
import { partnerKeyKind } from '@app/partners';
import { runBindingKind } from '@app/runs';
import { userKind } from '@app/users';
import { operationKind, walletKind } from '@app/wallets';
import { endpointKind } from '@app/webhooks';
import { operatorLogKind } from '../operator-log/operator-log.stream';

/** Folds the events of a stream, in order, with the stream's own decider. */
export interface Folding {
  /** Returns false, and keeps the state, if the decider cannot fold the event, for example because it was altered. */
  take(stored: StoredEvent): boolean;
  state(): JsonValue;
}

interface FoldedKind {
  readonly category: string;
  begin(): Folding;
}

/** Every kind of stream, with its decider. */
const kinds: readonly FoldedKind[] = [
  folded(userKind),
  folded(partnerKeyKind),
  folded(deploymentKind),
  folded(operatorLogKind),
  folded(checkpointsKind),
  folded(budgetKind),
  folded(conversationKind),
  folded(walletKind),
  folded(operationKind),
  folded(runBindingKind),
  folded(automationKind),
  folded(inputKind),
  folded(endpointKind),
];

/** The categories of all streams of this product. */
export const streamCategories: readonly string[] = kinds.map(({ category }) => category);

/** Starts folding a stream's events; null for a stream of none of these kinds. */
export function foldingOf(stream: string): Folding | null {
  return kinds.find((kind) => idInStream(kind, stream) !== null)?.begin() ?? null;
}

function folded<State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>): FoldedKind {
  return {
    category: kind.category,
    begin: () => {
      let state = kind.decider.initialState;
      return {
        take: (stored) => {
          try {
            state = kind.decider.evolve(state, decodeEvent<Event>(kind, stored).event);
            return true;
          } catch {
            return false; // deciders fold whatever this product writes, and nothing else
          }
        },
        // Reason for the assertion: states are JSON, since snapshots of them are stored.
        state: () => JSON.parse(JSON.stringify(state)) as JsonValue,
      };
    },
  };
}
