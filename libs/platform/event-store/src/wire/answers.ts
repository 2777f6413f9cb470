/**
 * Decodes EventStoreDB's answers to reads, subscriptions and appends straight from their bytes.
 * Source of the field numbers: `streams.proto` and `shared.proto` of EventStoreDB 23.10.
 */
import { ProtobufReader } from './protobuf-reader';

/** An event as the server sent it; a field that the message leaves out is empty or 0. */
export interface ReceivedEvent {
  kind: 'event';
  stream: string;
  revision: number;
  /** Position in the whole store. */
  position: number;
  id: string;
  type: string;
  /** Whether the server marks `data` as JSON. */
  isJson: boolean;
  /** The stored bytes. Like `metadata`, a view of the message that they arrived in. */
  data: Buffer;
  metadata: Buffer;
}

/** The server has searched the store up to this position. */
interface Checkpoint {
  readonly kind: 'checkpoint';
  readonly position: number;
}

/**
 * Content of an answer to a read or a subscription. `missing`: the stream does not exist, or was soft-deleted. `nothing`: a confirmation or
 * the like.
 */
export type ReadAnswer = ReceivedEvent | Checkpoint | { readonly kind: 'missing' | 'nothing' };

const nothing: ReadAnswer = { kind: 'nothing' };
const noBytes = Buffer.alloc(0);

const readResp = { event: 1, checkpoint: 3, streamNotFound: 4 } as const;

/** @throws RangeError for bytes that are not a `ReadResp` */
export function readAnswer(bytes: Buffer): ReadAnswer {
  const fields = new ProtobufReader(bytes);
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === readResp.event) return resolvedEvent(fields.message()) ?? nothing;
    if (field === readResp.checkpoint) return { kind: 'checkpoint', position: commitPosition(fields.message()) };
    if (field === readResp.streamNotFound) return { kind: 'missing' };
  }
  return nothing;
}

/** The event itself or, if links are resolved, the target of its link; null when the target is gone. */
function resolvedEvent(fields: ProtobufReader): ReceivedEvent | null {
  return fields.seek(1) ? recordedEvent(fields.message()) : null;
}

const recorded = { id: 1, stream: 2, revision: 3, commit: 5, system: 6, metadata: 7, data: 8 } as const;

function recordedEvent(fields: ProtobufReader): ReceivedEvent {
  const none = {
    stream: '',
    revision: 0,
    position: 0,
    id: '',
    type: '',
    isJson: false,
    data: noBytes,
    metadata: noBytes,
  };
  const event: ReceivedEvent = { kind: 'event', ...none };
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === recorded.id) event.id = uuid(fields.message());
    else if (field === recorded.stream) event.stream = streamName(fields.message());
    else if (field === recorded.revision) event.revision = fields.number();
    else if (field === recorded.commit) event.position = fields.number();
    else if (field === recorded.system) takeSystem(event, fields.message());
    else if (field === recorded.metadata) event.metadata = fields.content();
    else if (field === recorded.data) event.data = fields.content();
  }
  return event;
}

/** Reads one entry of the server's own metadata of an event: its type, its content type or its creation time. */
function takeSystem(event: ReceivedEvent, fields: ProtobufReader): void {
  let [name, value] = ['', ''];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) name = fields.text();
    else if (field === 2) value = fields.text();
  }
  if (name === 'type') event.type = value;
  else if (name === 'content-type') event.isJson = value === 'application/json';
}

function streamName(fields: ProtobufReader): string {
  return fields.seek(3) ? fields.text() : '';
}

/** Commit position of a checkpoint, or of any other position in the whole store. */
function commitPosition(fields: ProtobufReader): number {
  return fields.seek(1) ? fields.number() : 0;
}

/** Canonical lower-case text of a UUID in either of its forms; empty when there is none. */
function uuid(fields: ProtobufReader): string {
  const form = fields.next();
  if (form === 2) return fields.text().toLowerCase();
  return form === 1 ? structuredUuid(fields.message()) : '';
}

function structuredUuid(fields: ProtobufReader): string {
  const halves = [0n, 0n];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1 || field === 2) halves[field - 1] = fields.int64();
  }
  const hex = halves.map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Revision and position of the last event of an append. */
export interface Place {
  readonly revision: number;
  readonly position: number;
}

/** The answer to one append, identified by its correlation id; `place` is null when the append was refused. */
export interface AppendAnswer {
  readonly correlationId: string;
  readonly place: Place | null;
}

const batchAppendResp = { correlationId: 1, success: 3 } as const;

/** @throws RangeError for bytes that are not a `BatchAppendResp` */
export function appendAnswer(bytes: Buffer): AppendAnswer {
  const fields = new ProtobufReader(bytes);
  let [correlationId, place]: [string, Place | null] = ['', null];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === batchAppendResp.correlationId) correlationId = uuid(fields.message());
    else if (field === batchAppendResp.success) place = placeOf(fields.message());
  }
  return { correlationId, place };
}

const success = { revision: 1, position: 3 } as const;

function placeOf(fields: ProtobufReader): Place {
  let [revision, position] = [0, 0];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === success.revision) revision = fields.number();
    else if (field === success.position) position = commitPosition(fields.message());
  }
  return { revision, position };
}
