/** Answers to the calls that are open when the store closes: none may read as cancelled by the client. */
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendReq, DeleteReq } from '@eventstore/db-client/generated/streams_pb';
import { credentials, status, type StatusObject } from '@grpc/grpc-js';
import { batch, batchPart, EmbeddedStore, identifier, readRequest, textUuid } from '@app/testing/event-store';
import { startPostgresProxy, type PostgresProxy } from '@app/testing/stores';
import { until } from '@app/testing/until';

let store: EmbeddedStore;
let proxy: PostgresProxy;
let protocol: StreamsClient;
beforeEach(async () => {
  store = await EmbeddedStore.start();
  protocol = connect();
  await batch(protocol, [batchPart('old', textUuid(randomUUID()))]);
  protocol.close();
  // A store that has just started has nothing in memory.
  await store.stopServer();
  proxy = await startPostgresProxy(store.database.url);
  await store.startServer(proxy.url);
  protocol = connect();
});
afterEach(async () => {
  protocol.close();
  await proxy.close();
  await store.stop();
});

function connect(): StreamsClient {
  return new StreamsClient(store.address, credentials.createInsecure());
}

/** Returns the code that ends a call, once it has ended. */
function end(call: EventEmitter): Promise<string> {
  call.on('error', () => undefined); // the status reports it
  return new Promise((resolve) => call.once('status', ({ code }: StatusObject) => resolve(status[code] ?? '')));
}

function appendHeader(): AppendReq {
  const options = new AppendReq.Options();
  options.setStreamIdentifier(identifier('appended'));
  options.setAny(new Empty());
  const request = new AppendReq();
  request.setOptions(options);
  return request;
}

function appendedEvent(): AppendReq {
  const message = new AppendReq.ProposedMessage();
  message.setId(textUuid(randomUUID()));
  message.getMetadataMap().set('type', 'raw').set('content-type', 'application/json');
  const request = new AppendReq();
  request.setProposedMessage(message);
  return request;
}

test('an append that its client has not ended is answered as unavailable', async () => {
  const open = protocol.append(() => undefined);
  const ended = end(open);
  open.write(appendHeader());
  // Once the later call is answered, the earlier one has arrived as well.
  await batch(protocol, [batchPart('other', textUuid(randomUUID()))]);
  await store.stopServer();
  expect(await ended).toBe('UNAVAILABLE');
});

test('so is every call that its client has ended and that waits for the database', async () => {
  proxy.silence('insert_events');
  proxy.silence('all_ASC');
  const batched = protocol.batchAppend();
  const appended = protocol.append(() => undefined);
  const ends = [end(batched), end(appended)];
  batched.write(batchPart('batched', textUuid(randomUUID())));
  batched.resume().end();
  appended.write(appendHeader());
  appended.write(appendedEvent());
  appended.end();
  await until('the insert', async () => (proxy.silent() === 1 ? true : null));
  const options = new DeleteReq.Options();
  options.setStreamIdentifier(identifier('old'));
  options.setAny(new Empty());
  const deletion = new DeleteReq();
  deletion.setOptions(options);
  ends.push(end(protocol.delete(deletion, () => undefined)));
  ends.push(end(protocol.read(readRequest({ count: 10 })).resume()));
  await until('the read', async () => (proxy.silent() === 2 ? true : null));
  await store.stopServer();
  expect(await Promise.all(ends)).toEqual(ends.map(() => 'UNAVAILABLE'));
});
