import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConversation, renaming, sealerOf, streamOf } from '../conversations.mjs';
import { startDeployment } from '../deployment.mjs';
import { liveBytes, memoryArgs, memoryEnv, residentBytes } from '../memory.mjs';
import { startBaseline } from '../processes.mjs';
import { openStreams } from '../sse-readers.mjs';

const mebibyte = 1024 * 1024;
/** The time that both sides get to close and free memory after a turn. */
const settleMs = 1_500;
const stalledFrames = 300;
const stalledFrameBytes = 8_192;
const sampleMs = 50;

/** The memory of an open stream without traffic, and the growth of a process whose readers stop reading. */
export const idleStreams = {
  number: 13,
  name: 'an idle SSE stream',
  against: 'raw Node SSE',
  figures: [
    { key: 'kibibytes', unit: 'KiB of memory', better: 'less', aim: 1.3, floor: 1.5 },
    {
      key: 'stalledMebibytes',
      name: 'stalled readers of 2.3 MiB each, growth',
      unit: 'MiB',
      better: 'less',
      aim: 50,
      absolute: true,
    },
  ],

  async open(_, { streams }) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-memory-'));
    const [ourEnv, rawEnv] = [memoryEnv(folder, 'ours'), memoryEnv(folder, 'raw')];
    const deployment = await startDeployment({ nodeArgs: memoryArgs, env: ourEnv });
    const raw = await startBaseline('sse', rawEnv, memoryArgs);
    const ours = { child: deployment.child, env: ourEnv, channel: await conversation(deployment), streams };
    const baseline = { child: raw.child, env: rawEnv, channel: rawChannel(raw.url), streams };
    return {
      ours: () => turn(ours),
      baseline: () => turn(baseline),
      close: async () => {
        await raw.stop();
        await deployment.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

async function turn(side) {
  return { kibibytes: await perIdleStream(side), stalledMebibytes: await growthWhenStalled(side) };
}

async function perIdleStream({ child, env, channel, streams }) {
  const before = await liveBytes(child, env);
  const open = await openStreams({ ...channel.readers(), count: streams, onFrame: () => undefined });
  const after = await liveBytes(child, env);
  open.close();
  await sleep(settleMs);
  return (after - before) / streams / 1024;
}

/**
 * The largest growth of the process while its readers have stopped reading and it sends more than their connections
 * hold.
 */
async function growthWhenStalled({ child, env, channel, streams }) {
  await liveBytes(child, env);
  const before = residentBytes(child);
  const open = await openStreams({ ...channel.readers(), count: streams, onFrame: () => undefined });
  open.pause();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(child))), sampleMs);
  for (let frame = 0; frame < stalledFrames; frame += 1) await channel.publish();
  await sleep(settleMs);
  clearInterval(sampling);
  open.close();
  await sleep(settleMs);
  return (most - before) / mebibyte;
}

/** Readers of a conversation, from its current end on. */
async function conversation(deployment) {
  const { newUser, client } = deployment;
  const user = await newUser('idle-streams');
  const id = await newConversation(user);
  const seal = await sealerOf(deployment, id);
  let seq = 1;
  return {
    readers: () => ({ url: `${user.url}/conversations/${id}/stream?cursor=${seq}`, headers: user.headers }),
    publish: async () => {
      const event = renaming(seq);
      event.data.title = 'x'.repeat(stalledFrameBytes);
      await client.appendToStream(streamOf(id), seal(event), { expectedRevision: BigInt(seq - 1) });
      seq += 1;
    },
  };
}

function rawChannel(url) {
  const body = `id: 1\nevent: x\ndata: ${'x'.repeat(stalledFrameBytes)}\n\n`;
  return {
    readers: () => ({ url }),
    publish: async () => {
      const response = await fetch(url, { method: 'POST', body });
      if (response.status !== 204) throw new Error(`publishing was answered ${response.status}`);
    },
  };
}
