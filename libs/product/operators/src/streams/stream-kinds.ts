import { checkpointsKind } from '@app/audit';
import { automationKind, inputKind } from '@app/automations';
import { budgetKind } from '@app/budget';
import { conversationKind } from '@app/conversations';
import { deploymentKind } from '@app/deployment';
import { decodeEvent, idInStream, presentForm } from '@app/event-store';
import type { DomainEvent, StoredEvent, StreamKind } from '@app/event-store';
import type { JsonValue, Marks } from '@app/kernel';
import { partnerKeyKind } from '@app/partners';
import { erasureKind, retentionKind } from '@app/privacy';
import { runBindingKind } from '@app/runs';
import type { SealedFor } from '@app/sealing';
import { identityKind, userKind } from '@app/users';
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
  /** The marks of the members of each event, by its type. */
  readonly members: Marks;
  begin(): Folding;
  /** Returns an event, its words open, in the form that this version stores. */
  present(stored: StoredEvent): StoredEvent;
  /** Starts folding a stream up to the event that says for which user its words are sealed; null where no words are. */
  owner(stream: string): OwnerFold | null;
}

/** Folds the events of a stream, in order. Returns the key that seals its words; null until an event has said for which user. */
export type OwnerFold = (stored: StoredEvent) => SealedFor | null;

/** Every kind of stream, with its decider. */
const kinds: readonly FoldedKind[] = [
  folded(identityKind),
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
  folded(erasureKind),
  folded(retentionKind),
];

/** The marks of the members of all events, by category and type. */
export const marksByCategory: readonly Pick<FoldedKind, 'category' | 'members'>[] = kinds;

/** Returns what is known of a stream's kind; null for a stream of none of these. */
export function kindOf(stream: string): Pick<FoldedKind, 'members' | 'present' | 'owner'> | null {
  return kinds.find((kind) => idInStream(kind, stream) !== null) ?? null;
}

/** The categories of all streams of this product. */
export const streamCategories: readonly string[] = kinds.map(({ category }) => category);

/** Starts folding a stream's events; null for a stream of none of these kinds. */
export function foldingOf(stream: string): Folding | null {
  return kinds.find((kind) => idInStream(kind, stream) !== null)?.begin() ?? null;
}

function folded<State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>): FoldedKind {
  return {
    category: kind.category,
    members: kind.members,
    present: (stored) => presentForm(kind, stored),
    owner: (stream) => ownerFold(kind, stream),
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

function ownerFold<State, Command, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  stream: string,
): OwnerFold | null {
  const { sealedFor, decider } = kind;
  const id = idInStream(kind, stream);
  if (sealedFor === undefined || id === null) return null;
  let state = decider.initialState;
  return (stored) => {
    try {
      state = decider.evolve(state, decodeEvent<Event>(kind, stored).event);
      return sealedFor(id, state);
    } catch {
      return null; // no event has named the user yet, or the stream does not begin with its first event
    }
  };
}
