import { CommandBus } from '@nestjs/cqrs';
import { PartnerKeys } from '@app/http';
import { asId, NotInEffect } from '@app/kernel';
import { MintPartnerKey, RevokePartnerKey } from '@app/partners';
import { ProjectionRunner, ReadGate } from '@app/read-store';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf, replay, type Replica, rowsOf, Slices, testCause } from '@app/testing/slices';

let slices: Slices;
let replica: Replica;
let other: Replica;
beforeAll(async () => {
  slices = await Slices.start();
  replica = await slices.replica({ projecting: true });
  other = await slices.replica({ projecting: false });
});
afterAll(() => slices.stop());

const cause = testCause();
const givenKey = `pk_${'s'.repeat(43)}`;

async function mint(label: string, key?: string, on = replica) {
  return on.get(CommandBus).execute(new MintPartnerKey({ label, cause, ...(key === undefined ? {} : { key }) }));
}

async function minted(label: string, key?: string, on = replica) {
  const result = await mint(label, key, on);
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const knownAs = async (digest: string) => (await other.get(PartnerKeys).findMany([digest, 'another'])).get(digest);
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex');
const found = async (key: string) => {
  return (await knownAs(digestOf(key)))?.keyId;
};
const reasonFor = async (key: string) => {
  const response = await fetch(`${other.url}/v1/users/me`, { headers: { 'x-api-key': key } });
  return [response.status, ((await response.json()) as { reason?: string }).reason];
};

describe('a partner key', () => {
  it('is admitted as soon as it is minted, and not once it is revoked', async () => {
    const { key, keyId, label, createdAt } = await minted('Acme');
    expect(key).toMatch(/^pk_[A-Za-z0-9_-]{43}$/);
    expect({ label, createdAt }).toEqual({ label: 'Acme', createdAt: expect.stringMatching(/Z$/) });
    expect(await found(key)).toBe(keyId);
    expect(await other.get(PartnerKeys).live([keyId])).toEqual(new Set([keyId]));
    // The key is accepted: only the user's token is missing now.
    expect(await reasonFor(key)).toEqual([401, undefined]);

    const revoke = () => replica.get(CommandBus).execute(new RevokePartnerKey({ keyId, cause }));
    expect(await revoke()).toEqual({ ok: true, value: undefined });
    expect(await revoke()).toEqual({ ok: true, value: undefined });
    expect(await found(key)).toBeUndefined();
    expect(await other.get(PartnerKeys).live([keyId])).toEqual(new Set());
  });

  it('is another one each time', async () => {
    const [one, two] = [await minted('one'), await minted('two')];
    expect(one.key).not.toBe(two.key);
    expect([await found(one.key), await found(two.key)]).toEqual([one.keyId, two.keyId]);
  });

  it('is stored nowhere', async () => {
    const { key, keyId } = await minted('Secret');
    const stored = JSON.stringify([
      await eventsOf(replica, [`partner-${keyId}`]),
      await rowsOf(replica, 'partner_keys'),
    ]);
    expect(stored).toContain('Secret');
    expect(stored).not.toContain(key.slice(3));
  });

  it('that was given is minted once, also by two replicas at once and at every start', async () => {
    const all = await Promise.all([replica, other, replica, other].map((on) => minted('Sandbox', givenKey, on)));
    const again = await minted('Renamed', givenKey);
    expect(new Set([...all, again].map(({ keyId }) => keyId)).size).toBe(1);
    expect(again).toEqual({ ...all[0], key: givenKey, label: 'Sandbox' });
    expect(await eventsOf(replica, [`partner-${again.keyId}`])).toHaveLength(1);
    expect(await found(givenKey)).toBe(again.keyId);
  });

  it('that was given without the feed is granted it at the next start that asks for it', async () => {
    const key = `pk_${'f'.repeat(43)}`;
    const { keyId } = await minted('Sandbox', key);
    expect(await knownAs(digestOf(key))).toEqual({ keyId, feed: false });
    const withFeed = () =>
      replica.get(CommandBus).execute(new MintPartnerKey({ label: 'Sandbox', key, feed: true, cause }));
    expect([(await withFeed()).ok, (await withFeed()).ok]).toEqual([true, true]);
    expect(await knownAs(digestOf(key))).toEqual({ keyId, feed: true });
    expect((await eventsOf(replica, [`partner-${keyId}`])).map(({ type }) => type)).toEqual([
      'partner_key.minted',
      'partner_key.feed_granted',
    ]);
  });

  it('that was given and revoked does not come back', async () => {
    const key = `pk_${'r'.repeat(43)}`;
    const { keyId } = await minted('Old', key);
    await replica.get(CommandBus).execute(new RevokePartnerKey({ keyId, cause }));
    expect(await mint('Old', key)).toMatchObject({ ok: false, refusal: { reason: 'partner_key_invalid' } });
    expect(await found(key)).toBeUndefined();
  });

  it.each(['', 'pk_', `pk_${'s'.repeat(42)}`, `PK_${'s'.repeat(43)}`, `pk_${'s'.repeat(42)}=`])(
    'is not taken as %p',
    async (key) => expect(await mint('Odd', key)).toMatchObject({ ok: false, refusal: { issues: [{ path: '/key' }] } }),
  );

  it('that is revoked twice at once is admitted after neither answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, keyId } = await minted(`Twice ${round}`);
      const revoke = () => replica.get(CommandBus).execute(new RevokePartnerKey({ keyId, cause }));
      expect(await Promise.all([revoke(), revoke()])).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await found(key)).toBeUndefined();
    }
  });

  it('that does not exist is neither admitted nor revoked', async () => {
    expect(await reasonFor(`pk_${'x'.repeat(43)}`)).toEqual([401, 'partner_key_invalid']);
    const keyId = asId<never>('018f0000-0000-7000-8000-000000000000');
    expect(await replica.get(CommandBus).execute(new RevokePartnerKey({ keyId, cause }))).toMatchObject({
      refusal: { kind: 'not_found' },
    });
  });

  it('reads the same when every event is replayed', async () => {
    const rows = await rowsOf(replica, 'partner_keys');
    expect(rows.length).toBeGreaterThan(3);
    await replay(
      replica,
      await eventsOf(
        replica,
        rows.map((row) => `partner-${String(row['key_id'])}`),
      ),
      ['partner_keys'],
    );
  });
});

it('a key is not called revoked as long as the read model of keys admits it', async () => {
  const { key, keyId } = await minted('Behind');
  await replica.get(ProjectionRunner).stop();
  while (replica.get(ReadGate).projecting) await sleep(50);
  const revoke = () => replica.get(CommandBus).execute(new RevokePartnerKey({ keyId, cause }));
  for (let asked = 0; asked < 2; asked += 1) await expect(revoke()).rejects.toBeInstanceOf(NotInEffect);
  expect(await found(key)).toBe(keyId);
  expect((await eventsOf(replica, [`partner-${keyId}`])).map(({ type }) => type).at(-1)).toBe('partner_key.revoked');
});
