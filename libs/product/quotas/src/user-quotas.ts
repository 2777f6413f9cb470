import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, type Instant, type Refusal, type UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { GroupLoader } from '@app/runtime';
import { Configuration } from '@app/settings';

/** After this long, a place whose object does not exist is given up. Real time; no request takes nearly as long. */
const abandonedAfter = '10 minutes';
/** Conversations are created often: as long as a user is this far below the limit, nothing is locked for one. */
const farBelowLimit = 1_000;
/** Maximum number of users whose conversations one statement counts, and of requests that wait for one. */
const grouped = { batchMax: 200, waitingMax: 10_000 } as const;

interface Quota {
  readonly variable:
    | 'ARTIFACT_BYTES_PER_USER'
    | 'CONVERSATIONS_PER_USER'
    | 'PENDING_APPROVALS_PER_USER'
    | 'PREPARED_WITHDRAWALS_PER_USER';
  /** The read model whose kept counters of these names count what exists. */
  readonly table: 'approvals' | 'artifacts' | 'conversations' | 'financial_operations';
  readonly counters: (userId: UserId) => readonly string[];
  /** Kinds of approvals whose expiry frees a place; if set, the refusal carries Retry-After. */
  readonly expiring?: readonly string[];
}

/** The limited resources of a user (docs/decisions/conventions.md, "Shares and quotas"). */
const quotas = {
  artifactBytes: {
    variable: 'ARTIFACT_BYTES_PER_USER',
    table: 'artifacts',
    counters: (userId) => [`${userId}/bytes`],
  },
  conversations: {
    variable: 'CONVERSATIONS_PER_USER',
    table: 'conversations',
    counters: (userId) =>
      ['conversation', 'automation'].flatMap((origin) =>
        ['active', 'resting'].map((activity) => `${userId}/${origin}/present/${activity}`),
      ),
  },
  pendingApprovals: {
    variable: 'PENDING_APPROVALS_PER_USER',
    table: 'approvals',
    counters: (userId) => [`${userId}/pending`],
    expiring: ['agent_tool', 'withdrawal', 'automation_contract'],
  },
  preparedWithdrawals: {
    variable: 'PREPARED_WITHDRAWALS_PER_USER',
    table: 'financial_operations',
    counters: (userId) => [`${userId}/prepared`],
    expiring: ['withdrawal'],
  },
} as const satisfies Record<string, Quota>;

type QuotaName = keyof typeof quotas;

const removeCounted = (table: Quota['table']): string =>
  `DELETE FROM user_places AS p USING {${table}} AS t WHERE p.quota = $1 AND p.user_id = $2 AND t.id = p.id`;
const takePlace = (table: Quota['table']): string => `
  WITH counted AS (
    SELECT (SELECT coalesce(sum(total), 0) FROM list_counters, unnest($4::text[]) AS c WHERE name = '{${table}}/' || c)
         + (SELECT coalesce(sum(p.amount), 0) FROM user_places AS p WHERE p.quota = $1 AND p.user_id = $2
            AND NOT EXISTS (SELECT 1 FROM {${table}} AS t WHERE t.id = p.id)) AS total)
  INSERT INTO user_places (quota, user_id, id, amount)
  SELECT $1, $2, $3, least($6::bigint, $7::bigint - total) FROM counted WHERE $7::bigint - total >= $5::bigint`;

/** The object to be created: its id in its read model, and its owner. */
interface PlaceOwner {
  readonly userId: UserId;
  readonly id: string;
}

/**
 * Enforces the quotas of users, even with many concurrent requests on many replicas: creating something first reserves a place, one request
 * after the other. A created object counts by its place until its read model has it, and by the kept counters from then on.
 */
@Injectable()
export class UserQuotas {
  private readonly conversations = new GroupLoader<UserId, number>((users) => this.countConversations(users), grouped);

  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /** Reserves a place for one more; returns null, or the refusal. Idempotent for the same place. @throws Unavailable */
  async reserve(name: QuotaName, owner: PlaceOwner): Promise<Refusal | null> {
    return (await this.reserveUpTo(name, owner, { least: 1, most: 1 })) > 0 ? null : this.refusal(name, owner.userId);
  }

  /** Reserves as much as there is, within bounds; returns how much, 0 if there is less than the least. @throws Unavailable */
  async reserveUpTo(
    name: QuotaName,
    owner: PlaceOwner,
    bounds: { readonly least: number; readonly most: number },
  ): Promise<number> {
    if (name === 'conversations' && (await this.isFarBelow(owner.userId))) return bounds.most;
    const taken = await this.tryReserve(name, owner, bounds);
    if (taken > 0) return taken;
    // Objects that have just ended, or were never created, may still be counted.
    await this.gate.caughtUp();
    if (this.gate.projecting) await this.dropAbandoned(name, owner.userId);
    return this.tryReserve(name, owner, bounds);
  }

  /** Releases the place of something that was not created. */
  async release(name: QuotaName, id: string): Promise<void> {
    await this.database.query('DELETE FROM user_places WHERE quota = $1 AND id = $2', [name, id]);
  }

  /** Sets the real size of a place. */
  async resize(name: QuotaName, id: string, amount: number): Promise<void> {
    await this.database.query('UPDATE user_places SET amount = $3 WHERE quota = $1 AND id = $2', [name, id, amount]);
  }

  /** Counts a place permanently: its object exists, though no read model will have it. */
  async keep(name: QuotaName, id: string): Promise<void> {
    await this.database.query(`UPDATE user_places SET taken_at = 'infinity' WHERE quota = $1 AND id = $2`, [name, id]);
  }

  private async tryReserve(
    name: QuotaName,
    { userId, id }: PlaceOwner,
    { least, most }: { readonly least: number; readonly most: number },
  ): Promise<number> {
    const { table, counters, variable } = quotas[name];
    return this.database.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${name}/${userId}`]);
      await manager.query(this.database.inTables(removeCounted(table)), [name, userId]);
      const known = await amountOf(manager, name, id);
      if (known > 0) return known;
      const limit = this.configuration.env[variable];
      const place = [name, userId, id, counters(userId), least, most, limit];
      await manager.query(this.database.inTables(takePlace(table)), place);
      return amountOf(manager, name, id);
    });
  }

  private async isFarBelow(userId: UserId): Promise<boolean> {
    const count = await this.conversations.load(userId);
    return count + farBelowLimit < this.configuration.env[quotas.conversations.variable];
  }

  private async countConversations(users: readonly UserId[]): Promise<number[]> {
    const { counters } = quotas.conversations;
    const rows = await this.database.query<{ name: string; total: number }>(
      `SELECT counted AS name, total FROM list_counters, unnest($1::text[]) AS counted
       WHERE name = '{conversations}/' || counted`,
      [[...new Set(users)].flatMap(counters)],
      'quotas.counted',
    );
    const totals = new Map(rows.map(({ name, total }) => [name, total]));
    return users.map((userId) => counters(userId).reduce((sum, name) => sum + (totals.get(name) ?? 0), 0));
  }

  private async dropAbandoned(name: QuotaName, userId: UserId): Promise<void> {
    await this.database.query(
      `DELETE FROM user_places WHERE quota = $1 AND user_id = $2 AND taken_at < now() - $3::interval`,
      [name, userId, abandonedAfter],
    );
  }

  /** Adds the time until a place becomes free by itself, if one does. */
  private async refusal(name: QuotaName, userId: UserId): Promise<Refusal> {
    const quota: Quota = quotas[name];
    const limited = { kind: 'reason', reason: 'rate_limited' } as const;
    if (quota.expiring === undefined) return limited;
    const [row] = await this.database.query<{ next: Instant | null }>(
      `SELECT min(expires_at) AS next FROM {approvals} WHERE user_id = $1 AND status = 'pending' AND kind = ANY($2)`,
      [userId, quota.expiring],
    );
    const waitMs = row?.next == null ? 0 : epochMsOf(row.next) - this.clock.epochMs();
    return { ...limited, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }
}

/** A transaction of the database. */
interface Transaction {
  query<Rows>(text: string, parameters: unknown[]): Promise<Rows>;
}

async function amountOf(transaction: Transaction, name: QuotaName, id: string): Promise<number> {
  const [row] = await transaction.query<{ amount: number }[]>(
    'SELECT amount FROM user_places WHERE quota = $1 AND id = $2',
    [name, id],
  );
  return row?.amount ?? 0;
}
