/** The order in which a filtered subscription to $all sends its events and its checkpoints. */
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import {
  type ContractStore,
  leave,
  openContractStore,
  readRequest,
  testEvents,
  uniqueStream,
} from '@app/testing/event-store';

let store: ContractStore;
beforeAll(async () => {
  store = await openContractStore();
});
afterAll(() => store.close());

/** The frames in the order in which they were sent: `e` for an event and `c` for a checkpoint, each with its position. */
type Sent = readonly ['e' | 'c', bigint];

function subscription(prefix: string, window: number): ReadReq {
  const filter = new ReadReq.Options.FilterOptions();
  const expression = new ReadReq.Options.FilterOptions.Expression();
  expression.addPrefix(prefix);
  filter.setStreamIdentifier(expression);
  filter.setMax(window);
  filter.setCheckpointintervalmultiplier(1);
  return readRequest({ filter });
}

/** Reads until `events` events and `caughtUp` have arrived. */
async function follow(request: ReadReq, events: number): Promise<Sent[]> {
  const call = store.protocol().read(request);
  const sent: Sent[] = [];
  let caughtUp = false;
  // `as`: grpc-js types its streams' items as any.
  for await (const frame of call as AsyncIterable<ReadResp>) {
    const [event, checkpoint] = [frame.getEvent(), frame.getCheckpoint()];
    if (event) sent.push(['e', BigInt(event.getCommitPosition())]);
    if (checkpoint) sent.push(['c', BigInt(checkpoint.getCommitPosition())]);
    caughtUp ||= frame.hasCaughtUp();
    if (caughtUp && sent.filter(([kind]) => kind === 'e').length >= events) break;
  }
  leave(call);
  return sent;
}

test.each([1, 3, 32])(
  'a checkpoint comes after what it covers, and before anything else (a window of %d)',
  async (window) => {
    const [wanted, other] = [uniqueStream('wanted'), uniqueStream('other')];
    for (let round = 0; round < 12; round++) {
      await store.client.appendToStream(round % 3 === 0 ? wanted : other, testEvents(1 + ((round * 7) % 20)));
    }
    const total = [0, 3, 6, 9].reduce((sum, round) => sum + 1 + ((round * 7) % 20), 0);
    const sent = await follow(subscription(wanted, window), total);
    let covered = 0n;
    for (const [kind, position] of sent) {
      if (kind === 'e') expect(position).toBeGreaterThan(covered);
      else covered = position;
    }
    // A checkpoint at 0 means nothing; a real server may send some while it catches up.
    const told = sent.filter(([, position]) => position > 0n);
    const inOrder = [...told].sort(([, a], [, b]) => Number(a - b));
    expect(told).toEqual(inOrder);
  },
);
