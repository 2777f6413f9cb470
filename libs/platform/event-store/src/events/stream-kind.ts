import type { Decider, Instant, JsonObject, MarksOf } from '@app/kernel';
import type { SealedFor } from '@app/sealing';

/** Members that every stored event has: its public type and the instant of the service clock. */
export interface DomainEvent {
  readonly type: string;
  readonly at: Instant;
}

/**
 * Turns the stored form of an older version of an event into the present one; stored events themselves never change. It gets the public
 * members, and the private ones as well wherever the whole event is read.
 */
export type Upcaster = (stored: JsonObject) => JsonObject;

/**
 * Everything that the store needs to know about one kind of stream.
 * @example
 * const userKind: StreamKind<UserState, UserCommand, UserEvent> = {
 *   category: 'user', decider: userDecider, members: userMembers, sealedFor: sealedForUser, stateVersion: 1,
 * };
 */
export interface StreamKind<State, Command, Event extends DomainEvent> {
  /** Streams are named `<category>-<id>`. */
  readonly category: string;
  readonly decider: Decider<State, Command, Event>;
  /** Members that must not be public, by event type: they are stored in the event's metadata and merged back when folded. */
  readonly privateMembers?: { readonly [Type in Event['type']]?: readonly string[] };
  /** Marks each member of each event as `personal`, which is sealed in the store, or `clear`. */
  readonly members: MarksOf<Event>;
  /**
   * The key that seals the personal members and snapshots of a stream. Needed where there are personal members.
   * @param state after the events that are to be sealed
   */
  readonly sealedFor?: (this: void, id: string, state: State) => SealedFor;
  /**
   * Types of events that are recorded without their words once the key is destroyed, because they end what began before. Events of other
   * types that have words are refused then.
   */
  readonly withoutWords?: readonly Event['type'][];
  /** Keyed by event type; the n-th entry lifts version n to n + 1, so the present version is the list's length + 1. */
  readonly upcasters?: { readonly [type: string]: readonly Upcaster[] };
  /** Raise it whenever the shape of `State` changes: snapshots of another version are ignored. */
  readonly stateVersion: number;
}

export function streamName(kind: { readonly category: string }, id: string): string {
  return `${kind.category}-${id}`;
}

/** The id in a stream's name, or null when the stream is of another category. */
export function idInStream(kind: { readonly category: string }, stream: string): string | null {
  return stream.startsWith(`${kind.category}-`) ? stream.slice(kind.category.length + 1) : null;
}
