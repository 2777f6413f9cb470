/** Limits that EventStoreDB does not have, and how they are reported to its client. */
import { randomUUID } from 'node:crypto';
import { AppendReq, type AppendResp } from '@eventstore/db-client/generated/streams_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { credentials, status, type ServiceError } from '@grpc/grpc-js';
import { batch, batchPart, EmbeddedStore, identifier, textUuid } from '@app/testing/event-store';
import { APPEND_EVENTS_MAX } from '../src/limits';

/** Time that the machine may need to encode so many events. */
const withinMs = 120_000;

let store: EmbeddedStore;
let protocol: StreamsClient;
beforeAll(async () => {
  store = await EmbeddedStore.start();
  protocol = new StreamsClient(store.address, credentials.createInsecure());
});
afterAll(async () => {
  protocol.close();
  await store.stop();
});

test(
  'a batch append of too many events is too large, as one of too many bytes is',
  async () => {
    const part = batchPart('counted', textUuid(randomUUID()), { deadline: new Date(Date.now() + withinMs) });
    const [message] = part.getProposedMessagesList();
    for (let n = 0; n < APPEND_EVENTS_MAX; n++) part.addProposedMessages(message);
    const [answer] = await batch(protocol, [part]);
    expect(answer?.getError()?.getDetails()?.getTypeName()).toBe('event_store.client.MaximumAppendSizeExceeded');
  },
  withinMs,
);

test(
  'so is one by Append',
  async () => {
    const answer = await new Promise<AppendResp | ServiceError>((resolve) => {
      const call = protocol.append((error, response) => resolve(error ?? response));
      // The server ends the call as soon as the limit is exceeded.
      call.on('error', () => undefined);
      const options = new AppendReq.Options();
      options.setStreamIdentifier(identifier('counted'));
      options.setAny(new Empty());
      const header = new AppendReq();
      header.setOptions(options);
      call.write(header);
      const message = new AppendReq.ProposedMessage();
      message.setId(textUuid(randomUUID()));
      message.getMetadataMap().set('type', 'raw').set('content-type', 'application/json');
      const event = new AppendReq();
      event.setProposedMessage(message);
      for (let n = 0; n <= APPEND_EVENTS_MAX; n++) call.write(event);
      call.end();
    });
    const trailers = answer instanceof Error ? answer.metadata : undefined;
    expect(trailers?.get('exception')).toEqual(['maximum-append-size-exceeded']);
  },
  withinMs,
);

test('a refusal that quotes a long text arrives, and its connection goes on', async () => {
  const part = batchPart('quoted', textUuid('x'.repeat(100_000)));
  part.setCorrelationId(textUuid('x'.repeat(100_000)));
  await expect(batch(protocol, [part])).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  const [answer] = await batch(protocol, [batchPart('quoted', textUuid(randomUUID()))]);
  expect(answer?.hasSuccess()).toBe(true);
});
