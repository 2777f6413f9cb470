/**
 * EventStoreDB's messages that carry events, for busy paths: the client's generated stubs do the same more slowly.
 * Source of the field numbers: `streams.proto` and `shared.proto` of EventStoreDB 23.10.
 */
import { parse } from 'protobufjs';

const { root } = parse(`
  syntax = "proto3";

  message Uuid { string text = 2; }
  message Stream { bytes name = 3; }
  message Empty {}
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }

  message BatchAppendReq {
    Uuid correlationId = 1;
    AppendOptions options = 2;
    repeated ProposedMessage events = 3;
    bool isFinal = 4;
  }
  message AppendOptions { Stream stream = 1; uint64 revision = 2; Empty noStream = 3; Timestamp deadline = 6; }
  message ProposedMessage { Uuid id = 1; map<string, string> system = 2; bytes metadata = 3; bytes data = 4; }

  message ReadReq { ReadOptions options = 1; }
  message ReadOptions {
    StreamOptions stream = 1;
    AllOptions all = 2;
    int32 direction = 3;
    uint64 count = 5;
    Empty subscription = 6;
    FilterOptions filter = 7;
    Empty noFilter = 8;
    UuidOption uuids = 9;
  }
  message StreamOptions { Stream stream = 1; uint64 revision = 2; Empty start = 3; Empty end = 4; }
  message AllOptions { Position position = 1; Empty start = 2; Empty end = 3; }
  message Position { uint64 commit = 1; uint64 prepare = 2; }
  message UuidOption { Empty structured = 1; Empty text = 2; }
  message FilterOptions { Expression streamName = 1; Empty count = 4; uint32 checkpointIntervalMultiplier = 5; }
  message Expression { repeated string prefixes = 2; }

  message ReadResp { ReadEvent event = 1; }
  message ReadEvent { RecordedEvent event = 1; }
  message RecordedEvent {
    Uuid id = 1;
    Stream stream = 2;
    uint64 revision = 3;
    uint64 prepare = 4;
    uint64 commit = 5;
    map<string, string> system = 6;
    bytes metadata = 7;
    bytes data = 8;
  }
`);

type Uuid = { readonly text: string };
type Stream = { readonly name: Uint8Array };
type Empty = Record<never, never>;

/** `event_store.client.streams.BatchAppendReq`; all integers are safe. */
export interface BatchAppendReq {
  readonly correlationId: Uuid;
  readonly options: AppendOptions | null;
  readonly events: readonly ProposedMessage[];
  readonly isFinal: boolean;
}

export interface AppendOptions {
  readonly stream: Stream;
  /** Either a revision or `noStream`. */
  readonly revision: number | null;
  readonly noStream: Empty | null;
  readonly deadline: { readonly seconds: number; readonly nanos: number };
}

export interface ProposedMessage {
  readonly id: Uuid;
  readonly system: Readonly<Record<string, string>>;
  readonly metadata: Uint8Array | null;
  readonly data: Uint8Array;
}

/** `event_store.client.streams.ReadReq.Options`, with one of each pair of alternatives. */
export interface ReadOptions {
  readonly stream?: { readonly stream: Stream; readonly revision?: number; readonly end?: Empty };
  readonly all?: { readonly position?: Position; readonly start?: Empty; readonly end?: Empty };
  /** 0: forwards, 1: backwards. */
  readonly direction: 0 | 1;
  readonly count?: number;
  readonly subscription?: Empty;
  readonly filter?: {
    readonly streamName: { readonly prefixes: readonly string[] };
    readonly count: Empty;
    readonly checkpointIntervalMultiplier: number;
  };
  readonly noFilter?: Empty;
  readonly uuids: { readonly text: Empty };
}

export interface Position {
  readonly commit: number;
  readonly prepare: number;
}

/** A 64-bit integer in a decoded message. */
interface Int64 {
  toBigInt(): bigint;
}

/** `event_store.client.streams.ReadResp.ReadEvent.RecordedEvent`; a field that the message leaves out is empty, or null. */
export interface RecordedEvent {
  readonly id: Uuid | null;
  readonly stream: Stream | null;
  readonly revision: Int64;
  readonly prepare: Int64;
  readonly commit: Int64;
  readonly system: Readonly<Record<string, string>>;
  readonly metadata: Uint8Array;
  readonly data: Uint8Array;
}

const batchAppendReq = root.lookupType('BatchAppendReq');
const readReq = root.lookupType('ReadReq');
const readResp = root.lookupType('ReadResp');

export function encodeBatchAppendReq(request: BatchAppendReq): Buffer {
  return asBuffer(batchAppendReq.encode(request).finish());
}

export function encodeReadReq(options: ReadOptions): Buffer {
  return asBuffer(readReq.encode({ options }).finish());
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The event in an answer to a read, its bytes being views of the answer's; null when there is none. @throws for bytes that are not a
 * message
 */
export function recordedEventOf(answer: Uint8Array): RecordedEvent | null {
  // Reason for the assertion: the type is the description above, which the library knows at run time only.
  const { event } = readResp.decode(answer) as { readonly event?: { readonly event?: RecordedEvent | null } | null };
  const recorded = event?.event ?? null;
  return recorded && Object.assign(recorded, { data: bytesIn(recorded.data), metadata: bytesIn(recorded.metadata) });
}

const noBytes = Buffer.alloc(0);

/** The library returns an empty array for bytes that a message leaves out. */
function bytesIn(value: Uint8Array | readonly never[]): Uint8Array {
  return value instanceof Uint8Array ? value : noBytes;
}
