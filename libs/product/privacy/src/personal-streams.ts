import { Injectable } from '@nestjs/common';
import { automationKind, inputKind } from '@app/automations';
import { conversationKind } from '@app/conversations';
import { decodeEvent, hasOpenWords, streamName, type StoredEvent } from '@app/event-store';
import type { UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { userKind } from '@app/users';
import { operationKind } from '@app/wallets';

const pageStreams = 500;
/** The id of a stream that each user has one of. */
export const userIdItself = 'SELECT $1::uuid::text AS id';

/** Streams of one kind that are a user's. */
export interface IdsOf {
  readonly kind: Parameters<typeof decodeEvent>[0] & { readonly members: object };
  /** Selects the ids of those of the user `$1`. */
  readonly sql: string;
}

/**
 * Kinds of streams that may have words of a user. Conversations are found by their keys as well, because they outlive the read model's rows. An input belongs to its automation, which
 * is never removed.
 */
export const personalKinds: readonly IdsOf[] = [
  { kind: userKind, sql: userIdItself },
  {
    kind: conversationKind,
    sql: `SELECT id::text FROM {conversations} WHERE user_id = $1
          UNION SELECT substr(key_id, 3) FROM sealing_keys WHERE user_id = $1 AND key_id LIKE 'c/%'`,
  },
  { kind: automationKind, sql: 'SELECT id::text FROM {automations} WHERE user_id = $1' },
  {
    kind: inputKind,
    sql: `SELECT i.id::text FROM {automation_inputs} AS i JOIN {automations} AS a ON a.id = i.automation_id
          WHERE a.user_id = $1`,
  },
  { kind: operationKind, sql: 'SELECT id::text FROM {financial_operations} WHERE user_id = $1' },
];

/** Some streams of one kind. */
export interface StreamsOfKind {
  readonly category: string;
  readonly ids: readonly string[];
  readonly streams: readonly string[];
  /** Whether an event has words in clear, as an earlier version wrote them. */
  hasOpenWords(this: void, stored: StoredEvent): boolean;
}

/** Finds the streams that may have words of a user: kinds without personal members have none. */
@Injectable()
export class PersonalStreams {
  constructor(private readonly database: Database) {}

  /** Yields all of them, some of one kind at a time. The read models must have caught up. @throws Unavailable */
  async *of(userId: UserId): AsyncGenerator<StreamsOfKind, void, undefined> {
    for (const { kind, sql } of personalKinds) {
      for await (const ids of this.pagesOf(userId, sql)) {
        const streams = ids.map((id) => streamName(kind, id));
        yield { category: kind.category, ids, streams, hasOpenWords: hasWordsOf(kind) };
      }
    }
  }

  /** Yields the names of the streams of one kind, some at a time. The read models must have caught up. @throws Unavailable */
  async *ofKind(userId: UserId, { kind, sql }: IdsOf): AsyncGenerator<readonly string[], void, undefined> {
    for await (const ids of this.pagesOf(userId, sql)) yield ids.map((id) => streamName(kind, id));
  }

  private async *pagesOf(userId: UserId, sql: string): AsyncGenerator<readonly string[], void, undefined> {
    for (let after = ''; ;) {
      const rows = await this.database.query<{ readonly id: string }>(
        `SELECT id FROM (${sql}) AS found WHERE id COLLATE "C" > $2 ORDER BY id COLLATE "C" LIMIT $3`,
        [userId, after, pageStreams],
      );
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) yield ids;
      after = ids.at(-1) ?? after;
      if (ids.length < pageStreams) return;
    }
  }
}

/** Earlier versions of an event may have had its words in other members. */
function hasWordsOf(kind: IdsOf['kind']): StreamsOfKind['hasOpenWords'] {
  return (stored) => {
    if (stored.metadata.sealed !== undefined) return false;
    const lifted: object = decodeEvent(kind, stored).event;
    // Reason for the assertion: an event is JSON.
    return hasOpenWords(kind.members, { ...stored, payload: lifted as StoredEvent['payload'] });
  };
}
