/** Rate limits and caps of streams are exact over two replicas, whichever of them is called (specification, "Limits"). */
import { CommandBus } from '@nestjs/cqrs';
import { MintPartnerKey } from '@app/partners';
import { byOperator, conversationOf, expectProblem, partOf, sql } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

const limits = { user: 300, key: 400, userStreams: 4, replicaStreams: 6 };
/** Within this time no request can have left the window; if a machine was slower, the count is repeated. */
const countedWithinMs = 55_000;
const attemptsMax = 4;
const inFlight = 40;
const testWithinMs = 300_000;

let deployment: Deployment;
beforeAll(async () => {
  const env = {
    RATE_LIMIT_USER_PER_MINUTE: String(limits.user),
    RATE_LIMIT_KEY_PER_MINUTE: String(limits.key),
    STREAMS_PER_USER: String(limits.userStreams),
    STREAMS_PER_REPLICA: String(limits.replicaStreams),
  };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
afterAll(() => deployment.stop());

/** New users on both replicas, with a partner key against which nothing was counted. */
async function onBoth(users: number): Promise<TestClient[]> {
  const known = await Promise.all(Array.from({ length: users }, () => deployment.newUser()));
  const [first] = known;
  if (first === undefined) throw new Error('no users were asked for');
  const minted = await partOf(deployment, CommandBus).execute(
    new MintPartnerKey({ label: 'counted', cause: byOperator(first).cause }),
  );
  if (!minted.ok) throw new Error('no key was minted');
  return known.flatMap(({ token, userId }) =>
    deployment.baseUrls.map((baseUrl) => new TestClient(baseUrl, minted.value.key, token, userId)),
  );
}

/** Sends `count` requests, by these clients in turn, some of them in parallel. */
async function ask(clients: readonly TestClient[], count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  let asked = 0;
  const worker = async () => {
    for (let n = asked++; n < count; n = asked++) {
      const client = clients[n % clients.length];
      if (client !== undefined) answers.push(await client.get('/budget'));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return answers;
}

/** The number of requests that a window still admits, according to an answer. */
function left(answer: Answer, window: 'user' | 'key'): number {
  return Number(new RegExp(`"${window}";r=(\\d+)`).exec(answer.headers.get('ratelimit') ?? '')?.[1]);
}

/** Repeats the count until it was quick enough that no request can have left the window meanwhile. */
async function withinOneWindow(count: () => Promise<() => void>): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const startedAt = performance.now();
    const expectation = await count();
    if (performance.now() - startedAt < countedWithinMs) return expectation();
  }
  throw new Error('the machine is too slow to count within a minute');
}

function expectExactly(admitted: number, answers: readonly Answer[]): void {
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(admitted);
  expect(refused).toHaveLength(answers.length - admitted);
  for (const answer of refused) {
    expectProblem(answer, 'rate_limited');
    expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/);
  }
}

describe('requests within 60 s, over two replicas', () => {
  it(
    'of a user: 300 are served and no other',
    () =>
      withinOneWindow(async () => {
        const both = await onBoth(1);
        const remaining = left(await both[0]!.get('/budget'), 'user'); // reason: two clients, one for each replica
        const [answers, after] = [await ask(both, remaining + 60), await ask(both, 2)];
        return () => {
          expectExactly(remaining, answers);
          expectExactly(0, after);
        };
      }),
    testWithinMs,
  );

  it(
    'of a partner key: as many as it may, over all its users, and no other',
    () =>
      withinOneWindow(async () => {
        const all = await onBoth(4);
        const remaining = left(await all[0]!.get('/budget'), 'key'); // as above
        const [answers, after] = [await ask(all, remaining + 60), await ask(all, 8)];
        // The users' own windows are not used up: with another key they are served.
        const other = new TestClient(all[1]!.baseUrl, deployment.partnerKey, all[1]!.token, all[1]!.userId); // as above
        const { status } = await other.get('/budget');
        return () => {
          expect(remaining).toBe(limits.key - 1);
          expectExactly(remaining, answers);
          expectExactly(0, after);
          expect(status).toBe(200);
        };
      }),
    testWithinMs,
  );
});

describe('open streams', () => {
  interface Opened {
    readonly replica: number;
    readonly answer: Answer;
    close(): Promise<void>;
  }

  async function open(user: TestClient, conversationId: string, replica: number): Promise<Opened> {
    const abort = new AbortController();
    const url = user.via(deployment.baseUrls[replica] ?? '').url(`/conversations/${conversationId}/stream`);
    const response = await fetch(url, { headers: user.headers, signal: abort.signal });
    const { status, headers } = response;
    // Reason for the assertion: a refusal is a problem.
    const body = status === 200 ? {} : ((await response.json()) as Answer['body']);
    return { replica, answer: { status, headers, body }, close: async () => abort.abort() };
  }

  const served = (opened: readonly Opened[]) => opened.filter(({ answer }) => answer.status === 200);

  function expectRefused(opened: readonly Opened[]): void {
    for (const { answer } of opened.filter((one) => one.answer.status !== 200)) {
      expectProblem(answer, 'stream_capacity');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
  }

  async function closeAll(opened: readonly Opened[]): Promise<void> {
    for (const one of served(opened)) await one.close();
  }

  it(
    'of a user: four over both replicas, however many are asked for at once; one that closes makes room on the other',
    async () => {
      const user = await deployment.newUser();
      const id = await conversationOf(user);
      const opened = await Promise.all(Array.from({ length: 10 }, (_, n) => open(user, id, n % 2)));
      expect(served(opened)).toHaveLength(limits.userStreams);
      expectRefused(opened);
      const [first] = served(opened);
      await first?.close();
      const elsewhere = 1 - (first?.replica ?? 0);
      const next = await until('room for another stream', async () => {
        const another = await open(user, id, elsewhere);
        return another.answer.status === 200 ? another : null;
      });
      const again = await Promise.all([open(user, id, 0), open(user, id, 1)]);
      expect(served(again)).toHaveLength(0);
      expectRefused(again);
      await closeAll([...opened, next]);
    },
    testWithinMs,
  );

  it(
    'of a replica: six, whosever they are; the other replica has room',
    async () => {
      const users = await Promise.all(Array.from({ length: 3 }, () => deployment.newUser()));
      const ids = await Promise.all(users.map((user) => conversationOf(user)));
      const wanted = users.flatMap((user, n) =>
        Array.from({ length: limits.userStreams }, () => ({ user, id: ids[n] ?? '' })),
      );
      await until('the end of what was closed before', async () => {
        return (await sql(deployment, 'SELECT 1 FROM stream_sockets')).length === 0 ? true : null;
      });
      // Opened one after the other, because a place that one user tried to take in vain is not free for the next at that very moment.
      const fill = async (replica: number) => {
        const all: Opened[] = [];
        for (const { user, id } of wanted) all.push(await open(user, id, replica));
        return all;
      };
      const opened = await fill(0);
      expect(served(opened)).toHaveLength(limits.replicaStreams);
      // Each user may have four in all: streams refused on the one replica may be opened on the other, up to six there.
      const there = await fill(1);
      expect(served(there)).toHaveLength(limits.replicaStreams);
      expectRefused([...opened, ...there]);
      await closeAll([...opened, ...there]);
    },
    testWithinMs,
  );
});
