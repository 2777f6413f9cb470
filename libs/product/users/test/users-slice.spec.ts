import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { asId, NotInEffect, type UserId } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { ProjectionRunner, ReadGate } from '@app/read-store';
import { DisableUser, EnableUser, StoredAccounts } from '@app/users';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf, replay, type Replica, rowsOf, Slices, testCause } from '@app/testing/slices';

let slices: Slices;
let replica: Replica;
let other: Replica;
let key: string;
beforeAll(async () => {
  slices = await Slices.start();
  replica = await slices.replica({ projecting: true });
  other = await slices.replica({ projecting: false });
  const minted = await replica.get(CommandBus).execute(new MintPartnerKey({ label: 'Acme', cause: testCause() }));
  key = minted.ok ? minted.value.key : '';
});
afterAll(() => slices.stop());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(
  on: Replica,
  method: 'GET' | 'POST',
  path: string,
  subject: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(on.url + path, {
    method,
    headers: {
      'x-api-key': key,
      authorization: `Bearer ${await slices.issuer.token({ sub: subject })}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The users that were ever answered, by subject. */
const known = new Map<string, UserId>();
async function ensure(subject: string, on = replica, body?: unknown): Promise<Answer> {
  const answer = await call(on, 'POST', '/v1/users', subject, body);
  if (answer.status === 200) known.set(subject, asId<UserId>(String(answer.body['userId'])));
  return answer;
}
/** Returns the user of a subject; for one without an account an id that nobody has. */
const userIdOf = (subject: string): UserId => known.get(subject) ?? asId<UserId>(randomUUID());
const me = (subject: string, on = replica) => call(on, 'GET', '/v1/users/me', subject);
const change = (subject: string) => ({ userId: userIdOf(subject), reason: 'test', cause: testCause() });
const disable = (subject: string) => replica.get(CommandBus).execute(new DisableUser(change(subject)));
const enable = (subject: string) => replica.get(CommandBus).execute(new EnableUser(change(subject)));

describe('users.ensure and users.me', () => {
  it('make an account and show it on every replica at once', async () => {
    expect(await me('ada')).toMatchObject({ status: 412, body: { reason: 'account_not_provisioned' } });
    const made = await ensure('ada');
    expect(made).toEqual({
      status: 200,
      body: { userId: userIdOf('ada'), subject: 'ada', expiresAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    });
    expect(Date.parse(String(made.body['expiresAt'])) - Date.now()).toBeGreaterThan(3_500_000);
    for (const on of [replica, other])
      expect(await me('ada', on)).toMatchObject({ status: 200, body: { subject: 'ada' } });
    expect((await ensure('ada')).status).toBe(200);
  });

  it('make one account out of many calls at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ensure('racer', index % 2 ? replica : other)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body['userId'])).size).toBe(1);
    expect(await eventsOf(replica, [`user-${userIdOf('racer')}`])).toHaveLength(1);
  });

  it('take no body but an empty object', async () => {
    expect((await ensure('ada', replica, {})).status).toBe(200);
    expect(await ensure('ada', replica, { name: 'Ada' })).toMatchObject({
      status: 400,
      body: { reason: 'invalid_input', issues: [{ path: '/name' }] },
    });
  });

  it('refuse a disabled account, which provisioning does not bring back', async () => {
    await ensure('bob');
    expect(await disable('bob')).toMatchObject({ ok: true });
    for (const on of [replica, other]) {
      expect(await me('bob', on)).toMatchObject({ status: 403, body: { reason: 'account_disabled' } });
      expect(await ensure('bob', on)).toMatchObject({ status: 403, body: { reason: 'account_disabled' } });
    }
    expect(await enable('bob')).toMatchObject({ ok: true });
    expect((await me('bob', other)).status).toBe(200);
  });

  it('refuse an account that is disabled twice at once after either answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect(await Promise.all([disable('bob'), disable('bob')])).toMatchObject([{ ok: true }, { ok: true }]);
      expect((await me('bob')).status).toBe(403);
      await enable('bob');
    }
  });

  it('know no account that was never made', async () => {
    expect(await disable('nobody')).toMatchObject({ ok: false, refusal: { kind: 'not_found' } });
  });
});

describe('accounts', () => {
  const state = (subject: string) => other.get(StoredAccounts).accountState(userIdOf(subject));

  it('are told as of now from their streams', async () => {
    await ensure('eve');
    expect([await state('eve'), await state('nobody')]).toEqual(['active', 'absent']);
    await disable('eve');
    expect(await state('eve')).toBe('disabled');
  });

  it('are found many at a time, among any number that do not exist', async () => {
    const subjects = ['ada', 'eve', ...Array.from({ length: 40 }, (_, index) => `stranger ${index}`)];
    const found = await other.get(StoredAccounts).findMany(subjects.map((subject) => userIdOf(subject)));
    expect(found).toEqual(
      new Map<UserId, object>([
        [userIdOf('ada'), { disabled: false }],
        [userIdOf('eve'), { disabled: true }],
      ]),
    );
  });

  it('read the same when every event is replayed', async () => {
    const rows = await rowsOf(replica, 'users');
    expect(rows).toHaveLength(4);
    await replay(
      replica,
      await eventsOf(
        replica,
        rows.map((row) => `user-${String(row['user_id'])}`),
      ),
      ['users'],
    );
  });

  it('are found while nothing projects', async () => {
    await replica.get(ProjectionRunner).stop();
    while (replica.get(ReadGate).projecting) await sleep(50);
    expect((await ensure('late')).status).toBe(200);
    for (const on of [replica, other]) expect((await me('late', on)).status).toBe(200);
    expect(await rowsOf(replica, 'users')).toHaveLength(4);
  });

  it('that nothing projects are not called disabled as long as they are admitted', async () => {
    await expect(disable('ada')).rejects.toBeInstanceOf(NotInEffect);
    expect([await state('ada'), (await me('ada')).status]).toEqual(['disabled', 200]);
  });
});
