import { Injectable } from '@nestjs/common';
import { Clock, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import type { TokenAmount } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { balancesOf, post, type LedgerAccount, type Sql } from './ledger';
import { startingBalance } from '../prices/tokens';

/** The wallets that have an account with the sandbox provider, by address, and their sessions. */
@Injectable()
export class LedgerWallets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Opens the wallet's account with its starting balance, once; or makes its session valid again. @throws Unavailable */
  async open(address: string, userId: UserId): Promise<void> {
    await this.database.transaction(async (sql: Sql) => {
      const [opened] = await sql.query<{ address: string }>(
        // Without a target: of openings at once, one may find another's user before it finds its address.
        `INSERT INTO sandbox_wallets (address, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING address`,
        [address, userId],
      );
      if (opened === undefined) {
        await sql.query(`UPDATE sandbox_wallets SET session_rejected = false WHERE address = $1`, [address]);
        return;
      }
      const grants = startingBalance.map(({ tokenId, amountRaw }) => {
        return { key: `grant/${address}/${tokenId}`, ...fromOutside(address), tokenId, amountRaw };
      });
      await post(sql, grants, this.clock.now());
    });
  }

  /** `none`: the wallet never connected. @throws Unavailable */
  async session(address: string): Promise<'good' | 'rejected' | 'none'> {
    const [row] = await this.database.query<{ rejected: boolean }>(
      `SELECT session_rejected AS rejected FROM sandbox_wallets WHERE address = $1`,
      [address],
    );
    if (row === undefined) return 'none';
    return row.rejected ? 'rejected' : 'good';
  }

  /** Rejects the session of this user's wallet until it connects again. False when the user has no wallet here. @throws Unavailable */
  async rejectSession(userId: UserId): Promise<boolean> {
    const rejected = await this.database.query<{ address: string }>(
      `UPDATE sandbox_wallets SET session_rejected = true WHERE user_id = $1 RETURNING address`,
      [userId],
    );
    return rejected.length > 0;
  }

  /** Balances by token, including amounts held by unsettled orders; positive ones only. @throws Unavailable */
  async holdings(address: string): Promise<Map<string, bigint>> {
    return balancesOf(this.database, [`wallet:${address}`, `transit:${address}`]);
  }

  /** Balances that new orders can take from. @throws Unavailable */
  async spendable(address: string): Promise<Map<string, bigint>> {
    return balancesOf(this.database, [`wallet:${address}`]);
  }

  /**
   * Deposits tokens from outside into the user's wallet; the amount must be positive. Returns the new balance, or null
   * when the user has no wallet here. @throws Unavailable
   */
  async deposit(userId: UserId, { tokenId, amountRaw }: TokenAmount): Promise<bigint | null> {
    const [row] = await this.database.query<{ address: string }>(
      `SELECT address FROM sandbox_wallets WHERE user_id = $1`,
      [userId],
    );
    if (row === undefined) return null;
    const { address } = row;
    await this.database.transaction(async (sql: Sql) => {
      const transfer = { key: `deposit/${uuidV7()}`, ...fromOutside(address), tokenId, amountRaw };
      await post(sql, [transfer], this.clock.now());
    });
    return (await this.holdings(address)).get(tokenId) ?? 0n;
  }
}

function fromOutside(address: string): { readonly from: LedgerAccount; readonly to: LedgerAccount } {
  return { from: 'outside', to: `wallet:${address}` };
}
