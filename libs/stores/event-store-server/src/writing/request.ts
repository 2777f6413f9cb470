import type { ExpectedRevision, ProposedEvent } from '../event';
import type { Failure } from '../failure';

interface RequestOf<Kind extends string> {
  readonly kind: Kind;
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Milliseconds since the epoch; afterwards the request is answered with a timeout. `Infinity` when there is none. */
  readonly deadlineMs: number;
}

export interface Append extends RequestOf<'append'> {
  readonly events: readonly ProposedEvent[];
  /** Bytes of data, metadata and types of all events. */
  readonly bytes: number;
}
/** Hides the events of the stream; it can be appended to again. */
export type SoftDelete = RequestOf<'delete'>;
/** Ends the stream forever. */
export type Tombstone = RequestOf<'tombstone'>;

export type WriteRequest = Append | SoftDelete | Tombstone;

export interface Written {
  readonly kind: 'written';
  /** The stream's last revision, -1 when an append of nothing found no stream. */
  readonly revision: number;
  /** Position of the request's last event; after an append of nothing, of the store's last one; undefined for a repeat of hidden events. */
  readonly position: number | undefined;
}

export type WriteResult = Written | Failure;

/** Accepts the writes of the services. */
export interface Writes {
  /** Whether to submit nothing more until there is room. */
  readonly isFull: boolean;
  /** Calls back once when there is room again. */
  onRoom(callback: () => void): void;
  /** `onDone` is called exactly once: after the commit, or with the reason why there is none. */
  submit(request: WriteRequest, onDone: (result: WriteResult) => void): void;
}
