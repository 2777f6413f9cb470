import { Unavailable } from '@app/kernel';
import { conversationsWithRestoredKeys, usersWithRestoredKeys } from '@app/privacy';
import type { Database } from '@app/read-store';
import { identityHashKey } from '@app/sealing';
import { findingsOf, type Finding } from './doctor-finding';

const { ok, warning, bad } = findingsOf('keys of words');
/** More are not counted. */
const countMax = 1_000;

/** Whether the keys of identities and of sealed words are there, and whether words that were erased can be opened again. Changes nothing. */
export async function keysFindings(opened: Database): Promise<readonly Finding[]> {
  try {
    await opened.tables.look();
    const found = [
      ...(await identityFindings(opened)),
      ...(await missingFindings(opened)),
      ...(await restoredFindings(opened)),
    ];
    return found.length > 0 ? found : [ok('that of identities is there, and none of erased users')];
  } catch (error) {
    // The read models of this version are being built.
    if (error instanceof Unavailable)
      return [warning('not known while read models are being built: check again later')];
    throw error;
  }
}

async function identityFindings(opened: Database): Promise<readonly Finding[]> {
  const { keyId } = identityHashKey;
  const [row] = await opened.query<{ isThere: boolean; isLeftOut: boolean; hasUsers: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = $1) AS "isThere",
       EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = $1 AND wrapped IS NULL) AS "isLeftOut",
       EXISTS (SELECT 1 FROM {users}) AS "hasUsers"`,
    [keyId],
  );
  if (row?.isLeftOut === true)
    return [warning('they were left out of the restore of these stores: words are erased, and no user can sign in')];
  if (row?.isThere === true || row?.hasUsers === false) return [];
  return [
    bad(
      `${keyId} is missing from the table sealing_keys, and there are users: under a new key each would get a second account; put the table back from where its keys are kept (docs/production.md, "Backups")`,
    ),
  ];
}

/**
 * Words without a key are shown as erased, and once another key is made in its place, it cannot be put back. Conversations of erased users
 * need none: those that were sealed after the erasure never had one.
 */
async function missingFindings(opened: Database): Promise<readonly Finding[]> {
  const [row] = await opened.query<{ users: number; conversations: number }>(
    `SELECT (SELECT count(*)::integer FROM (
         SELECT 1 FROM {users} AS u WHERE u.issuer LIKE '{"sealed":"1:u/%'
           AND NOT EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = 'u/' || u.user_id) LIMIT $1) AS found) AS users,
       (SELECT count(*)::integer FROM (
         SELECT 1 FROM {conversations} AS c WHERE NOT EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = 'c/' || c.id)
           AND NOT EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = 'u/' || c.user_id AND wrapped IS NULL)
           AND (c.title LIKE '{"sealed":"1:c/%' OR EXISTS (
             SELECT 1 FROM {messages} AS m WHERE m.conversation_id = c.id AND m.text LIKE '{"sealed":"1:c/%'))
         LIMIT $1) AS found) AS conversations`,
    [countMax],
  );
  const { users, conversations } = row ?? { users: 0, conversations: 0 };
  if (users + conversations === 0) return [];
  return [
    bad(
      `${users} users and ${conversations} conversations have words and no key in the table sealing_keys, as after a restore of an older database: they are shown as erased, though nobody erased them; stop the service and put the rows back from where keys are kept (docs/production.md, "Backups"), before other keys are made in their place`,
    ),
  ];
}

async function restoredFindings(opened: Database): Promise<readonly Finding[]> {
  const users = (await usersWithRestoredKeys(opened, countMax)).length;
  const conversations = (await conversationsWithRestoredKeys(opened, countMax)).length;
  if (users + conversations === 0) return [];
  return [
    bad(
      `${users} erased users and ${conversations} closed conversations have keys again, as after a restore of older keys: start a worker, which destroys them within a minute`,
    ),
  ];
}
