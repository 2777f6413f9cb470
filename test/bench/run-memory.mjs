// Memory of the serving process (api and worker in one, as with npm start) and of the event store after a part of many
// whole runs, and after all of them. Option: --marks 20000,100000. Prints a line of JSON for each mark, measured after
// a garbage collection.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newConversation } from './conversations.mjs';
import { startDeployment } from './deployment.mjs';
import { post } from './http-client.mjs';
import { heldBytes, memoryArgs, memoryEnv } from './memory.mjs';
import { watchRuns } from './run-watch.mjs';

const inFlight = 64;
const looksMax = 5;
const lookAgainMs = 1_000;
const input = { text: 'repeat after me: ok' };

const { values: options } = parseArgs({ options: { marks: { type: 'string', default: '20000,100000' } } });
const marks = options.marks.split(',').map(Number);

const folder = mkdtempSync(path.join(tmpdir(), 'parley-memory-'));
const [servingEnv, storeEnv] = [memoryEnv(folder, 'serving'), memoryEnv(folder, 'store')];
const store = { args: memoryArgs, env: storeEnv };
const deployment = await startDeployment({ nodeArgs: memoryArgs, env: servingEnv, store });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void deployment.stop().then(() => process.exit(1)));
try {
  const names = Array.from({ length: inFlight }, (_, number) => `memory-${number}`);
  const users = await Promise.all(names.map((name) => deployment.newUser(name)));
  const ended = await watchRuns(deployment.client, 'run.ended');
  let done = 0;
  for (const runs of marks) {
    await runMany(users, ended, runs - done);
    done = runs;
    const serving = await settledBytes(deployment.child, servingEnv);
    const held = { serving, store: await settledBytes(deployment.store, storeEnv) };
    console.log(JSON.stringify({ runs, ...held }));
  }
  await ended.close();
} finally {
  await deployment.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The memory of the process once the remaining work of the runs (read models, the log) is done: the least of a few
 * measurements.
 */
async function settledBytes(child, env) {
  let least = await heldBytes(child, env);
  for (let looks = 1; looks < looksMax; looks += 1) {
    await sleep(lookAgainMs);
    const held = await heldBytes(child, env);
    if (held.live < least.live) least = held;
  }
  return least;
}

/** Whole runs, each in its own conversation. Each user has one at a time. */
async function runMany(users, ended, count) {
  let left = count;
  const lane = async (user) => {
    while (left-- > 0) {
      const conversationId = await newConversation(user);
      const { runId } = await post(`${user.url}/agent-runs`, user.headers, { conversationId, input });
      await ended.of(runId);
    }
  };
  await Promise.all(users.map(lane));
}
