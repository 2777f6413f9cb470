import { readStoreMigrations, Database, migrate } from '@app/read-store';
import { asId, instantOf, type UserId } from '@app/kernel';
import {
  sandboxLedgerMigrations,
  sandboxStateMigrations,
  LedgerOrders,
  LedgerWallets,
  Market,
  ProviderFaults,
  SandboxLedger,
} from '@app/sandbox';
import { timersMigrations, Timers } from '@app/timers';
import { Signer, type WalletAccount } from '@app/wallets';
import { createTestDatabase } from '@app/testing/postgres';
import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { SetClock } from '@app/testing/http';
import type { ProviderUnderTest } from './harness';

const poolSize = 10;

/** Keys in memory, whereas the wallets' own are sealed in PostgreSQL. */
export class KeysInMemory extends Signer {
  private readonly keys = new Map<UserId, { readonly secret: KeyObject; readonly address: string }>();

  /** The wallet of a new user, with a new key. */
  newWallet(): WalletAccount {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    // The last 32 bytes of the DER form are the key itself (RFC 8410).
    const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const userId = asId<UserId>(randomUUID());
    this.keys.set(userId, { secret: privateKey, address });
    return { userId, walletId: asId(randomUUID()), address };
  }

  override publicKey(userId: UserId): Promise<string> {
    return Promise.resolve(this.of(userId).address);
  }

  override sign(userId: UserId, bytes: Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(sign(null, bytes, this.of(userId).secret));
  }

  private of(userId: UserId) {
    const key = this.keys.get(userId);
    if (key === undefined) throw new Error('no such user');
    return key;
  }
}

/** The sandbox's ledger on a separate database, with a clock that the test sets. */
export interface LedgerUnderTest {
  readonly database: Database;
  readonly clock: SetClock;
  readonly market: Market;
  readonly faults: ProviderFaults;
  readonly wallets: LedgerWallets;
  readonly orders: LedgerOrders;
  /** The balance of a token in an account. */
  balance(account: string, tokenId: string): Promise<bigint>;
  audit(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLedger(): Promise<LedgerUnderTest> {
  const { url, drop } = await createTestDatabase({ name: 'sandbox_ledger', prepare: migrated });
  const database = await connect(url);
  const clock = new SetClock();
  return {
    database,
    clock,
    market: new Market(database, clock),
    faults: new ProviderFaults(database),
    wallets: new LedgerWallets(database, clock),
    orders: new LedgerOrders(database, clock, new Timers(database)),
    balance: (account, tokenId) => balanceOf(database, account, tokenId),
    audit: () => audit(database),
    stop: async () => {
      await database.close();
      await drop();
    },
  };
}

export async function startSandboxProvider(): Promise<ProviderUnderTest & { readonly ledger: LedgerUnderTest }> {
  const ledger = await startLedger();
  const { clock, market, faults, wallets, orders } = ledger;
  const keys = new KeysInMemory();
  return {
    ledger,
    provider: new SandboxLedger(market, wallets, orders, keys, clock),
    hasSessions: true,
    giveBackKey: () => Promise.resolve(), // connecting is enough
    now: () => instantOf(clock.nowMs),
    advance: (seconds) => void (clock.nowMs += seconds * 1000),
    setFaults: async (change) => void (await faults.change(change)),
    newWallet: () => keys.newWallet(),
    fund: async (wallet, amount) => void (await wallets.deposit(wallet.userId, amount)),
    pinPrice: (tokenId, priceUsd) => market.pin(tokenId, priceUsd),
    received: (mainAccountId, tokenId) => ledger.balance(`main:${mainAccountId}`, tokenId),
    audit: () => ledger.audit(),
    stop: () => ledger.stop(),
  };
}

async function migrated(url: string): Promise<void> {
  const database = await connect(url);
  await migrate(database);
  await database.close();
}

function connect(url: string): Promise<Database> {
  const migrations = [
    ...readStoreMigrations,
    ...timersMigrations,
    ...sandboxStateMigrations,
    ...sandboxLedgerMigrations,
  ];
  return Database.connect({ url, poolSize, rows: [], migrations });
}

async function balanceOf(database: Database, account: string, tokenId: string): Promise<bigint> {
  const [row] = await database.query<{ amount: string }>(
    'SELECT amount FROM ledger_balances WHERE account = $1 AND token_id = $2',
    [account, tokenId],
  );
  return BigInt(row?.amount ?? '0');
}

/** Compares balances with transfers, from the rows alone. */
async function audit(database: Database): Promise<void> {
  const wrong = await database.query<object>(
    `WITH moved AS (
       SELECT account, token_id, sum(amount) AS amount FROM (
         SELECT to_account AS account, token_id, amount FROM ledger_transfers
         UNION ALL SELECT from_account, token_id, -amount FROM ledger_transfers) AS sides
       GROUP BY account, token_id)
     SELECT coalesce(moved.account, kept.account) AS account, coalesce(moved.token_id, kept.token_id) AS token_id,
       moved.amount AS moved, kept.amount AS kept
     FROM moved FULL JOIN ledger_balances AS kept USING (account, token_id)
     WHERE coalesce(moved.amount, 0) <> coalesce(kept.amount, 0)
       OR (kept.amount < 0 AND kept.account NOT IN ('pool', 'outside'))`,
  );
  expect(wrong).toEqual([]);
  const sums = await database.query<object>(
    'SELECT token_id, sum(amount) FROM ledger_balances GROUP BY token_id HAVING sum(amount) <> 0',
  );
  expect(sums).toEqual([]);
}
