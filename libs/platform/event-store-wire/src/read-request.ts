/** `event_store.client.streams.ReadReq`: a read or a subscription. The call itself is most of the cost of reading a few events. */
import { allOptions, expression, filterOptions, readOptions, readReq, streamOptions, uuidOption } from './fields';
import { ProtobufReader } from './protobuf-reader';
import { bytesField, message, presence, varintField } from './protobuf-writer';
import { positionField, readCommitPosition, readStreamIdentifier, streamIdentifierField } from './shared-messages';

export type Direction = 'forwards' | 'backwards';

/** `ReadDirection` of the protocol. */
const directions = { forwards: 0, backwards: 1 } as const;

/** The start of a read: an event, or one of the ends. */
export type ReadStart = number | 'start' | 'end';

const textUuids = message(readOptions.uuids, [presence(uuidOption.text)]);
const unfiltered = [presence(readOptions.noFilter), textUuids];

/** Reads one stream, from a revision (inclusive) or from its end. @throws RangeError for a revision that no stream has */
export function readOfStream(stream: string, from: number | 'end', maxCount: number, direction: Direction): Buffer {
  if (from !== 'end' && !(from >= 0)) throw new RangeError(`${from} is not a revision to read ${stream} from`);
  const options = [
    streamIdentifierField(streamOptions.stream, stream),
    from === 'end' ? presence(streamOptions.end) : varintField(streamOptions.revision, from),
  ];
  return encodeRead(message(readOptions.stream, options), maxCount, direction);
}

/** Reads all streams: forwards from a position (inclusive), backwards from before it. */
export function readOfAll(from: ReadStart, maxCount: number, direction: Direction): Buffer {
  return encodeRead(message(readOptions.all, [startInAll(from)]), maxCount, direction);
}

function encodeRead(selected: Buffer, maxCount: number, direction: Direction): Buffer {
  return message(readReq.options, [
    selected,
    varintField(readOptions.direction, directions[direction]),
    varintField(readOptions.count, maxCount),
    ...unfiltered,
  ]);
}

/**
 * Subscribes to the streams of these categories, after a position (0: from the start). The server reports how far it has searched after
 * every `checkpointInterval` search windows.
 */
export function subscriptionTo(categories: readonly string[], after: number, checkpointInterval: number): Buffer {
  const prefixes = categories.map((category) => bytesField(expression.prefixes, Buffer.from(`${category}-`)));
  return message(readReq.options, [
    message(readOptions.all, [startInAll(after === 0 ? 'start' : after)]),
    presence(readOptions.subscription),
    message(readOptions.filter, [
      message(filterOptions.streamName, prefixes),
      presence(filterOptions.count),
      varintField(filterOptions.checkpointIntervalMultiplier, checkpointInterval),
    ]),
    textUuids,
  ]);
}

/** An event's commit and prepare positions are equal, unless an old client wrote it in a transaction. */
function startInAll(from: ReadStart): Buffer {
  if (typeof from !== 'number') return presence(from === 'start' ? allOptions.start : allOptions.end);
  return positionField(allOptions.position, from);
}

/** The form in which a client wants UUIDs; the official Node client asks for `string`. */
export type UuidForm = 'string' | 'structured';

export interface ReadOptions {
  /** Undefined for a read of `$all`. */
  readonly stream: string | undefined;
  readonly from: ReadStart;
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
    if (tag === readReq.options) options = reader.message(readEachOption);
    else reader.skip(tag);
  }
  return { options };
}

type Draft = { -readonly [Member in keyof ReadOptions]: ReadOptions[Member] };

function readEachOption(reader: ProtobufReader): ReadOptions {
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
    case readOptions.stream:
      return void Object.assign(options, reader.message(readStreamStart));
    case readOptions.all:
      return void Object.assign(options, reader.message(readAllStart));
    case readOptions.direction:
      options.backwards = reader.varint() === directions.backwards;
      return;
    case readOptions.resolveLinks:
      options.resolveLinks = reader.bool();
      return;
    case readOptions.count:
      [options.count, options.isSubscription] = [reader.varint(), false];
      return;
    case readOptions.subscription:
      [options.count, options.isSubscription] = [0, reader.presence()];
      return;
    case readOptions.filter:
      options.filter = reader.message(readFilter);
      return;
    case readOptions.noFilter:
      options.filter = reader.presence() ? undefined : options.filter;
      return;
    case readOptions.uuids:
      options.uuids = reader.message(readUuidForm);
      return;
    default:
      reader.skip(tag);
  }
}

function readStreamStart(reader: ProtobufReader): Pick<ReadOptions, 'stream' | 'from'> {
  let stream = '';
  let from: ReadStart = 'start';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === streamOptions.stream) stream = reader.message(readStreamIdentifier);
    else if (tag === streamOptions.revision) from = reader.varint();
    else if (tag === streamOptions.start && reader.presence()) from = 'start';
    else if (tag === streamOptions.end && reader.presence()) from = 'end';
    else reader.skip(tag);
  }
  return { stream, from };
}

function readAllStart(reader: ProtobufReader): Pick<ReadOptions, 'stream' | 'from'> {
  let from: ReadStart = 'start';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === allOptions.position) from = reader.message(readCommitPosition);
    else if (tag === allOptions.start && reader.presence()) from = 'start';
    else if (tag === allOptions.end && reader.presence()) from = 'end';
    else reader.skip(tag);
  }
  return { stream: undefined, from };
}

function readFilter(reader: ProtobufReader): FilterOptions {
  let on: FilterOptions['on'] = 'type';
  let expression: FilterOptions['expression'];
  let window: number | undefined;
  let checkpointIntervalMultiplier = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === filterOptions.streamName) [on, expression] = ['stream', reader.message(readExpression)];
    else if (tag === filterOptions.eventType) [on, expression] = ['type', reader.message(readExpression)];
    else if (tag === filterOptions.max) window = reader.varint();
    else if (tag === filterOptions.count && reader.presence()) window = undefined;
    else if (tag === filterOptions.checkpointIntervalMultiplier) checkpointIntervalMultiplier = reader.varint();
    else reader.skip(tag);
  }
  return { on, expression, window, checkpointIntervalMultiplier };
}

function readExpression(reader: ProtobufReader): NonNullable<FilterOptions['expression']> {
  let regex = '';
  const prefixes: string[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === expression.regex) regex = reader.text();
    else if (tag === expression.prefixes) prefixes.push(reader.text());
    else reader.skip(tag);
  }
  return { regex, prefixes };
}

function readUuidForm(reader: ProtobufReader): UuidForm {
  let form: UuidForm = 'string';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === uuidOption.structured && reader.presence()) form = 'structured';
    else if (tag === uuidOption.text && reader.presence()) form = 'string';
    else reader.skip(tag);
  }
  return form;
}
