import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { causeOfService, Clock, notFound, ok, refuse, withdrawalChanged } from '@app/kernel';
import type { Cause, OperationId, Result, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import type { TokenAmount } from '../provider/submission';
import { SessionRejected, WalletProvider, type Holding, type WalletAccount } from '../provider/wallet-provider';
import type { WalletCommand, WalletState } from './wallet.decider';
import { walletKind } from './wallet.stream';

/** The users' agent wallets, and what they can spend. Methods throw Unavailable for a store or the provider. */
@Injectable()
export class Wallets {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    readonly provider: WalletProvider,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** The wallet as of now, folded from its stream; null before its first ensure. */
  async find(userId: UserId): Promise<WalletState | null> {
    return (await this.states.fresh(walletKind, userId)).state;
  }

  /**
   * The wallet's balances minus what operations in flight have taken of them, in no particular order. An operation
   * about to be sent names itself as the exception; then only submissions journaled before it count as taken, because
   * two operations that yield to each other would both fail. For anything new, everything confirmed counts as taken.
   * Refuses with `not_found`, or with `withdrawal_changed` when the provider rejects the session, which is recorded.
   */
  async spendable(
    userId: UserId,
    { exceptOperationId }: { readonly exceptOperationId?: OperationId } = {},
  ): Promise<Result<readonly Holding[]>> {
    const wallet = await this.find(userId);
    if (wallet === null) return refuse(notFound);
    const except = exceptOperationId ?? null;
    // Read before the balances: what settles in between is missing from the balance and still counted as taken, which
    // is the safe error.
    const taken = await this.inFlight(userId, { except, committed: except === null });
    const holdings = await this.holdings(wallet);
    return holdings === null ? refuse(withdrawalChanged('authorization_required')) : ok(remaining(holdings, taken));
  }

  /** Records that the provider no longer accepts the wallet's session. Idempotent. */
  async recordRejection(userId: UserId, cause: Cause): Promise<Result<WalletState>> {
    return this.record(userId, { type: 'RecordRejection', at: this.clock.now() }, cause);
  }

  /** Appends the command's events and returns the wallet after them. Refuses as its decider does. */
  async record(userId: UserId, command: WalletCommand, cause: Cause): Promise<Result<WalletState>> {
    const done = await this.streams.decide(walletKind, userId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    if (done.value.state === null) throw new Error(`the wallet of ${userId} is absent after ${command.type}`);
    return ok(done.value.state);
  }

  /** Null when the provider rejects the session. */
  private async holdings(wallet: WalletAccount): Promise<readonly Holding[] | null> {
    try {
      return await this.provider.holdings(wallet);
    } catch (error) {
      if (!(error instanceof SessionRejected)) throw error;
      await this.recordRejection(wallet.userId, causeOfService('wallets', uuidV7(), wallet.walletId));
      return null;
    }
  }

  /**
   * Amounts that the user's operations have taken from balances that still include them: the inputs of actions that are
   * journaled and not over. With `committed`, also the known inputs of actions still to be sent. One entry for each
   * token. No older than this call: an operation reported as settled no longer counts, and a confirmed one already
   * does.
   */
  private async inFlight(
    userId: UserId,
    { except, committed }: { readonly except: OperationId | null; readonly committed: boolean },
  ): Promise<readonly TokenAmount[]> {
    await this.gate.caughtUp();
    return this.database.query<TokenAmount>(
      `SELECT action -> 'input' ->> 'tokenId' AS "tokenId", sum((action -> 'input' ->> 'amountRaw')::numeric)::text AS "amountRaw"
       FROM {financial_operations}, jsonb_array_elements(actions) AS action
       WHERE user_id = $1 AND status IN ('submitted', 'unresolved') AND ($2::uuid IS NULL OR id <> $2)
         AND (action ->> 'status' = 'submitted' OR ($3 AND action ->> 'status' = 'pending'))
         AND action -> 'input' <> 'null'
       GROUP BY 1`,
      [userId, except, committed],
    );
  }
}

/** The remainder of the holdings; those with nothing left are omitted. */
function remaining(holdings: readonly Holding[], taken: readonly TokenAmount[]): readonly Holding[] {
  const takenOf = new Map(taken.map(({ tokenId, amountRaw }) => [tokenId, BigInt(amountRaw)]));
  return holdings.flatMap((holding) => {
    const left = BigInt(holding.amountRaw) - (takenOf.get(holding.tokenId) ?? 0n);
    return left > 0n ? [{ ...holding, amountRaw: left.toString() }] : [];
  });
}
