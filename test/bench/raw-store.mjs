// The event store's protocol over bare HTTP/2: a load that costs little next to the store that it measures. The
// client's own stubs serialize each request once.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

const { Empty, StreamIdentifier, UUID } = shared;
const { BatchAppendReq, ReadReq } = streams;
const { Timestamp } = timestamps;
const service = '/event_store.client.streams.Streams';
const prefixBytes = 5;
/** So large that no reader of a benchmark delays the store. */
const windowBytes = 16 * 1024 * 1024;
const appendWithinMs = 60_000;

/** Opens a separate connection to the store at `unix:<path>`. */
export function connectRaw(storeUrl) {
  const session = connect('http://localhost', {
    createConnection: () => connectSocket(storeUrl.slice('unix:'.length)),
    settings: { initialWindowSize: windowBytes },
  });
  session.once('connect', () => session.setLocalWindowSize(windowBytes));
  return session;
}

/** Opens a call; `onMessage` is called for each answer. */
export function openCall(session, method, onMessage) {
  const headers = {
    ':method': 'POST',
    ':path': `${service}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const call = session.request(headers);
  let [header, body] = [prefixBytes, 0]; // bytes of the next message that have not arrived yet
  call.on('data', (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (header > 0) {
        // Byte by byte, because a chunk may end anywhere.
        header -= 1;
        body = header === prefixBytes - 1 ? 0 : body * 256 + chunk[at];
        at += 1;
      } else {
        const taken = Math.min(body, chunk.length - at);
        at += taken;
        body -= taken;
      }
      if (header === 0 && body === 0) {
        header = prefixBytes;
        onMessage();
      }
    }
  });
  return call;
}

/** A message in gRPC's framing. */
function framed(message) {
  const bytes = Buffer.from(message.serializeBinary());
  const frame = Buffer.alloc(prefixBytes + bytes.length);
  frame.writeUInt32BE(bytes.length, 1);
  bytes.copy(frame, prefixBytes);
  return frame;
}

/** A subscription to `$all` from its end. */
export function followAllRequest() {
  const place = new ReadReq.Options.AllOptions();
  place.setEnd(new Empty());
  const uuids = new ReadReq.Options.UUIDOption();
  uuids.setString(new Empty());
  const options = new ReadReq.Options();
  options.setAll(place);
  options.setSubscription(new ReadReq.Options.SubscriptionOptions());
  options.setUuidOption(uuids);
  options.setNoFilter(new Empty());
  const request = new ReadReq();
  request.setOptions(options);
  return framed(request);
}

const uuidOf = (text) => {
  const uuid = new UUID();
  uuid.setString(text);
  return uuid;
};

/**
 * An append of one event to a new stream, serialized. Only the ids and the stream's name, at `places`, are overwritten
 * each time.
 */
function appendTemplate(data) {
  const marks = { append: randomUUID(), stream: `benchmark-${randomUUID()}`, event: randomUUID() };
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(marks.stream));
  const options = new BatchAppendReq.Options();
  options.setStreamIdentifier(identifier);
  options.setNoStream(new Empty());
  options.setDeadline(Timestamp.fromDate(new Date(Date.now() + 86_400_000)));
  const event = new BatchAppendReq.ProposedMessage();
  event.setId(uuidOf(marks.event));
  event.getMetadataMap().set('type', 'benchmarked').set('content-type', 'application/json');
  event.setData(data);
  const request = new BatchAppendReq();
  request.setCorrelationId(uuidOf(marks.append));
  request.setOptions(options);
  request.addProposedMessages(event);
  request.setIsFinal(true);
  const frame = framed(request);
  return { frame, places: Object.values(marks).map((mark) => frame.indexOf(mark) + mark.length - 36) };
}

/**
 * Keeps `inFlight` appends in flight for `seconds`, each to a new stream.
 * @returns {Promise<{appends: number, rate: number}>}
 */
export function appendFor(session, { inFlight, seconds, data = Buffer.from('{"title":"benchmark"}') }) {
  const template = appendTemplate(data);
  const startedMs = performance.now();
  let [begun, done] = [0, 0];
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the store did not answer')), seconds * 1000 + appendWithinMs);
    const next = () => {
      const frame = Buffer.from(template.frame);
      for (const at of template.places) frame.write(randomUUID(), at, 'latin1');
      begun += 1;
      call.write(frame);
    };
    const call = openCall(session, 'BatchAppend', () => {
      done += 1;
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs < seconds * 1000) return next();
      if (done < begun) return undefined;
      clearTimeout(late);
      call.close();
      return resolve({ appends: done, rate: (done * 1000) / elapsedMs });
    });
    call.on('error', reject);
    for (let lane = 0; lane < inFlight; lane += 1) next();
  });
}
