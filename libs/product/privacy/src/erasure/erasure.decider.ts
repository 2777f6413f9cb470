import { accept, reject, notFound, unreachable, type Decider, type Decision, type Instant } from '@app/kernel';
import type { ErasureEvent, KeysDestroyed, KeyTable, Purged } from './erasure.events';

/** Money in flight is settled before the keys are destroyed, but not for longer than this, by the service clock. */
export const moneyWaitMs = 24 * 60 * 60 * 1_000;

/**
 * How far an erasure is. `ending`: the account is closed, and money in flight is settled. `purging`: the keys are destroyed, and the rest
 * is removed. `proving`: it is counted what is closed. `incomplete`: an earlier version wrote words in clear.
 */
export const erasureStatuses = ['ending', 'purging', 'proving', 'incomplete', 'completed'] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

export type ErasureCommand =
  | { readonly type: 'RequestErasure'; readonly at: Instant; readonly reason: string }
  | {
      readonly type: 'RecordKeysDestroyed';
      readonly at: Instant;
      readonly keys: KeysDestroyed;
      readonly operationsInFlight: number;
      readonly checkpoint: string | null;
    }
  | { readonly type: 'RecordPurged'; readonly at: Instant; readonly purged: Purged; readonly keyTable: KeyTable }
  | ({ readonly type: 'RecordWordsLeft'; readonly at: Instant } & WordsLeft)
  | {
      readonly type: 'CompleteErasure';
      readonly at: Instant;
      readonly closedEvents: number;
      readonly certificate: string;
    };

/** Events with words in clear, and the first streams with some. */
export interface WordsLeft {
  readonly events: number;
  readonly streams: readonly string[];
  readonly streamsInAll: number;
}

/** The progress of an erasure; null members were not reached yet. */
export interface ErasureState {
  /** Null where nobody has asked for it. */
  readonly status: ErasureStatus | null;
  readonly requestedAt: Instant | null;
  readonly destroyed: Omit<EventOf<'erasure.keys_destroyed'>, 'type'> | null;
  readonly purged: Omit<EventOf<'erasure.purged'>, 'type'> | null;
  readonly wordsLeft: WordsLeft | null;
  readonly completed: Omit<EventOf<'erasure.completed'>, 'type'> | null;
}

type EventOf<Type extends ErasureEvent['type']> = Extract<ErasureEvent, { readonly type: Type }>;

/** The rules of an erasure (docs/decisions/personal-data.md, "Erasure"): each step is recorded once, in this order. */
export const erasureDecider: Decider<ErasureState, ErasureCommand, ErasureEvent> = {
  initialState: {
    status: null,
    requestedAt: null,
    destroyed: null,
    purged: null,
    wordsLeft: null,
    completed: null,
  },

  decide: (command, state) => {
    const { status } = state;
    if (command.type === 'RequestErasure') return request(command, status);
    if (status === null) return reject(notFound);
    switch (command.type) {
      case 'RecordKeysDestroyed': {
        const { at, keys, operationsInFlight, checkpoint } = command;
        return onceIn('ending', state, { type: 'erasure.keys_destroyed', at, keys, operationsInFlight, checkpoint });
      }
      case 'RecordPurged': {
        const { at, purged, keyTable } = command;
        return onceIn('purging', state, { type: 'erasure.purged', at, purged, keyTable });
      }
      case 'RecordWordsLeft': {
        const { at, events, streams, streamsInAll } = command;
        return onceIn('proving', state, { type: 'erasure.words_left', at, events, streams, streamsInAll });
      }
      case 'CompleteErasure': {
        const { at, closedEvents, certificate } = command;
        return onceIn('proving', state, { type: 'erasure.completed', at, closedEvents, certificate });
      }
      default:
        return unreachable(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'erasure.requested':
        return state.status === null
          ? { ...state, status: 'ending', requestedAt: event.at }
          : { ...state, status: 'purging', wordsLeft: null };
      case 'erasure.keys_destroyed':
        return { ...state, status: 'purging', destroyed: factsOf(event) };
      case 'erasure.purged':
        return { ...state, status: 'proving', purged: factsOf(event) };
      case 'erasure.words_left': {
        const { events, streams, streamsInAll } = event;
        return { ...state, status: 'incomplete', wordsLeft: { events, streams, streamsInAll } };
      }
      case 'erasure.completed':
        return { ...state, status: 'completed', completed: factsOf(event) };
      default:
        return unreachable(event);
    }
  },
};

/** A second request changes nothing, unless words were left: then the words are counted again. */
function request(
  { at, reason }: Extract<ErasureCommand, { readonly type: 'RequestErasure' }>,
  status: ErasureStatus | null,
): Decision<ErasureEvent> {
  return status === null || status === 'incomplete' ? accept({ type: 'erasure.requested', at, reason }) : accept();
}

/** A step that another process has recorded already is not recorded again. */
function onceIn(needed: ErasureStatus, { status }: ErasureState, event: ErasureEvent): Decision<ErasureEvent> {
  return status === needed ? accept(event) : accept();
}

function factsOf<Event extends { readonly type: string }>({ type: _, ...facts }: Event): Omit<Event, 'type'> {
  return facts;
}
