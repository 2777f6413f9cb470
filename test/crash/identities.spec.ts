/** An api that dies between the steps of `users.ensure`: the identity, its key and its account become one, by the next call. */
import { randomUUID } from 'node:crypto';
import { requestJson } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { answered, sql } from '@app/testing/journeys';
import type { KillOrder, KillOrders } from './kill-orders';
import { startKillable, type Killable } from './killable';
import { layoutsTried, spread } from './layouts';

/** Appends of a first `users.ensure`: 1 opens the identity, 2 provisions the account. */
const deaths: readonly (KillOrder & { readonly opened: boolean; readonly provisioned: boolean })[] = [
  { point: 'append:before', nth: 1, opened: false, provisioned: false },
  { point: 'append:after', nth: 1, opened: true, provisioned: false },
  { point: 'append:before', nth: 2, opened: true, provisioned: false },
  { point: 'append:after', nth: 2, opened: true, provisioned: true },
];

interface User {
  readonly userId: string;
  readonly reason?: string;
}

async function newHeaders(deployment: Deployment): Promise<Record<string, string>> {
  const { accessToken } = await deployment.sandbox<{ accessToken: string }>('POST', 'tokens', {
    subject: `someone-${randomUUID()}`,
  });
  return { 'x-api-key': deployment.partnerKey, authorization: `Bearer ${accessToken}` };
}

const opened = (deployment: Deployment) =>
  sql<{ stream: string }>(deployment, `SELECT stream FROM event_store.events WHERE type = 'identity.opened'`);
const provisioned = (deployment: Deployment) =>
  sql<{ stream: string }>(deployment, `SELECT stream FROM event_store.events WHERE type = 'user.provisioned'`);
const ownerOf = async (deployment: Deployment, stream: string) => {
  const keyId = stream.replace('identity-', 'i/');
  return sql<{ user_id: string }>(deployment, 'SELECT user_id FROM sealing_keys WHERE key_id = $1', [keyId]);
};

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  beforeAll(async () => {
    killable = await startKillable(spread(layout, 'api'));
    ({ deployment, orders } = killable);
  });
  afterAll(() => killable.stop());

  const ensure = (url: string | undefined, headers: Record<string, string>) =>
    requestJson<User>('POST', `${url}/v1/users`, undefined, headers);

  it.each(deaths)('that dies at $point $nth', async (death) => {
    const [headers, [api]] = [await newHeaders(deployment), deployment.apis];
    const before = { opened: (await opened(deployment)).length, provisioned: (await provisioned(deployment)).length };
    await orders.give(api!.pid, { point: death.point, nth: death.nth });
    await expect(ensure(deployment.baseUrls[0], headers)).rejects.toMatchObject({ message: 'fetch failed' });
    expect((await opened(deployment)).length - before.opened).toBe(death.opened ? 1 : 0);
    expect((await provisioned(deployment)).length - before.provisioned).toBe(death.provisioned ? 1 : 0);
    await api!.restart();

    const later = deployment.baseUrls.at(-1);
    const found = await requestJson<User>('GET', `${later}/v1/users/me`, undefined, headers);
    expect([found.status, found.body.reason]).toEqual(
      death.provisioned ? [200, undefined] : [412, 'account_not_provisioned'],
    );
    const { status, body } = await answered(() => ensure(later, headers));
    expect(status).toBe(200);
    for (const url of deployment.baseUrls) expect((await answered(() => ensure(url, headers))).body).toEqual(body);

    const identities = await opened(deployment);
    expect(identities).toHaveLength(before.opened + 1);
    expect((await provisioned(deployment)).map(({ stream }) => stream).slice(before.provisioned)).toEqual([
      `user-${body.userId}`,
    ]);
    expect(await ownerOf(deployment, identities.at(-1)?.stream ?? '')).toEqual([{ user_id: body.userId }]);
  });
});

it('two processes that are asked at once name one user', async () => {
  const deployment = await startDeployment(spread('apart, over two replicas', 'api'));
  try {
    for (let round = 0; round < 5; round += 1) {
      const headers = await newHeaders(deployment);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          requestJson<User>('POST', `${deployment.baseUrls[index % 2]}/v1/users`, undefined, headers),
        ),
      );
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.userId}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
      expect(await opened(deployment)).toHaveLength((await provisioned(deployment)).length);
    }
  } finally {
    await deployment.stop();
  }
});
