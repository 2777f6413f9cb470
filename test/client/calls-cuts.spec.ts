import { randomUUID } from 'node:crypto';
import { isUnreachable, ParleyClient, type Schemas } from '@parley/client';
import { conversationOf, defined, read, untilEnded } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { clientOf, patience } from './clients';
import { CuttingProxy } from '@app/testing/proxies';

const calls = process.env['FIGURES'] === 'full' ? 300 : 12;
const withinMs = 600_000;

let deployment: Deployment;
let user: TestClient;
let proxy: CuttingProxy;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { EXECUTION_CAPACITY: '1000', BUDGET_DAY_CENTS: '1000000' },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  proxy = await CuttingProxy.start(deployment.baseUrls[0] ?? '', { seed: 7 });
});
beforeEach(async () => {
  user = await deployment.newUser();
});
afterAll(async () => {
  const { connections, up, beforeAnswer, inAnswer } = proxy.cuts;
  process.stdout.write(
    `client calls: ${proxy.total} cuts of ${connections} connections ` +
      `(${up} on the way there, ${beforeAnswer} before the answer, ${inAnswer} in it): every call answered, nothing done twice\n`,
  );
  await proxy.stop();
  await deployment.stop();
});

const inTurn = async <Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> => {
  const done: Value[] = [];
  for (let index = 0; index < count; index += 1) done.push(await work(index));
  return done;
};

describe('calls through a proxy that cuts every connection', () => {
  it(
    'start each run once',
    async () => {
      const client = clientOf(user, proxy.baseUrl, patience);
      const path = { userId: user.userId };
      const started = await inTurn(calls, async () => {
        const conversationId = await conversationOf(user);
        const body = { conversationId, input: { text: 'repeat after me: once' } };
        const { data } = await client.api.POST('/v1/users/{userId}/agent-runs', { params: { path }, body });
        expect(data.conversationId).toBe(conversationId);
        return data.runId;
      });
      for (const runId of started) await untilEnded(user, runId);
      const listed: string[] = [];
      for await (const run of client.pages('/v1/users/{userId}/agent-runs', {
        params: { path, query: { limit: 3 } },
      })) {
        listed.push(run.id);
      }
      expect(listed).toEqual([...started].reverse());
    },
    withinMs,
  );

  it(
    'hand in each signal once',
    async () => {
      const client = clientOf(user, proxy.baseUrl, patience);
      const { id } = await defined(user, {
        firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
      });
      const { revision } = await read(user, id);
      const count = Math.min(calls, 60);
      const inputs = await inTurn(count, async (index) => {
        const params = { path: { userId: user.userId, automationId: id } };
        const { data } = await client.api.POST('/v1/users/{userId}/automations/{automationId}/signal', {
          params,
          body: { revision, input: { index } },
        });
        return data.inputId;
      });
      expect(new Set(inputs).size).toBe(count);
      // Each signal is a match, so there must be exactly as many occurrences, each accepted in turn.
      await until('all occurrences', async () => {
        const { body } = await user.get<{ occurrences: number }>(`/automations/${id}`);
        expect(body.occurrences).toBeLessThanOrEqual(count);
        return body.occurrences === count ? true : null;
      });
    },
    withinMs,
  );

  it(
    'read and write what may be repeated, as if nothing had been cut',
    async () => {
      const client = clientOf(user, proxy.baseUrl, patience);
      const conversationId = await conversationOf(user);
      const params = { path: { userId: user.userId, conversationId } };
      await inTurn(calls, async (index) => {
        const title = `title ${index}`;
        const path = '/v1/users/{userId}/conversations/{conversationId}';
        expect((await client.api.PATCH(path, { params, body: { title } })).data.title).toBe(title);
        expect((await client.api.GET(path, { params })).data.title).toBe(title);
        expect((await client.api.POST('/v1/users')).data.userId).toBe(user.userId);
      });
      const archive = '/v1/users/{userId}/conversations/{conversationId}/archive';
      expect((await client.api.POST(archive, { params })).response.status).toBe(204);
    },
    withinMs,
  );

  it(
    'never repeat what might be done twice, and say that nobody knows',
    async () => {
      const client = clientOf(user, proxy.baseUrl, patience);
      const outcomes = await inTurn(calls, async () => {
        const title = randomUUID();
        const params = { path: { userId: user.userId } };
        const outcome = await client.api.POST('/v1/users/{userId}/conversations', { params, body: { title } }).then(
          () => 'done',
          (error: unknown) => (isUnreachable(error) ? error.outcome : String(error)),
        );
        return [title, outcome] as const;
      });
      const titles: Schemas['Conversation']['title'][] = [];
      for await (const { title } of client.pages('/v1/users/{userId}/conversations', {
        params: { path: { userId: user.userId }, query: { limit: 7 } },
      })) {
        titles.push(title);
      }
      expect(new Set(titles).size).toBe(titles.length);
      for (const [title, outcome] of outcomes) {
        expect(['done', 'unknown']).toContain(outcome);
        if (outcome === 'done') expect(titles).toContain(title);
      }
      expect(outcomes.some(([, outcome]) => outcome === 'unknown')).toBe(true);
    },
    withinMs,
  );

  it(
    'ask for a fresh token when the service says that the old one has expired',
    async () => {
      const subject = `user-${randomUUID()}`;
      const mint = async () =>
        (await deployment.sandbox<{ accessToken: string }>('POST', 'tokens', { subject, expiresInSeconds: 600 }))
          .accessToken;
      let token = await mint();
      let renewals = 0;
      const userToken = async ({ renew }: { readonly renew: boolean }) => {
        if (renew) {
          renewals += 1;
          token = await mint();
        }
        return token;
      };
      const { partnerKey } = deployment;
      const client = new ParleyClient({ baseUrl: proxy.baseUrl, partnerKey, userToken, retry: patience });
      const { data: account } = await client.api.POST('/v1/users');
      const params = { path: { userId: account.userId } };
      await deployment.sandbox('POST', 'clock', { advanceSeconds: 700 });
      for await (const conversation of client.pages('/v1/users/{userId}/conversations', { params })) {
        throw new Error(`nobody made ${conversation.id}`);
      }
      expect(renewals).toBe(1);

      const { id: conversationId } = (
        await new TestClient(deployment.baseUrls[0] ?? '', partnerKey, token, account.userId).post('/conversations')
      ).body;
      await deployment.sandbox('POST', 'clock', { advanceSeconds: 700 });
      for await (const frame of client.stream({ userId: account.userId, conversationId: String(conversationId) })) {
        expect(frame.payload.type).toBe('conversation.created');
        break;
      }
      expect(renewals).toBe(2);
    },
    withinMs,
  );
});
