import type { Instant } from '@app/kernel';
import type { TokenAmount } from '@app/wallets';

/**
 * The accounts that hold tokens: a wallet, its unsettled orders (in transit), an owner's main account, the market, and
 * the outside that tokens are deposited from. Wallets are named by their address.
 */
export type LedgerAccount = `wallet:${string}` | `transit:${string}` | `main:${string}` | 'pool' | 'outside';

export interface Transfer extends TokenAmount {
  /** Identifies this transfer. */
  readonly key: string;
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
}

/** The database, or a transaction of it. Statements that change rows return rows only with RETURNING inside a WITH. */
export interface Sql {
  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/**
 * Books transfers, all in the caller's transaction. Each changed balance is locked, in the order of (account, token),
 * so that two transactions that each post once never deadlock. @throws when a key was used before, and when an account
 * other than `pool` and `outside` would fall below zero (the table's own rules)
 */
export async function post(sql: Sql, transfers: readonly Transfer[], at: Instant): Promise<void> {
  for (const { key, from, to, tokenId, amountRaw } of transfers) {
    await sql.query(
      `INSERT INTO ledger_transfers (key, from_account, to_account, token_id, amount, at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [key, from, to, tokenId, amountRaw, at],
    );
  }
  for (const { account, tokenId, change } of changesOf(transfers)) {
    // The row is inserted first, because a CHECK applies to the row that an INSERT proposes even if it then becomes an
    // UPDATE.
    await sql.query(
      `INSERT INTO ledger_balances (account, token_id, amount) VALUES ($1, $2, 0) ON CONFLICT (account, token_id) DO NOTHING`,
      [account, tokenId],
    );
    await sql.query(`UPDATE ledger_balances SET amount = amount + $3 WHERE account = $1 AND token_id = $2`, [
      account,
      tokenId,
      change.toString(),
    ]);
  }
}

/** The accounts' combined balances, by token; only those that are not zero. */
export async function balancesOf(sql: Sql, accounts: readonly LedgerAccount[]): Promise<Map<string, bigint>> {
  const rows = await sql.query<{ token_id: string; amount: string }>(
    `SELECT token_id, sum(amount) AS amount FROM ledger_balances WHERE account = ANY($1)
     GROUP BY token_id HAVING sum(amount) <> 0`,
    [accounts],
  );
  return new Map(rows.map((row) => [row.token_id, BigInt(row.amount)]));
}

interface Change {
  readonly account: LedgerAccount;
  readonly tokenId: string;
  readonly change: bigint;
}

function changesOf(transfers: readonly Transfer[]): Change[] {
  const changes = new Map<string, Change>();
  const add = (account: LedgerAccount, tokenId: string, change: bigint): void => {
    const name = `${account} ${tokenId}`;
    changes.set(name, { account, tokenId, change: (changes.get(name)?.change ?? 0n) + change });
  };
  for (const { from, to, tokenId, amountRaw } of transfers) {
    add(from, tokenId, -BigInt(amountRaw));
    add(to, tokenId, BigInt(amountRaw));
  }
  return [...changes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, change]) => change);
}
