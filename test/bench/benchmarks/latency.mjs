import { newConversation, renaming, sealerOf, streamOf } from '../conversations.mjs';
import { percentile } from '../measuring.mjs';
import { openStreams } from '../sse-readers.mjs';

/**
 * From the start of an append until a reader of the HTTP stream has the event, against the client's own subscription.
 */
export const latency = {
  number: 8,
  name: 'append to SSE frame',
  against: 'raw client subscription',
  figures: [
    { key: 'p50', unit: 'ms', better: 'less', aim: 1.2, floor: 1.5 },
    { key: 'p99', unit: 'ms', better: 'less', aim: 1.2, floor: 1.5 },
  ],

  async open(deployment, { latencyAppends }) {
    const user = await deployment.newUser('latency');
    // Both are conversations of the product, so that all other followers cost both sides the same.
    const streamed = await streamedConversation(deployment, user);
    const subscribed = await subscribedConversation(deployment, user);
    const turn = async (conversation) => {
      const tookMs = [];
      for (let count = 0; count < latencyAppends; count += 1) {
        tookMs.push(await timeToArrival(conversation, deployment.client));
      }
      return { p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) };
    };
    return {
      ours: () => turn(streamed),
      baseline: () => turn(subscribed),
      close: async () => {
        streamed.close();
        await subscribed.close();
      },
    };
  },
};

async function timeToArrival(conversation, client) {
  const arrived = conversation.nextArrival();
  const startedMs = performance.now();
  const expectedRevision = BigInt(conversation.revision);
  const event = conversation.seal(renaming(conversation.revision));
  const appended = client.appendToStream(streamOf(conversation.id), event, { expectedRevision });
  const arrivedMs = await arrived;
  await appended;
  conversation.revision += 1;
  return arrivedMs - startedMs;
}

async function streamedConversation(deployment, user) {
  const { arrived, nextArrival } = arrivals();
  const id = await newConversation(user);
  const url = `${user.url}/conversations/${id}/stream?cursor=1`;
  const streams = await openStreams({ url, headers: user.headers, count: 1, onFrame: arrived });
  const seal = await sealerOf(deployment, id);
  return { id, seal, revision: 0, nextArrival, close: () => streams.close() };
}

async function subscribedConversation(deployment, user) {
  const { arrived, nextArrival } = arrivals();
  const id = await newConversation(user);
  const subscription = deployment.client.subscribeToStream(streamOf(id), { fromRevision: 0n });
  subscription.on('error', (error) => subscription.destroy(error));
  subscription.on('data', arrived);
  const seal = await sealerOf(deployment, id);
  return { id, seal, revision: 0, nextArrival, close: () => subscription.unsubscribe() };
}

/** Resolves `nextArrival()` with the time of the next event. */
function arrivals() {
  let resolve = () => undefined;
  return {
    arrived: () => resolve(performance.now()),
    nextArrival: () => new Promise((resolveNext) => (resolve = resolveNext)),
  };
}
