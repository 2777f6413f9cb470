import { createInterface } from 'node:readline';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { startNode, stop } from '../processes.mjs';
import { appendFor, connectRaw } from '../raw-store.mjs';

const inFlight = 64;
const subscribers = 50;
const program = path.join(fileURLToPath(import.meta.url), '..', '..', 'all-subscribers.mjs');

/**
 * The cost for the embedded event store of many subscribers to all events. Both the load and the subscribers are bare
 * HTTP/2.
 */
export const manySubscribers = {
  number: 19,
  name: `appends to new streams, ${inFlight} in flight, with ${subscribers} subscribers to $all`,
  against: 'the same without subscribers',
  figures: [
    { key: 'rate', unit: 'appends/s', better: 'more', aim: 0.6, floor: 0.4 },
    cpuFigure(`CPU of an append with ${subscribers} subscribers to $all`),
  ],

  async open({ stores, processes }, { seconds }) {
    const session = connectRaw(stores.EVENTSTORE_URL);
    const of = { 'event store': processes['event store'], PostgreSQL: processes.PostgreSQL };
    const turn = async (allHave) => {
      const cpu = await cpuMeter(of);
      const { appends, rate } = await appendFor(session, { inFlight, seconds });
      await allHave(appends);
      return { rate, ...(await cpu.perOperation(appends)) };
    };
    return {
      ours: () => withSubscribers(stores.EVENTSTORE_URL, turn),
      baseline: () => turn(() => undefined),
      close: () => session.close(),
    };
  },
};

/** Passes to `turn` a function that waits until each subscriber has a given number of events. */
async function withSubscribers(storeUrl, turn) {
  const env = { STORE_URL: storeUrl, SUBSCRIBERS: String(subscribers) };
  const child = startNode('subscribers', program, { env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the subscribers ended');
    return value;
  };
  try {
    await next();
    return await turn(async (events) => {
      while (Number(await next()) < events);
    });
  } finally {
    await stop(child);
  }
}
