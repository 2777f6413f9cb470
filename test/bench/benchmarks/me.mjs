import { requestsPerSecond } from '../http-load.mjs';
import { startBaseline } from '../processes.mjs';

const connections = 50;
const usersCount = 10;

/** A read that costs no more than its admission, against a framework that answers a constant. */
export const me = {
  number: 4,
  name: `users.me, ${connections} in flight`,
  against: 'Nest + Fastify "hello"',
  figures: [{ key: 'rate', unit: 'requests/s', better: 'more', aim: 0.5, floor: 0.35 }],

  async open(deployment, { seconds }) {
    const hello = await startBaseline('hello');
    const names = Array.from({ length: usersCount }, (_, number) => `me-${number}`);
    const users = await Promise.all(names.map((name) => deployment.newUser(name)));
    const requests = users.map(({ headers }) => ({ method: 'GET', path: '/v1/users/me', headers }));
    const bare = requests.map((request) => ({ ...request, path: '/hello' }));
    const load = (url, sent) => requestsPerSecond({ url, requests: sent, connections, seconds });
    return {
      ours: async () => ({ rate: await load(deployment.baseUrl, requests) }),
      baseline: async () => ({ rate: await load(hello.url, bare) }),
      close: () => hello.stop(),
    };
  },
};
