import { newConversation } from '../conversations.mjs';
import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { followLines, post } from '../http-client.mjs';
import { atOnce } from '../measuring.mjs';
import { startBaseline } from '../processes.mjs';
import { arrivals, watchRuns } from '../run-watch.mjs';

const inFlight = 64;
const conversationsMadeAtOnce = 16;
const input = { text: 'repeat after me: ok' };

/**
 * Whole runs of one step over HTTP, from the request until their end is reported: each in its own conversation, one
 * user per run in flight, observed by one subscription to `run.ended`. The baseline is a workflow of two durable steps
 * in a separate server (baselines/dbos.mjs explains the two) on the same PostgreSQL, with the same checks; it reports
 * the ends on one connection.
 */
export const wholeRuns = {
  number: 16,
  name: `whole runs, accepted to ended, ${inFlight} in flight`,
  against: 'a DBOS workflow of two steps behind Fastify',
  figures: [
    { key: 'rate', unit: 'runs/s', better: 'more', aim: 1.2, floor: 0.9 },
    cpuFigure('CPU of a whole run', { aim: 1.2, floor: 1.6 }),
  ],

  async open(deployment, { runs }) {
    const names = Array.from({ length: inFlight }, (_, number) => `whole-runs-${number}`);
    const users = await Promise.all(names.map((name) => deployment.newUser(name)));
    const dbos = await startBaseline('dbos', deployment.baselineEnv);
    const ended = arrivals();
    const following = await followLines(`${dbos.url}/ended`, users[0].headers, ended.arrived);
    const bareUsers = users.map(({ userId, headers }) => ({ url: `${dbos.url}/users/${userId}`, headers }));
    const bareRequests = Array.from({ length: runs }, () => ({ input }));
    const bareProcesses = { server: dbos.child.pid, PostgreSQL: deployment.postgresPid };
    return {
      ours: () => runMany(deployment, users, runs),
      baseline: () => timeRuns({ users: bareUsers, requests: bareRequests, ended, processes: bareProcesses }),
      close: async () => {
        following.close();
        await dbos.stop();
      },
    };
  },
};

async function runMany({ client, processes }, users, count) {
  const requests = [];
  await atOnce(conversationsMadeAtOnce, count, async (number) => {
    requests[number] = { conversationId: await newConversation(users[number % inFlight]), input };
  });
  const ended = await watchRuns(client, 'run.ended');
  const figures = await timeRuns({ users, requests, ended, processes });
  await ended.close();
  return figures;
}

/** The user of lane n % `inFlight` sends the n-th request once the one before on that lane has ended. */
async function timeRuns({ users, requests, ended, processes }) {
  const cpu = await cpuMeter(processes);
  const startedMs = performance.now();
  const lane = async ({ url, headers }, number) => {
    for (let index = number; index < requests.length; index += inFlight) {
      const { runId } = await post(`${url}/agent-runs`, headers, requests[index]);
      await ended.of(runId);
    }
  };
  await Promise.all(users.map(lane));
  const rate = (requests.length * 1000) / (performance.now() - startedMs);
  return { rate, ...(await cpu.perOperation(requests.length)) };
}
