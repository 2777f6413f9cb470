import { identityHashKey } from '@app/sealing';

/** Names of keys in the metadata of events, as `JSON.stringify` writes them; the events are those of the embedded event store. */
const namedKeys = `
  SELECT DISTINCT substring(encode(metadata, 'escape') FROM '"sealed":\\{"key":"([uci]/[0-9a-f-]+)"') AS key_id
  FROM event_store.events`;

/**
 * Statements, in this order, for a database that was restored without its keys: every key that an event names counts as destroyed, and so
 * does that of identities. So the words are erased, nothing more is written as them, and no new key of identities is made, under which
 * every user would get another account.
 */
export const loseKeysStatements = [
  {
    text: `
      INSERT INTO sealing_keys (key_id, user_id, destroyed_at)
      SELECT key_id, CASE WHEN key_id ~ '^u/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN substr(key_id, 3)::uuid END, now()
      FROM (${namedKeys}) AS named WHERE key_id IS NOT NULL
      UNION ALL SELECT $1, NULL, now()
      ON CONFLICT DO NOTHING`,
    values: [identityHashKey.keyId],
  },
] as const;
