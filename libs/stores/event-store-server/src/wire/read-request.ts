/** `event_store.client.streams.ReadReq`, decoded by hand because the call itself is most of the cost of reading a few events. */
import { bytesOf, ProtobufReader, varintOf } from './protobuf-reader';
import type { UuidForm } from './read-response';
import { readStreamIdentifier } from './shared-messages';

/** `ReadDirection` of the protocol. */
const BACKWARDS = 1;

/** The start of a read: an event, or one of the ends. */
export type Place = number | 'start' | 'end';

export interface ReadOptions {
  /** Undefined for a read of `$all`. */
  readonly stream: string | undefined;
  readonly from: Place;
  readonly backwards: boolean;
  readonly resolveLinks: boolean;
  readonly count: number;
  readonly isSubscription: boolean;
  readonly filter: FilterOptions | undefined;
  readonly uuids: UuidForm;
}

export interface FilterOptions {
  readonly on: 'stream' | 'type';
  readonly expression: { readonly regex: string; readonly prefixes: readonly string[] } | undefined;
  readonly window: number | undefined;
  readonly checkpointIntervalMultiplier: number;
}

/** Never undefined itself, because grpc-js would take that for no message. */
export interface ReadRequest {
  readonly options: ReadOptions | undefined;
}

/** Throws for bytes that are not such a message. */
export function decodeReadRequest(bytes: Buffer): ReadRequest {
  const reader = new ProtobufReader(bytes);
  let options: ReadOptions | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) options = reader.message(readOptions);
    else reader.skip(tag);
  }
  return { options };
}

type Draft = { -readonly [Member in keyof ReadOptions]: ReadOptions[Member] };

function readOptions(reader: ProtobufReader): ReadOptions {
  const options: Draft = {
    stream: undefined,
    from: 'start',
    backwards: false,
    resolveLinks: false,
    count: 0,
    isSubscription: false,
    filter: undefined,
    uuids: 'string',
  };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) readOption(options, tag, reader);
  return options;
}

/** If options exclude each other, the last one counts. */
function readOption(options: Draft, tag: number, reader: ProtobufReader): void {
  switch (tag) {
    case bytesOf(1):
      return void Object.assign(options, reader.message(readStreamPlace));
    case bytesOf(2):
      return void Object.assign(options, reader.message(readAllPlace));
    case varintOf(3):
      options.backwards = reader.varint() === BACKWARDS;
      return;
    case varintOf(4):
      options.resolveLinks = reader.bool();
      return;
    case varintOf(5):
      [options.count, options.isSubscription] = [reader.varint(), false];
      return;
    case bytesOf(6):
      [options.count, options.isSubscription] = [0, reader.presence()];
      return;
    case bytesOf(7):
      options.filter = reader.message(readFilter);
      return;
    case bytesOf(8):
      options.filter = reader.presence() ? undefined : options.filter;
      return;
    case bytesOf(9):
      options.uuids = reader.message(readUuidForm);
      return;
    default:
      reader.skip(tag);
  }
}

function readStreamPlace(reader: ProtobufReader): Pick<ReadOptions, 'stream' | 'from'> {
  let stream = '';
  let from: Place = 'start';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) stream = reader.message(readStreamIdentifier);
    else if (tag === varintOf(2)) from = reader.varint();
    else if (tag === bytesOf(3) && reader.presence()) from = 'start';
    else if (tag === bytesOf(4) && reader.presence()) from = 'end';
    else reader.skip(tag);
  }
  return { stream, from };
}

function readAllPlace(reader: ProtobufReader): Pick<ReadOptions, 'stream' | 'from'> {
  let from: Place = 'start';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) from = reader.message(readCommitPosition);
    else if (tag === bytesOf(2) && reader.presence()) from = 'start';
    else if (tag === bytesOf(3) && reader.presence()) from = 'end';
    else reader.skip(tag);
  }
  return { stream: undefined, from };
}

function readCommitPosition(reader: ProtobufReader): number {
  let position = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === varintOf(1)) position = reader.varint();
    else reader.skip(tag);
  }
  return position;
}

function readFilter(reader: ProtobufReader): FilterOptions {
  let on: FilterOptions['on'] = 'type';
  let expression: FilterOptions['expression'];
  let window: number | undefined;
  let checkpointIntervalMultiplier = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) [on, expression] = ['stream', reader.message(readExpression)];
    else if (tag === bytesOf(2)) [on, expression] = ['type', reader.message(readExpression)];
    else if (tag === varintOf(3)) window = reader.varint();
    else if (tag === bytesOf(4) && reader.presence()) window = undefined;
    else if (tag === varintOf(5)) checkpointIntervalMultiplier = reader.varint();
    else reader.skip(tag);
  }
  return { on, expression, window, checkpointIntervalMultiplier };
}

function readExpression(reader: ProtobufReader): NonNullable<FilterOptions['expression']> {
  let regex = '';
  const prefixes: string[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) regex = reader.text();
    else if (tag === bytesOf(2)) prefixes.push(reader.text());
    else reader.skip(tag);
  }
  return { regex, prefixes };
}

function readUuidForm(reader: ProtobufReader): UuidForm {
  let form: UuidForm = 'string';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1) && reader.presence()) form = 'structured';
    else if (tag === bytesOf(2) && reader.presence()) form = 'string';
    else reader.skip(tag);
  }
  return form;
}
