import { setTimeout as sleep } from 'node:timers/promises';
import { newConversation, renaming, sealerOf, streamOf } from '../conversations.mjs';
import { percentile } from '../measuring.mjs';
import { startBaseline } from '../processes.mjs';
import { openStreams } from '../sse-readers.mjs';

/** Frames in flight at most while the maximum rate is measured. */
const framesUnderWay = 8;
/** A pace that both sides keep up with, for the latencies. */
const pacedPauseMs = 60;

/**
 * One event for all readers of a conversation, as many as possible and then at a steady pace, against Node alone
 * writing the same bytes.
 */
export const fanOut = {
  number: 7,
  name: 'SSE fan-out',
  against: 'raw Node SSE writing the same bytes',
  figures: [
    { key: 'rate', unit: 'frames/s', better: 'more', aim: 1.3, floor: 0.9 },
    { key: 'p99', unit: 'ms', better: 'less', aim: 1.2 },
  ],

  async open(deployment, { streams, frames, pacedFrames }) {
    const raw = await startBaseline('sse');
    const ours = await audience(await conversationChannel(deployment), streams);
    const baseline = await audience(rawChannel(raw.url), streams);
    const turn = async (side) => {
      const rate = await saturate(side, frames);
      return { rate, p99: percentile(await pace(side, pacedFrames), 0.99) };
    };
    return {
      ours: () => turn(ours),
      baseline: () => turn(baseline),
      close: async () => {
        ours.close();
        baseline.close();
        await raw.stop();
      },
    };
  },
};

/** Publishes by appending to a conversation. */
async function conversationChannel(deployment) {
  const { newUser, client } = deployment;
  const user = await newUser('fan-out');
  const id = await newConversation(user);
  const seal = await sealerOf(deployment, id);
  let appended = Promise.resolve();
  // Appends follow one another because each expects the revision of the one before. Their frames are in flight together
  // nevertheless.
  const publish = (number) => {
    const append = () =>
      client.appendToStream(streamOf(id), seal(renaming(number)), { expectedRevision: BigInt(number) });
    appended = appended.then(append);
    return appended;
  };
  return { url: `${user.url}/conversations/${id}/stream?cursor=1`, headers: user.headers, publish };
}

/** Publishes the bytes of the same frame. */
function rawChannel(url) {
  const publish = async (number) => {
    const { type, data, metadata } = renaming(number);
    const event = { delivery: 'durable', seq: number + 2, requestId: metadata.requestId, payload: data };
    const body = `id: ${event.seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    const response = await fetch(url, { method: 'POST', body });
    if (response.status !== 204) throw new Error(`publishing was answered ${response.status}`);
  };
  return { url, publish };
}

/**
 * All streams of a channel. `publish()` resolves with the time that the frame took to each of them, once all have it.
 */
async function audience({ url, headers, publish }, count) {
  const underWay = new Map();
  let published = 0;
  const onFrame = (ordinal) => {
    const frame = underWay.get(ordinal);
    frame.tookMs.push(performance.now() - frame.sentMs);
    if (frame.tookMs.length < count) return;
    underWay.delete(ordinal);
    frame.resolve(frame.tookMs);
  };
  const streams = await openStreams({ url, headers, count, onFrame });
  return {
    count,
    close: () => streams.close(),
    publish: async () => {
      const ordinal = published;
      published += 1;
      const arrived = new Promise((resolve) => {
        underWay.set(ordinal, { sentMs: performance.now(), tookMs: [], resolve });
      });
      await publish(ordinal);
      return arrived;
    },
  };
}

/** Frames delivered a second when the next frame is always ready to be sent. */
async function saturate(side, frames) {
  const startedMs = performance.now();
  const underWay = new Set();
  for (let sent = 0; sent < frames; sent += 1) {
    const delivery = side.publish().then(() => underWay.delete(delivery));
    underWay.add(delivery);
    if (underWay.size >= framesUnderWay) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  return (frames * side.count * 1000) / (performance.now() - startedMs);
}

/** The latencies of frames that are sent at a steady pace. */
async function pace(side, frames) {
  const deliveries = [];
  for (let sent = 0; sent < frames; sent += 1) {
    deliveries.push(side.publish());
    await sleep(pacedPauseMs);
  }
  return (await Promise.all(deliveries)).flat();
}
