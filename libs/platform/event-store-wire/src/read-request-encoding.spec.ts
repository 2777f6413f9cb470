/** The requests equal those that the client itself sends. */
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  START,
  streamNameFilter,
  type ReadPosition,
} from '@eventstore/db-client';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import { readOfAll, readOfStream, subscriptionTo } from './read-request';

/** The request that the client would send; it is connected to nothing. */
function asked(ask: (client: EventStoreDBClient) => { destroy(): unknown }): ReadReq {
  const client = new EventStoreDBClient({ endpoint: 'unix:/nowhere' }, { insecure: true });
  const sent: ReadReq[] = [];
  const streams = {
    read(request: ReadReq) {
      sent.push(request);
      return new PassThrough({ objectMode: true });
    },
  };
  const GRPCStreamCreator = (_: unknown, __: string, create: (calls: typeof streams) => PassThrough) => async () =>
    create(streams);
  ask(Object.assign(client, { GRPCStreamCreator })).destroy();
  const [request] = sent;
  if (request === undefined) throw new Error('the client asked for nothing');
  return request;
}

function expectAsked(ours: Buffer, ask: (client: EventStoreDBClient) => { destroy(): unknown }): void {
  expect(ReadReq.deserializeBinary(ours).toObject()).toEqual(asked(ask).toObject());
}

const integers = fc.oneof(fc.nat(200), fc.maxSafeNat(), fc.constantFrom(0, 127, 128, 2 ** 32, 2 ** 53 - 1));
const directions = fc.constantFrom('forwards', 'backwards');
const streams = fc.string({ unit: 'grapheme' });
const inTheirs = (position: number): ReadPosition => ({ commit: BigInt(position), prepare: BigInt(position) });

it('a read of a stream', () => {
  const froms = fc.oneof(integers, fc.constant('end' as const));
  fc.assert(
    fc.property(streams, froms, integers, directions, (stream, from, maxCount, direction) => {
      const fromRevision = from === 'end' ? END : BigInt(from);
      const theirs = { fromRevision, maxCount, direction: direction === 'forwards' ? FORWARDS : BACKWARDS } as const;
      expectAsked(readOfStream(stream, from, maxCount, direction), (client) => client.readStream(stream, theirs));
    }),
  );
});

it('a read of a stream does not begin before its start', () => {
  expect(() => readOfStream('a', -1, 10, 'forwards')).toThrow(RangeError);
  expect(() => readOfStream('a', NaN, 10, 'forwards')).toThrow(RangeError);
});

it('a read of all streams', () => {
  const froms = fc.oneof(integers, fc.constantFrom('start' as const, 'end' as const));
  fc.assert(
    fc.property(froms, integers, directions, (from, maxCount, direction) => {
      const fromPosition = from === 'start' ? START : from === 'end' ? END : inTheirs(from);
      const theirs = { fromPosition, maxCount, direction: direction === 'forwards' ? FORWARDS : BACKWARDS } as const;
      expectAsked(readOfAll(from, maxCount, direction), (client) => client.readAll(theirs));
    }),
  );
});

it('a subscription to categories', () => {
  fc.assert(
    fc.property(
      fc.array(streams),
      integers,
      fc.integer({ min: 1, max: 1_000 }),
      (categories, after, checkpointInterval) => {
        const prefixes = categories.map((category) => `${category}-`);
        const filter = streamNameFilter({ prefixes, checkpointInterval });
        const fromPosition = after === 0 ? START : inTheirs(after);
        expectAsked(subscriptionTo(categories, after, checkpointInterval), (client) =>
          client.subscribeToAll({ fromPosition, filter }),
        );
      },
    ),
  );
});
