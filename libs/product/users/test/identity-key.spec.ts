import { CommandBus } from '@nestjs/cqrs';
import { MintPartnerKey } from '@app/partners';
import { Database } from '@app/read-store';
import { IdentityKey, IdentityKeyLost } from '@app/users';
import { requestJson } from '@app/testing/client';
import { type Replica, Slices, testCause } from '@app/testing/slices';

/** The key of identities is gone, as after a restore that lacks the table of keys: no user may get a second account. */
let slices: Slices;
let first: Replica;
let key: string;
let kept: { readonly wrapped: Buffer }[];
beforeAll(async () => {
  slices = await Slices.start();
  first = await slices.replica({ projecting: true });
  const minted = await first.get(CommandBus).execute(new MintPartnerKey({ label: 'Acme', cause: testCause() }));
  key = minted.ok ? minted.value.key : '';
  expect((await ensure('ada', first)).status).toBe(200);
  kept = await rows("SELECT wrapped FROM sealing_keys WHERE key_id = 'd/identity'");
});
afterAll(() => slices.stop());

const rows = <Row>(sql: string, values: unknown[] = []) => first.get(Database).query<Row>(sql, values);

async function ensure(subject: string, on: Replica) {
  const authorization = `Bearer ${await slices.issuer.token({ sub: subject })}`;
  return requestJson<{ userId: string; reason?: string }>('POST', `${on.url}/v1/users`, undefined, {
    'x-api-key': key,
    authorization,
  });
}

const identities = () => rows<{ key_id: string }>("SELECT key_id FROM sealing_keys WHERE key_id LIKE '%/%' ORDER BY 1");

it('is not made again where there are identities: the start is refused, and so is every request', async () => {
  await rows("DELETE FROM sealing_keys WHERE key_id = 'd/identity'");
  const before = await identities();
  const late = await slices.replica({ projecting: false });
  const refused = late.get(IdentityKey).ensure();
  await expect(refused).rejects.toThrow(IdentityKeyLost);
  await expect(refused).rejects.toThrow(
    /^the key d\/identity .+ every user would get a second account; put the table back/,
  );
  for (const subject of ['ada', 'grace']) expect((await ensure(subject, late)).status).toBe(503);
  expect(await identities()).toEqual(before);
});

it('finds the users of before once it is put back', async () => {
  await rows("INSERT INTO sealing_keys (key_id, wrapped) VALUES ('d/identity', $1)", [kept[0]?.wrapped]);
  const late = await slices.replica({ projecting: false });
  await late.get(IdentityKey).ensure();
  expect((await ensure('ada', late)).body.userId).toBe((await ensure('ada', first)).body.userId);
});

it('lets nobody in where it was left out of a restore for good', async () => {
  await rows("UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = 'd/identity'");
  const before = await identities();
  const late = await slices.replica({ projecting: false });
  await late.get(IdentityKey).ensure();
  for (const subject of ['ada', 'grace']) expect((await ensure(subject, late)).status).toBe(503);
  expect(await identities()).toEqual(before);
});
