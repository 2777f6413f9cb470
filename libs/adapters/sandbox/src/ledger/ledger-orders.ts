import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import { Timers } from '@app/timers';
import { ProviderFaults } from '../faults/provider-faults';
import { failures } from './failures';
import { balancesOf, post, type Sql, type Transfer } from './ledger';
import { transfersAtSettlement } from './order-outcome';
import { findOrder, insertOrder, targetOf } from './order.queries';
import type { Handling, NewOrder, NewStatus, OrderRow, OrderState } from './order.queries';

/** Channel notified of each settled order; the payload is its key. */
const settlementsChannel = 'parley_settlements';
/** The kind of the timers that settle orders which no request reads; their payload is `{address}`. */
const settlementTimers = 'sandbox-settlement';
/** Maximum number of one wallet's due orders that one call settles; the next call continues. */
const dueMax = 100;

/** The orders of wallets: each key is accepted at most once, and settled when it is due. */
@Injectable()
export class LedgerOrders {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly timers: Timers,
  ) {}

  /**
   * Takes the order's input from the wallet, or refuses permanently; a repeated call changes nothing and returns the
   * first call's outcome. @throws Unavailable
   */
  async submit(order: NewOrder, handling: Handling): Promise<OrderState> {
    return this.database.transaction(async (sql: Sql) => {
      await lockWallet(sql, order.address);
      const status = await this.statusFor(sql, order, handling);
      const inserted = await insertOrder(sql, order, handling, status);
      if (inserted && status.name === 'accepted') await this.place(sql, order, handling.settlesAt);
      const state = await findOrder(sql, order.key);
      if (state === null) throw new Error(`order ${order.key} was neither found nor made`);
      return state;
    });
  }

  /** @throws Unavailable */
  async find(key: string): Promise<OrderState | null> {
    return findOrder(this.database, key);
  }

  /**
   * Rules out an order that was not accepted by its deadline: it never will be, however late a submission of it
   * arrives. Returns the order's state under its key afterwards. @throws Unavailable
   */
  async giveUp(order: NewOrder): Promise<OrderState> {
    const handling: Handling = { refusal: null, outcome: 'deliver', hidden: false, settlesAt: order.deadline };
    if (this.clock.now() < order.deadline) throw new Error(`order ${order.key} may still be taken`);
    // A submission in flight holds the key until it commits: the insert waits for it.
    return this.submit(order, handling);
  }

  /** Settles the wallet's due orders. Sends one notification for each, or two. @throws Unavailable */
  async settleDue(address: string, options: { readonly twice: boolean }): Promise<void> {
    const due = await this.database.query<{ key: string }>(
      `SELECT key FROM sandbox_orders WHERE address = $1 AND status = 'accepted' AND settles_at <= $2
       ORDER BY settles_at, key LIMIT ${dueMax}`,
      [address, this.clock.now()],
    );
    for (const { key } of due) {
      const settled = await this.database.transaction((sql: Sql) => this.settle(sql, key, address));
      // Sent outside the transaction, because a second notification with the same payload inside it would be dropped.
      if (settled && options.twice) await notify(this.database, key);
    }
  }

  private async place(sql: Sql, { key, address, input }: NewOrder, settlesAt: Instant): Promise<void> {
    const taken: Transfer = { key: `${key}/take`, from: `wallet:${address}`, to: `transit:${address}`, ...input };
    await post(sql, [taken], this.clock.now());
    const timer = { id: `${settlementTimers}/${key}`, kind: settlementTimers, dueAt: settlesAt, payload: { address } };
    await this.timers.schedule(timer, { runner: sql });
  }

  private async statusFor(sql: Sql, order: NewOrder, { refusal }: Handling): Promise<NewStatus> {
    if (this.clock.now() >= order.deadline) return { name: 'never_accepted', failure: null };
    if (refusal !== null) return { name: 'rejected', failure: refusal };
    const { tokenId, amountRaw } = order.input;
    const balance = (await balancesOf(sql, [`wallet:${order.address}`])).get(tokenId) ?? 0n;
    if (BigInt(amountRaw) <= balance) return { name: 'accepted', failure: null };
    return { name: 'rejected', failure: failures.not_enough };
  }

  private async settle(sql: Sql, key: string, address: string): Promise<boolean> {
    await lockWallet(sql, address);
    const [row] = await sql.query<OrderRow>(`SELECT * FROM sandbox_orders WHERE key = $1 AND status = 'accepted'`, [
      key,
    ]);
    if (row === undefined) return false;
    const { transfers, status, delivered } = transfersAtSettlement({
      key,
      address,
      outcome: row.outcome,
      target: targetOf(row),
      input: { tokenId: row.input_token, amountRaw: row.input_amount },
    });
    await post(sql, transfers, this.clock.now());
    await sql.query(
      `WITH changed AS (UPDATE sandbox_orders SET status = $2, delivered = $3 WHERE key = $1 RETURNING 1) SELECT FROM changed`,
      [key, status, delivered],
    );
    await notify(sql, key);
    return true;
  }
}

/** Settles orders at their due instant by the service clock, so that settlements are announced even if no request reads them. */
@Injectable()
export class Settlements implements OnModuleInit {
  constructor(
    private readonly timers: Timers,
    private readonly orders: LedgerOrders,
    private readonly faults: ProviderFaults,
  ) {}

  onModuleInit(): void {
    this.timers.handle(settlementTimers, async ({ payload: { address } }) => {
      if (typeof address !== 'string') throw new Error('a timer of a settlement names no wallet');
      await this.orders.settleDue(address, { twice: (await this.faults.current()).duplicateCallbacks });
    });
  }
}

/** Allows one change of a wallet at a time. */
async function lockWallet(sql: Sql, address: string): Promise<void> {
  await sql.query(`SELECT 1 FROM sandbox_wallets WHERE address = $1 FOR UPDATE`, [address]);
}

async function notify(sql: Sql, key: string): Promise<void> {
  await sql.query(`SELECT pg_notify('${settlementsChannel}', $1)`, [key]);
}
