import { hash } from 'node:crypto';
import { isSystemEvent, streamName, type ReceivedEvent } from '@app/event-store';
import { entryBytes, type Hash, type LogEntry } from '@app/transparency';
import { checkpointsId, checkpointsKind } from '../checkpoints/checkpoints.stream';

/** An event with its bytes as stored. */
export type EventBytes = Readonly<Pick<ReceivedEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'>>;

/** An event's bytes with its position in the whole store. */
export type StoredBytes = EventBytes & { readonly position: number };

/** The stream in which the log keeps its checkpoints. */
export const checkpointsStream = streamName(checkpointsKind, checkpointsId);

/** Whether the log covers an event: all but the checkpoints, and the server's own in any stream (tombstones, links, metadata). */
export function isCovered(event: Pick<ReceivedEvent, 'stream' | 'type'>): boolean {
  return !isSystemEvent(event) && event.stream !== checkpointsStream;
}

/** Whether the log covers a stream. */
export function isLogged(stream: string): boolean {
  return !stream.startsWith('$') && stream !== checkpointsStream;
}

/** Whether only older versions made a leaf of it: a link in a stream that is not the server's own. */
export function wasCovered({ stream, type }: Pick<ReceivedEvent, 'stream' | 'type'>): boolean {
  return type.startsWith('$') && type !== tombstoneType && isLogged(stream);
}

/** The event that ends a stream permanently. Its revision is 2^63 - 1. Source: EventStoreDB, "Deleting streams". */
const tombstoneType = '$streamDeleted';

/** The log entry of an event, computed over the stored bytes. */
export function entryOf({ stream, revision, id, type, data, metadata }: EventBytes): LogEntry {
  const [dataSha256, metadataSha256] = [hash('sha256', data, 'hex'), hash('sha256', metadata, 'hex')];
  return { stream, revision, id, type, dataSha256, metadataSha256 };
}

const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)];

/** The leaf hash of an entry. */
export function leafOf(entry: LogEntry): Hash {
  return leafHashOf(entryBytes(entry));
}

/** The same as `leafHash` of `@app/transparency`, with Node's hash function, which is several times as fast. */
export function leafHashOf(bytes: Uint8Array): Hash {
  return hash('sha256', Buffer.concat([leafPrefix, bytes]), 'buffer');
}

/** A node over two others: the same as `nodeHash` of `@app/transparency`, also with Node's hash function. */
export function nodeOf(left: Hash, right: Hash): Hash {
  return hash('sha256', Buffer.concat([nodePrefix, left, right]), 'buffer');
}
