import type { ConversationId, UserId } from '@app/kernel';
import type { Database } from '@app/read-store';

/** Returns erased users who have keys again, as after a restore of older keys. @throws Unavailable */
export async function usersWithRestoredKeys(database: Database, max: number): Promise<readonly UserId[]> {
  const rows = await database.query<{ readonly userId: UserId }>(
    `SELECT user_id AS "userId" FROM {erasures} AS e WHERE NOT is_open AND EXISTS (
       SELECT 1 FROM sealing_keys AS k WHERE k.user_id = e.user_id AND k.wrapped IS NOT NULL) LIMIT $1`,
    [max],
  );
  return rows.map(({ userId }) => userId);
}

/** Returns closed conversations that have keys again. @throws Unavailable */
export async function conversationsWithRestoredKeys(
  database: Database,
  max: number,
): Promise<readonly ConversationId[]> {
  const rows = await database.query<{ readonly id: ConversationId }>(
    `SELECT c.id FROM {archived_conversations} AS c JOIN sealing_keys AS k ON k.key_id = 'c/' || c.id
     WHERE c.is_closed AND k.wrapped IS NOT NULL LIMIT $1`,
    [max],
  );
  return rows.map(({ id }) => id);
}
