import { randomUUID } from 'node:crypto';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { EventStore, Streams, type StreamKind, type DomainEvent } from '@app/event-store';
import { Accounts, derivedIdOf, type KnownIdentity } from '@app/http';
import { asId, Clock, DamagedStream, type IdentityId, type UserId } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { Database, KeyErasure } from '@app/read-store';
import { EraseEarlierIdentity, EraseIdentities, FindIdentity, identityKind, userKind } from '@app/users';
import { version as versionOf } from 'uuid';
import { requestJson, type Answer } from '@app/testing/client';
import { type Replica, Slices, testCause } from '@app/testing/slices';

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

type User = Answer<{ userId: UserId; reason?: string }>;

async function call(on: Replica, method: 'GET' | 'POST', path: string, subject: string): Promise<User> {
  const authorization = `Bearer ${await slices.issuer.token({ sub: subject })}`;
  return requestJson(method, on.url + path, undefined, { 'x-api-key': key, authorization });
}

const ensure = (subject: string, on = replica) => call(on, 'POST', '/v1/users', subject);
const me = (subject: string, on = replica) => call(on, 'GET', '/v1/users/me', subject);
const refusalOf = ({ status, body }: User) => [status, body.reason];
const disabled = [403, 'account_disabled'];

async function identityOf(subject: string, issuer = slices.issuer.issuer): Promise<KnownIdentity> {
  return { id: await replica.get(Accounts).identityIdOf({ issuer, subject }), issuer, subject };
}

const read = (category: string, id: string) => replica.get(EventStore).readStream(`${category}-${id}`, 0, 10);
const rows = (sql: string, ...parameters: unknown[]) =>
  replica.get(Database).query<Record<string, unknown>>(sql, parameters);

/** Appends what a command decides, as another process or an earlier version does. */
async function decide<State, Command, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  id: string,
  command: Command,
): Promise<void> {
  const done = await replica.get(Streams).decide(kind, id, command, testCause());
  if (!done.ok) throw new Error('refused');
}
const now = () => replica.get(Clock).now();
const erase = ({ id }: KnownIdentity) => decide(identityKind, id, { type: 'EraseIdentity', at: now() });

/** Makes an account as earlier versions made them. */
async function earlierAccount(subject: string): Promise<UserId> {
  const identity = await identityOf(subject);
  const userId = asId<UserId>(derivedIdOf(identity));
  const { issuer } = identity;
  await decide(userKind, userId, { type: 'EnsureUser', at: now(), issuer, subject });
  return userId;
}

describe('an identity', () => {
  it('is one random user, however many ask for it at once and where', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ensure('racer', index % 2 ? replica : other)),
    );
    const [{ body }] = answers as [User];
    for (const answer of answers) expect([answer.status, answer.body.userId]).toEqual([200, body.userId]);
    const identity = await identityOf('racer');
    expect([versionOf(body.userId), body.userId === derivedIdOf(identity)]).toEqual([4, false]);
    expect(await read('identity', identity.id)).toMatchObject([
      { type: 'identity.opened', payload: { userId: body.userId } },
    ]);
    expect(await read('user', body.userId)).toMatchObject([{ type: 'user.provisioned' }]);
  });

  it('has a key that belongs to the very user that its stream names, so that it is destroyed with them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const subject = `owner-${round}`;
      const answers = await Promise.all([
        ensure(subject),
        ensure(subject, other),
        ensure(subject),
        ensure(subject, other),
      ]);
      const { id } = await identityOf(subject);
      const owners = await rows('SELECT user_id FROM sealing_keys WHERE key_id = $1', `i/${id}`);
      expect(owners).toEqual([{ user_id: answers[0].body.userId }]);
    }
  });

  it('is named by a hash under a random key of the deployment, which tells issuers apart', async () => {
    const ids = [await identityOf('ada'), await identityOf('ada', 'https://another.example')];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
    for (const { id } of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(await other.get(Accounts).identityIdOf({ issuer: slices.issuer.issuer, subject: 'ada' })).toBe(ids[0]?.id);
    expect(
      await rows(`SELECT user_id, octet_length(wrapped) AS bytes FROM sealing_keys WHERE key_id = 'd/identity'`),
    ).toEqual([{ user_id: null, bytes: 60 }]);
  });

  it('leads by no id of a request to the events of its user', async () => {
    const { body } = await ensure('unlinked');
    const { id } = await identityOf('unlinked');
    const [[opened], [provisioned]] = [await read('identity', id), await read('user', body.userId)];
    const texts = Object.values(provisioned?.metadata ?? {}).filter((value) => typeof value === 'string');
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(JSON.stringify(opened?.metadata)).not.toContain(text);
    expect(JSON.stringify(opened?.metadata)).not.toContain(body.userId);
  });

  it('that was opened before the process died gets its account by the next call', async () => {
    const identity = await identityOf('cut');
    const userId = asId<UserId>(randomUUID());
    await decide(identityKind, identity.id, { type: 'OpenIdentity', at: now(), userId });
    for (const on of [replica, other]) expect(refusalOf(await me('cut', on))).toEqual([412, 'account_not_provisioned']);
    expect((await ensure('cut', other)).body.userId).toBe(userId);
    for (const on of [replica, other]) expect((await me('cut', on)).body.userId).toBe(userId);
  });
});

describe('an account of an earlier version', () => {
  it('is found before and after its identity is opened, with the id that it has', async () => {
    const userId = await earlierAccount('old');
    const identity = await identityOf('old');
    expect(refusalOf(await me('older'))).toEqual([412, 'account_not_provisioned']);
    for (const on of [replica, other]) expect((await me('old', on)).body.userId).toBe(userId);
    expect(await read('identity', identity.id)).toEqual([]);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => ensure('old', index % 2 ? replica : other)),
    );
    for (const { status, body } of answers) expect([status, body.userId]).toEqual([200, userId]);
    expect(await read('identity', identity.id)).toMatchObject([{ type: 'identity.opened', payload: { userId } }]);
    expect(await read('user', userId)).toHaveLength(1);
  });

  it('that is disabled stays so', async () => {
    const userId = await earlierAccount('gone');
    await decide(userKind, userId, { type: 'DisableUser', at: now(), reason: 'a test' });
    for (const on of [replica, other]) expect(refusalOf(await ensure('gone', on))).toEqual(disabled);
  });

  it('is never found again once its identity was erased', async () => {
    await earlierAccount('old-erased');
    await erase(await identityOf('old-erased'));
    for (const on of [replica, other]) {
      expect(refusalOf(await me('old-erased', on))).toEqual(disabled);
      expect(refusalOf(await ensure('old-erased', on))).toEqual(disabled);
    }
  });
});

describe('an erased identity', () => {
  it('is refused as disabled, and gets no new account', async () => {
    await ensure('erased');
    const identity = await identityOf('erased');
    await erase(identity);
    // A process that knows the user learns of it by the user's own stream; `users.ensure` reads the identity's each time.
    for (const on of [replica, other]) expect(refusalOf(await ensure('erased', on))).toEqual(disabled);
    expect(refusalOf(await me('erased', other))).toEqual(disabled);
    expect((await read('identity', identity.id)).map(({ type }) => type)).toEqual([
      'identity.opened',
      'identity.erased',
    ]);
  });

  it('is erased with its user, and nothing leads from one to the other', async () => {
    const { body } = await ensure('leaver');
    const { id } = await identityOf('leaver');
    await replica.get(KeyErasure).destroy(body.userId);
    for (let again = 0; again < 2; again += 1) await replica.get(CommandBus).execute(new EraseIdentities(body.userId));
    expect(refusalOf(await ensure('leaver', other))).toEqual(disabled);
    const events = await replica.get(EventStore).readStream(`identity-${id}`, 0, 10);
    expect(events.map(({ type }) => type)).toEqual(['identity.opened', 'identity.erased']);
    expect(JSON.stringify(events)).not.toContain(body.userId);
    expect(await rows('SELECT user_id, wrapped FROM sealing_keys WHERE key_id = $1', `i/${id}`)).toEqual([
      { user_id: null, wrapped: null },
    ]);
    const gone = await replica
      .get(QueryBus)
      .execute(new FindIdentity({ issuer: slices.issuer.issuer, subject: 'leaver' }));
    expect(gone).toBeNull();
  });

  it('of an account that an earlier version made is never opened once the keys are destroyed, and leads nowhere', async () => {
    const userId = await earlierAccount('unknown-leaver');
    await replica.get(KeyErasure).destroy(userId);
    for (const on of [replica, other]) expect(refusalOf(await ensure('unknown-leaver', on))).toEqual(disabled);
    const { id } = await identityOf('unknown-leaver');
    expect(await read('identity', id)).toEqual([]);
    expect(await rows('SELECT key_id FROM sealing_keys WHERE key_id = $1', `i/${id}`)).toEqual([]);
  });

  it('of an account that an earlier version made is erased while its subject can be read', async () => {
    const userId = await earlierAccount('early-leaver');
    expect((await me('early-leaver')).status).toBe(200);
    const { id } = await identityOf('early-leaver');
    for (let again = 0; again < 2; again += 1) await replica.get(CommandBus).execute(new EraseEarlierIdentity(userId));
    const events = await replica.get(EventStore).readStream(`identity-${id}`, 0, 10);
    expect(events.map(({ type }) => type)).toEqual(['identity.erased']);
    await replica.get(KeyErasure).destroy(userId);
    expect(refusalOf(await ensure('early-leaver', other))).toEqual(disabled);
    const late = (await ensure('stayer')).body.userId;
    await replica.get(CommandBus).execute(new EraseEarlierIdentity(late));
    expect((await ensure('stayer', other)).body.userId).toBe(late);
  });

  it('counts as erased as soon as its key is gone, and its stream no longer names its user', async () => {
    const { body } = await ensure('keyless');
    const { id } = await identityOf('keyless');
    await rows('UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1', `i/${id}`);
    const fresh = await slices.replica({ projecting: false });
    expect(refusalOf(await me('keyless', fresh))).toEqual(disabled);
    expect(refusalOf(await ensure('keyless', fresh))).toEqual(disabled);
    const [opened] = await fresh.get(EventStore).readStream(`identity-${id}`, 0, 10);
    expect(opened?.payload['userId']).toEqual({ erased: true });
    expect(JSON.stringify(opened)).not.toContain(body.userId);
  });
});

it('issuers and subjects are in no byte of the event store and of PostgreSQL', async () => {
  const subject = `subject-${randomUUID()}`;
  const { body } = await ensure(subject);
  expect((await me(subject, other)).status).toBe(200);
  const { id } = await identityOf(subject);
  const tables = await rows(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(10);
  const holding = async (word: string) => {
    const found: unknown[] = [];
    const hex = Buffer.from(word).toString('hex');
    for (const { name } of tables) {
      // Reason for the assertion: PostgreSQL quoted the name.
      const sql = `SELECT 1 FROM ${name as string} AS r WHERE position($1 in r::text) > 0 OR position($2 in r::text) > 0 LIMIT 1`;
      if ((await rows(sql, word, hex)).length > 0) found.push(name);
    }
    return found;
  };
  // The search finds what is there.
  expect(await holding(`user-${body.userId}`)).toContain('event_store.events');
  expect(await holding(id)).toEqual(expect.arrayContaining(['event_store.events', 'public.sealing_keys']));
  for (const word of [subject, slices.issuer.issuer]) expect([word, await holding(word)]).toEqual([word, []]);
});

it('an identity whose stream is damaged is refused alone', async () => {
  const { body } = await ensure('whole');
  const [whole, damaged] = [await identityOf('whole'), await identityOf('damaged')];
  await replica.get(EventStore).client.tombstoneStream(`identity-${damaged.id}`);
  const fresh = await slices.replica({ projecting: false });
  expect(await fresh.get(Accounts).findByIdentity([damaged, whole])).toEqual(
    new Map<IdentityId, unknown>([
      [damaged.id, expect.any(DamagedStream)],
      [whole.id, { userId: body.userId, disabled: false }],
    ]),
  );
  const answers = await Promise.all([me('damaged', fresh), me('whole', fresh)]);
  expect(answers.map(({ status }) => status)).toEqual([404, 200]);
});
