import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { httpLoad, jsonBody } from '../http-load.mjs';
import { startBaseline } from '../processes.mjs';

const connections = 50;
/** Requests come from several users, so that the result does not depend on the caches of a single one. */
const usersCount = 10;
const title = 'Quarterly report for the board';

/** A command that appends one event and waits until the read models show it, against one insert. */
export const create = {
  number: 1,
  name: `conversations.create, ${connections} in flight`,
  against: 'bare Fastify + one PostgreSQL insert',
  figures: [
    { key: 'rate', unit: 'requests/s', better: 'more', aim: 0.25, floor: 0.18 },
    cpuFigure('CPU of a conversations.create'),
  ],

  async open(deployment, { seconds }) {
    const insert = await startBaseline('insert', { DATABASE_URL: deployment.baselineDatabaseUrl });
    const names = Array.from({ length: usersCount }, (_, number) => `create-${number}`);
    const users = await Promise.all(names.map((name) => deployment.newUser(name)));
    const requests = users.map(({ url, headers }) => {
      const { body, headers: type } = jsonBody({ title });
      return { method: 'POST', path: `${new URL(url).pathname}/conversations`, headers: { ...headers, ...type }, body };
    });
    const bare = requests.map((request) => ({ ...request, path: request.path.replace('/v1', '') }));
    const bareProcesses = { server: insert.child.pid, PostgreSQL: deployment.postgresPid };
    const turn = async (url, sent, processes) => {
      const cpu = await cpuMeter(processes);
      const { rate, answered } = await httpLoad({ url, requests: sent, connections, seconds });
      return { rate, ...(await cpu.perOperation(answered)) };
    };
    return {
      ours: () => turn(deployment.baseUrl, requests, deployment.processes),
      baseline: () => turn(insert.url, bare, bareProcesses),
      close: () => insert.stop(),
    };
  },
};
