/** Decoding by hand must match what the client's own stubs encode and decode. */
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import {
  expectRefusalOfWrongBytes,
  expectSameMeaning,
  identifiers,
  integers,
  optional,
  texts,
} from '@app/testing/event-store';
import fc from 'fast-check';
import { readReq } from './fields';
import { readStreamName } from './generated-messages';
import { message } from './protobuf-writer';
import { decodeReadRequest, type FilterOptions, type ReadOptions } from './read-request';

const directions = fc.constantFrom(ReadReq.Options.ReadDirection.FORWARDS, ReadReq.Options.ReadDirection.BACKWARDS);
const places = fc.oneof(integers, fc.constantFrom('start', 'end', 'unsaid'));
const streamOptions = fc.record({ stream: identifiers, place: places }).map(({ stream, place }) => {
  const options = new ReadReq.Options.StreamOptions();
  options.setStreamIdentifier(stream);
  if (typeof place === 'number') options.setRevision(String(place));
  else if (place === 'start') options.setStart(new Empty());
  else if (place === 'end') options.setEnd(new Empty());
  return options;
});
const allOptions = places.map((place) => {
  const options = new ReadReq.Options.AllOptions();
  const position = new ReadReq.Options.Position();
  if (typeof place === 'number') {
    position.setCommitPosition(String(place));
    position.setPreparePosition(String(place));
    options.setPosition(position);
  } else if (place === 'start') options.setStart(new Empty());
  else if (place === 'end') options.setEnd(new Empty());
  return options;
});
const filters = fc
  .record({
    on: fc.constantFrom('stream', 'type', 'neither'),
    regex: texts,
    prefixes: fc.array(texts, { maxLength: 3 }),
    window: fc.oneof(fc.nat(100_000), fc.constantFrom('count', 'unsaid')),
    multiplier: fc.nat(1_000),
  })
  .map(({ on, regex, prefixes, window, multiplier }) => {
    const expression = new ReadReq.Options.FilterOptions.Expression();
    expression.setRegex(regex);
    expression.setPrefixList(prefixes);
    const options = new ReadReq.Options.FilterOptions();
    if (on === 'stream') options.setStreamIdentifier(expression);
    if (on === 'type') options.setEventType(expression);
    if (typeof window === 'number') options.setMax(window);
    if (window === 'count') options.setCount(new Empty());
    options.setCheckpointintervalmultiplier(multiplier);
    return options;
  });
const readOptions = fc
  .record({
    of: fc.oneof(streamOptions, allOptions),
    direction: directions,
    resolveLinks: fc.boolean(),
    count: fc.oneof(integers, fc.constant('subscription')),
    filter: optional(filters),
    form: fc.constantFrom('string', 'structured', 'unsaid'),
  })
  .map(({ of, direction, resolveLinks, count, filter, form }) => {
    const options = new ReadReq.Options();
    if (of instanceof ReadReq.Options.StreamOptions) options.setStream(of);
    else options.setAll(of);
    options.setReadDirection(direction);
    options.setResolveLinks(resolveLinks);
    if (typeof count === 'number') options.setCount(String(count));
    else options.setSubscription(new ReadReq.Options.SubscriptionOptions());
    if (filter) options.setFilter(filter);
    else options.setNoFilter(new Empty());
    const uuidOption = new ReadReq.Options.UUIDOption();
    if (form === 'string') uuidOption.setString(new Empty());
    if (form === 'structured') uuidOption.setStructured(new Empty());
    options.setUuidOption(uuidOption);
    options.setControlOption(new ReadReq.Options.ControlOption());
    return options;
  });

function optionsAsGenerated(request: ReadReq): ReadOptions | undefined {
  const options = request.getOptions();
  if (!options) return undefined;
  const [stream, all] = [options.getStream(), options.getAll()];
  const revision = stream?.hasRevision() === true ? stream.getRevision() : all?.getPosition()?.getCommitPosition();
  const end = (stream ?? all)?.hasEnd() === true ? 'end' : 'start';
  return {
    stream: stream && readStreamName(stream.getStreamIdentifier()),
    from: revision === undefined ? end : Number(revision),
    backwards: options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS,
    resolveLinks: options.getResolveLinks(),
    count: Number(options.getCount()),
    isSubscription: options.hasSubscription(),
    filter: filterAsGenerated(options.getFilter()),
    uuids: options.getUuidOption()?.hasStructured() === true ? 'structured' : 'string',
  };
}

function filterAsGenerated(filter: ReadReq.Options.FilterOptions | undefined): FilterOptions | undefined {
  if (!filter) return undefined;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  return {
    on: filter.hasStreamIdentifier() ? 'stream' : 'type',
    expression: expression && { regex: expression.getRegex(), prefixes: expression.getPrefixList() },
    window: filter.hasMax() ? filter.getMax() : undefined,
    checkpointIntervalMultiplier: filter.getCheckpointintervalmultiplier(),
  };
}

const decoders = {
  byHand: (bytes: Buffer) => decodeReadRequest(bytes).options,
  generated: (bytes: Buffer) => optionsAsGenerated(ReadReq.deserializeBinary(bytes)),
};
const messages = optional(readOptions).map((options) => new ReadReq().setOptions(options).serializeBinary());
const twice = fc.tuple(readOptions, readOptions).map((both) =>
  message(
    readReq.options,
    both.map((options) => Buffer.from(options.serializeBinary())),
  ),
);

test('a read, with fields that are not known', () => expectSameMeaning(messages, decoders));

test('of what excludes each other the last counts, and of what comes twice', () => expectSameMeaning(twice, decoders));

test('bytes that are cut off, or wrong, are refused or mean what they say', () =>
  expectRefusalOfWrongBytes(messages, decoders));
