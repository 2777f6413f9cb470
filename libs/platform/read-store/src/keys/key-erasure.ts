import { TookTooLong, type ConversationId, type UserId } from '@app/kernel';
import { conversationKeyId } from '@app/sealing';
import { Client } from 'pg';
import type { Database } from '../database/database';
import { answering } from '../postgres/postgres-errors';

/** The channel on which processes are notified of a user whose keys were destroyed; the payload is the user's id. */
export const keysDestroyed = 'parley_keys_destroyed';

/** How many keys of a user are destroyed, by what they were for. */
export interface DestroyedKeys {
  /** The user's own key: 1. */
  readonly user: number;
  /** The salts of the user's conversations. */
  readonly conversations: number;
  /** Keys that tell which user an identity is. */
  readonly identities: number;
}

/**
 * The rewrite waits so long for a statement that reads keys, while others wait behind it; a backup may read for hours, so it is then tried
 * again later.
 */
const lockWithinMs = 250;
const rewriteWithinMs = 60_000;
/**
 * The largest table that is rewritten: it takes 2 to 10 µs a key, while no process reads keys that are not in its memory. Of a larger one, with
 * over 250,000 keys, old versions of rows are removed, but their bytes stay in the file until others take their place.
 */
const rewrittenBytesMax = 64 * 1024 * 1024;

/** Destroys keys of persons' words in the table `sealing_keys`. Every method throws Unavailable. */
export class KeyErasure {
  constructor(private readonly database: Database) {}

  /**
   * Destroys the keys of a user, and notifies all processes. Idempotent: a user without a key gets a destroyed one, so that none can be
   * made any more. Returns how many are destroyed now.
   */
  async destroy(userId: UserId): Promise<DestroyedKeys> {
    await this.database.all([
      {
        text: `INSERT INTO sealing_keys (key_id, user_id, destroyed_at) VALUES ('u/' || $1::uuid, $1, now())
          ON CONFLICT (key_id) DO UPDATE SET wrapped = NULL, destroyed_at = coalesce(sealing_keys.destroyed_at, now())
          WHERE sealing_keys.wrapped IS NOT NULL`,
        values: [userId],
      },
      {
        text: `UPDATE sealing_keys SET wrapped = NULL, destroyed_at = coalesce(destroyed_at, now())
          WHERE user_id = $1 AND wrapped IS NOT NULL`,
        values: [userId],
      },
      { text: 'SELECT pg_notify($1, $2)', values: [keysDestroyed, userId] },
    ]);
    const [counted] = await this.database.query<DestroyedKeys>(
      `SELECT ${countOf('u')} AS user, ${countOf('c')} AS conversations, ${countOf('i')} AS identities
       FROM sealing_keys WHERE user_id = $1 AND wrapped IS NULL`,
      [userId],
    );
    return counted ?? { user: 0, conversations: 0, identities: 0 };
  }

  /** Destroys the salts of conversations, and notifies all processes of their users. Idempotent. */
  async destroyConversations(ids: readonly ConversationId[]): Promise<void> {
    const names = ids.map((id) => conversationKeyId(id));
    await this.database.all([
      {
        text: `UPDATE sealing_keys SET wrapped = NULL, destroyed_at = coalesce(destroyed_at, now())
          WHERE key_id = ANY($1) AND wrapped IS NOT NULL`,
        values: [names],
      },
      {
        text: `SELECT pg_notify($1, user_id::text) FROM sealing_keys
          WHERE key_id = ANY($2) AND user_id IS NOT NULL GROUP BY user_id`,
        values: [keysDestroyed, names],
      },
    ]);
  }

  /** Whether a user has a key that is not destroyed. */
  async hasKeys(userId: UserId): Promise<boolean> {
    const rows = await this.database.query(
      'SELECT 1 FROM sealing_keys WHERE user_id = $1 AND wrapped IS NOT NULL LIMIT 1',
      [userId],
    );
    return rows.length > 0;
  }

  /** The names of a user's keys, without their first two characters: `c/…` are conversations, `i/…` identities. */
  async namesOf(userId: UserId, kind: 'c' | 'i'): Promise<string[]> {
    const rows = await this.database.query<{ readonly name: string }>(
      `SELECT substr(key_id, 3) AS name FROM sealing_keys WHERE user_id = $1 AND key_id LIKE '${kind}/%' ORDER BY key_id`,
      [userId],
    );
    return rows.map(({ name }) => name);
  }

  /** Removes what leads from the destroyed keys of a user's identities to the user. Idempotent. */
  async detachIdentities(userId: UserId): Promise<void> {
    await this.database.query(
      "UPDATE sealing_keys SET user_id = NULL WHERE user_id = $1 AND key_id LIKE 'i/%' AND wrapped IS NULL",
      [userId],
    );
  }

  /**
   * Removes old versions of rows, which keep destroyed keys: rewrites the table, unless it is too large for that. Returns null when that is
   * not possible now, because a statement or a transaction of others still needs old versions.
   * @param bytesMax the largest table that is rewritten
   */
  async clean(bytesMax = rewrittenBytesMax): Promise<'rewritten' | 'vacuumed' | null> {
    const [size] = await this.database.query<{ readonly bytes: number }>(
      "SELECT pg_total_relation_size('sealing_keys') AS bytes",
    );
    const isSmall = (size?.bytes ?? 0) <= bytesMax;
    try {
      // No statement of the pool: it cannot run in a transaction, and reports by notices.
      const kept = await answering(() => this.vacuum(isSmall ? 'FULL, VERBOSE' : 'VERBOSE'));
      if (!isSmall) return 'vacuumed';
      return kept.length > 0 && kept.every((count) => count === 0) ? 'rewritten' : null;
    } catch (error) {
      if (error instanceof TookTooLong) return null;
      throw error;
    }
  }

  /** Returns what VERBOSE reports: for each table, how many old versions could not be removed. */
  private async vacuum(how: string): Promise<readonly number[]> {
    const client = new Client({ connectionString: this.database.url, application_name: 'parley keys' });
    client.on('error', () => undefined); // the statement fails as well
    const kept: number[] = [];
    client.on('notice', ({ detail }) => {
      // The first number, in any language.
      const [, count] = /^\D*(\d+)/.exec(detail ?? '') ?? [];
      if (count !== undefined) kept.push(Number(count));
    });
    try {
      await client.connect();
      await client.query(`SET lock_timeout = ${lockWithinMs}; SET statement_timeout = ${rewriteWithinMs}`);
      await client.query(`VACUUM (${how}) sealing_keys`);
      return kept;
    } finally {
      await client.end().catch(() => undefined); // it is gone already
    }
  }
}

function countOf(kind: string): string {
  return `count(*) FILTER (WHERE key_id LIKE '${kind}/%')::integer`;
}
