/** The users who can harm streams follow from the access list of the server, as far as the account of the service can read it. */
import { jsonEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { EmbeddedStore } from '@app/testing/event-store';
import { accessListFor, accessWarning, accountIn, checkStreamAccess, protectStreams } from '../src';

const url = 'esdb://parley:a%20secret@events.internal:2113?tls=true';
let embedded: EmbeddedStore;
let client: EventStoreDBClient;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  ({ client } = embedded.connect());
});
afterAll(() => embedded?.stop());

const listed = (acl: object) =>
  client.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data: { $userStreamAcl: acl } }));

it.each([
  [url, 'parley'],
  ['esdb+discover://a%40b@one:2113,two:2113', 'a@b'],
  ['esdb://events.internal:2113?tls=false', null],
])('finds the account in %s', (named, account) => {
  expect(accountIn(named)).toBe(account);
});

it('says nothing of the embedded store, and of a store without users that everybody may do everything', async () => {
  expect(accessWarning(await checkStreamAccess('unix:/a/socket', client))).toBeNull();
  const open = await checkStreamAccess('esdb://localhost:2113?tls=false&keepAliveInterval=1', client);
  expect(accessWarning(open)).toMatch(/^the event store knows no users \(tls=false\)/);
});

it('names who may delete, truncate and write, as long as nobody says otherwise: every user', async () => {
  const access = await checkStreamAccess(url, client);
  expect(access).toMatchObject({ kind: 'known', isSet: false, mayDelete: ['$all'], mayTruncate: ['$all'] });
  expect(accessWarning(access)).toMatch(
    /^the event store lets every user delete streams, every user truncate them, every user write into them: say parley protect-streams/,
  );
});

it('goes by the newest list, and by the default of the server where that is silent', async () => {
  await listed({ $d: ['$admins', 'ops'], $mw: '$admins', $w: ['parley', 'importer'] });
  const access = await checkStreamAccess(url, client);
  expect(access).toMatchObject({ isSet: true, mayDelete: ['ops'], mayTruncate: [], mayWrite: ['importer'] });
  expect(accessWarning(access)).toMatch(/lets ops delete streams, importer write into them:/);
  await listed({ $d: '$admins' });
  expect(await checkStreamAccess(url, client)).toMatchObject({ mayDelete: [], mayTruncate: ['$all'] });
});

it('is protected by one list, after which only an administrator is left to name', async () => {
  await protectStreams(client, 'parley');
  const access = await checkStreamAccess(url, client);
  expect(access).toMatchObject({ isSet: true, mayDelete: [], mayTruncate: [], mayWrite: [] });
  // The embedded store lets every user read the metadata of `$settings`, as an administrator may.
  expect(accessWarning(access)).toMatch(/^the account of EVENTSTORE_URL is an administrator/);
  expect(
    accessWarning({ kind: 'known', isSet: true, mayDelete: [], mayTruncate: [], mayWrite: [], isAdmin: false }),
  ).toBeNull();
  expect(accessListFor('parley')['$userStreamAcl']).toMatchObject({ $w: 'parley', $d: '$admins', $mw: '$admins' });
});
