import { Injectable } from '@nestjs/common';
import type { OperationId, UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import type { TokenAmount } from './operation.events';
import { OperationRow } from './operations.projection';
import { FinancialOperation, type OperationView } from './operation.schema';
import type { OperationStatus } from './operation.state';

/** A listed operation with the key that it is sorted by. */
type Listed = OperationView & Pick<OperationRow, 'openedPosition'>;

const members = selectList(OperationRow, [...memberNames(FinancialOperation), 'openedPosition']);

/** Beyond that many at once, the others wait for their own timers. */
const underWayMax = 100;

/** What is read of operations in PostgreSQL. */
@Injectable()
export class OperationQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** Operations of a user, newest first by their first event's position, strictly before a sort key. */
  async list(userId: UserId, status: OperationStatus | null, before: number | null, limit: number): Promise<Listed[]> {
    return this.database.query<Listed>(
      `SELECT ${members} FROM financial_operations
       WHERE user_id = $1 AND ($2::text IS NULL OR status = $2) AND opened_position < $3
       ORDER BY opened_position DESC LIMIT $4`,
      [userId, status, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
  }

  /** How many operations the list has, from kept counters. */
  async total(userId: UserId, status: OperationStatus | null): Promise<number> {
    const name = `financial_operations/${status === null ? userId : `${userId}/${status}`}`;
    const [row] = await this.database.query<{ total: number }>('SELECT total FROM list_counters WHERE name = $1', [
      name,
    ]);
    return row?.total ?? 0;
  }

  /**
   * What operations of the user have taken from balances that still show it: the inputs of their actions that were journaled to be
   * sent and are not over. With `committed`, also what is known of those that are still to be sent. One entry for each token.
   * No older than this call: what was answered as settled does not count as taken any more, nor what was confirmed as free.
   */
  async inFlight(
    userId: UserId,
    { except, committed }: { readonly except: OperationId | null; readonly committed: boolean },
  ): Promise<readonly TokenAmount[]> {
    await this.gate.caughtUp();
    return this.database.query<TokenAmount>(
      `SELECT action -> 'input' ->> 'tokenId' AS "tokenId", sum((action -> 'input' ->> 'amountRaw')::numeric)::text AS "amountRaw"
       FROM financial_operations, jsonb_array_elements(actions) AS action
       WHERE user_id = $1 AND status IN ('submitted', 'unresolved') AND ($2::uuid IS NULL OR id <> $2)
         AND (action ->> 'status' = 'submitted' OR ($3 AND action ->> 'status' = 'pending'))
         AND action -> 'input' <> 'null'
       GROUP BY 1`,
      [userId, except, committed],
    );
  }

  /** The user's operations that are used and not over, oldest first. */
  async underWay(userId: UserId): Promise<readonly OperationId[]> {
    const rows = await this.database.query<{ id: OperationId }>(
      `SELECT id FROM financial_operations WHERE user_id = $1 AND status IN ('submitted', 'unresolved')
       ORDER BY opened_position LIMIT ${underWayMax}`,
      [userId],
    );
    return rows.map(({ id }) => id);
  }
}
