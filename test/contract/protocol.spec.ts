/** Parts of the protocol that the client hides, called through its own stubs. */
import { randomUUID } from 'node:crypto';
import { Empty, MaximumAppendSizeExceeded } from '@eventstore/db-client/generated/shared_pb';
import type { AppendResp, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { status, type ServiceError } from '@grpc/grpc-js';
import {
  batch,
  batchPart,
  collect,
  type ContractStore,
  identifier,
  leave,
  openContractStore,
  readRequest,
  structuredUuid,
  testEvents,
  textUuid,
  uniqueStream,
} from '@app/testing/event-store';

let store: ContractStore;
let protocol: StreamsClient;
beforeAll(async () => {
  store = await openContractStore();
  protocol = store.protocol();
});
afterAll(() => store.close());

async function readFrames(stream: string, uuids: 'text' | 'structured'): Promise<ReadResp[]> {
  const request = readRequest({ stream, count: 100, uuids });
  const frames: ReadResp[] = [];
  for await (const frame of protocol.read(request) as AsyncIterable<ReadResp>) frames.push(frame);
  return frames.filter((frame) => frame.hasEvent());
}

const nameOf = (answer: BatchAppendResp | undefined): string =>
  Buffer.from(answer?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

test('UUIDs come and go in both forms', async () => {
  const stream = uniqueStream();
  const ids = [randomUUID(), 'ffffffff-ffff-4fff-bfff-ffffffffffff', '00000000-0000-4000-8000-000000000001'];
  await batch(
    protocol,
    ids.slice(0, 1).map((id) => batchPart(stream, textUuid(id))),
  );
  for (const id of ids.slice(1)) await batch(protocol, [batchPart(stream, structuredUuid(id))]);
  const texts = await readFrames(stream, 'text');
  expect(texts.map((frame) => frame.getEvent()?.getEvent()?.getId()?.getString())).toEqual(ids);
  const structured = await readFrames(stream, 'structured');
  const forms = structured.map((frame) => frame.getEvent()?.getEvent()?.getId()?.getStructured()?.toObject());
  expect(forms).toEqual(ids.map((id) => structuredUuid(id).getStructured()?.toObject()));
  expect((await collect(store.client.readStream(stream))).map(({ event }) => event?.id)).toEqual(ids);
});

test('the metadata map has type, content type, and creation in ticks since 1970', async () => {
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvents(1));
  const [frame] = await readFrames(stream, 'text');
  const map = frame?.getEvent()?.getEvent()?.getMetadataMap();
  expect(map?.get('type')).toBe('counted');
  expect(map?.get('content-type')).toBe('application/json');
  expect(Math.abs(Number(map?.get('created')) / 10_000 - Date.now())).toBeLessThan(60_000);
  const recorded = frame?.getEvent()?.getEvent();
  expect(recorded?.getCommitPosition()).toBe(recorded?.getPreparePosition());
  expect(frame?.getEvent()?.getCommitPosition()).toBe(recorded?.getCommitPosition());
});

test('each append of a batch stream gets one answer that names its stream, errors too', async () => {
  const [fine, huge] = [uniqueStream(), uniqueStream()];
  const tooLarge = batchPart(huge, textUuid(randomUUID()), { data: new Uint8Array(1024 * 1024 + 1) });
  const parts = [batchPart(fine, textUuid(randomUUID())), tooLarge, batchPart(fine, textUuid(randomUUID()))];
  const answers = await batch(protocol, parts);
  const wanted = parts.map((part) => part.getCorrelationId()?.getString());
  expect(answers.map((answer) => answer.getCorrelationId()?.getString()).sort()).toEqual([...wanted].sort());
  const error = answers.find((answer) => answer.hasError());
  expect(nameOf(error)).toBe(huge);
  const detail = error?.getError()?.getDetails();
  expect(detail?.getTypeName()).toBe('event_store.client.MaximumAppendSizeExceeded');
  expect(
    MaximumAppendSizeExceeded.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array(0)).getMaxappendsize(),
  ).toBe(1024 * 1024);
  expect(answers.filter((answer) => answer.hasSuccess())).toHaveLength(2);
});

test('an append whose deadline has passed is answered with a timeout and not stored', async () => {
  const stream = uniqueStream();
  const [answer] = await batch(protocol, [
    batchPart(stream, textUuid(randomUUID()), { deadline: new Date(Date.now() - 1_000) }),
  ]);
  expect(answer?.getError()?.getDetails()?.getTypeName()).toBe('event_store.client.Timeout');
  await expect(collect(store.client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
});

test('of a late append and a large one the deadline is looked at first', async () => {
  const data = new Uint8Array(1024 * 1024 + 1);
  const late = batchPart(uniqueStream(), textUuid(randomUUID()), { data, deadline: new Date(Date.now() - 1_000) });
  const [answer] = await batch(protocol, [late]);
  expect(answer?.getError()?.getDetails()?.getTypeName()).toBe('event_store.client.Timeout');
});

test('a part that makes an append too large is answered at once, and what follows of it is dropped', async () => {
  const [huge, fine] = [uniqueStream(), uniqueStream()];
  const call = protocol.batchAppend();
  // `as`: grpc-js types its streams' items as any.
  const answers = (call as AsyncIterable<BatchAppendResp>)[Symbol.asyncIterator]();
  const next = async (): Promise<BatchAppendResp> => (await answers.next()).value as BatchAppendResp;
  const first = batchPart(huge, textUuid(randomUUID()), { data: new Uint8Array(1024 * 1024 + 1), final: false });
  call.write(first);
  const refused = await next();
  expect(refused.getCorrelationId()?.getString()).toBe(first.getCorrelationId()?.getString());
  expect(refused.getError()?.getDetails()?.getTypeName()).toBe('event_store.client.MaximumAppendSizeExceeded');
  const last = batchPart(huge, textUuid(randomUUID()));
  last.setCorrelationId(first.getCorrelationId());
  last.clearOptions();
  call.write(last);
  call.write(batchPart(fine, textUuid(randomUUID())));
  const taken = await next();
  expect([nameOf(taken), taken.hasSuccess()]).toEqual([fine, true]);
  leave(call);
  await expect(collect(store.client.readStream(huge))).rejects.toMatchObject({ type: 'stream-not-found' });
});

describe('Append', () => {
  const header = (stream: string): AppendReq => {
    const options = new AppendReq.Options();
    options.setStreamIdentifier(identifier(stream));
    options.setAny(new Empty());
    const request = new AppendReq();
    request.setOptions(options);
    return request;
  };
  const send = (requests: readonly AppendReq[]): Promise<AppendResp | ServiceError> =>
    new Promise((resolve) => {
      const call = protocol.append((error, response) => resolve(error ?? response));
      for (const request of requests) call.write(request);
      call.end();
    });

  test('says which metadata an event lacks', async () => {
    const message = new AppendReq.ProposedMessage();
    message.setId(textUuid(randomUUID()));
    message.getMetadataMap().set('type', 'raw');
    const event = new AppendReq();
    event.setProposedMessage(message);
    const answer = await send([header(uniqueStream()), event]);
    const trailers = answer instanceof Error ? answer.metadata : undefined;
    expect(trailers?.get('exception')).toEqual(['missing-required-metadata-property']);
    expect(String(trailers?.get('required-metadata-properties')[0])).toContain('content-type');
  });

  test('of options alone appends nothing', async () => {
    const answer = await send([header(uniqueStream())]);
    expect(answer instanceof Error ? answer : answer.hasSuccess()).toBe(true);
  });
});

test('a filter that is no regular expression is refused', async () => {
  const subscription = store.client.subscribeToAll({
    filter: { filterOn: 'streamName', checkpointInterval: 1, regex: '(' },
  });
  const error = await new Promise((resolve) => subscription.on('error', resolve));
  expect(error).toMatchObject({ code: status.UNKNOWN });
});
