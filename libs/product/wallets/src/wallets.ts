import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import {
  asId,
  causeOfService,
  Clock,
  notFound,
  ok,
  refuse,
  Unavailable,
  withdrawalChanged,
  type Cause,
  type OperationId,
  type Result,
  type UserId,
  type WalletId,
} from '@app/kernel';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import type { TokenAmount } from './operation.events';
import { operationTimer } from './operation-timer';
import { OperationQueries } from './operations.queries';
import { Signer } from './signer';
import { SessionRejected, WalletProvider, type Holding, type WalletAccount } from './wallet-provider';
import type { WalletCommand, WalletState } from './wallet.decider';
import { walletKind } from './wallet.stream';

/** The users' agent wallets, and what they can spend. All throw Unavailable when a store or the provider does not answer. */
@Injectable()
export class Wallets {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly signer: Signer,
    private readonly provider: WalletProvider,
    private readonly operations: OperationQueries,
    private readonly timers: Timers,
  ) {}

  /**
   * Makes sure that the user has a wallet, and looks each time whether the provider has a session of an active one, which it connects
   * again where it must. Idempotent, also under races. With the provider away the wallet exists and stays as it was; where the
   * provider takes no session of it, the wallet says so (docs/decisions/money.md).
   * @param mainAccountId where the owner's token says that withdrawals land; null when it says nothing
   */
  async ensure(userId: UserId, mainAccountId: string | null, cause: Cause): Promise<Result<WalletState>> {
    const at = this.clock.now();
    const address = await this.signer.publicKey(userId);
    const identity = { userId, walletId: asId<WalletId>(uuidV7()), address, provider: this.provider.name };
    const landsAt = await this.mainAccountIfKnown(mainAccountId);
    const command: WalletCommand = { type: 'EnsureWallet', at, ...identity, mainAccountId: landsAt };
    const ensured = await this.give(userId, command, cause);
    if (!ensured.ok || ensured.value.status === 'disabled') return ensured;
    const wallet = ensured.value;
    if (wallet.authStatus === 'ready') {
      if (await this.provider.hasSession(wallet)) return ensured;
      await this.recordRejection(userId, cause);
    }
    try {
      await this.provider.connect(wallet);
    } catch (error) {
      if (!(error instanceof SessionRejected)) throw error;
      return this.give(userId, { type: 'RecordRejection', at: this.clock.now() }, cause);
    }
    const connected = await this.give(userId, { type: 'RecordSession', at: this.clock.now() }, cause);
    await this.goOn(userId);
    return connected;
  }

  /** The wallet as of now, folded from its stream; null before its first ensure. */
  async find(userId: UserId): Promise<WalletState | null> {
    return (await this.states.current(walletKind, userId)).state;
  }

  /**
   * What the wallet holds, less what operations in flight have taken of it, in no particular order. An operation that is about to
   * be sent names itself as the exception; it yields only to what was journaled before it, since two that wait for each other would
   * both fail. For whatever is new, all that is confirmed counts as taken.
   * Refuses with `not_found`, or with `withdrawal_changed` when the provider rejects the session, which is recorded.
   */
  async spendable(
    userId: UserId,
    { exceptOperationId }: { readonly exceptOperationId?: OperationId } = {},
  ): Promise<Result<readonly Holding[]>> {
    const wallet = await this.find(userId);
    if (wallet === null) return refuse(notFound);
    const except = exceptOperationId ?? null;
    // Read first: what settles in between is missing from the balance and counted as taken, which errs on the safe side.
    const taken = await this.operations.inFlight(userId, { except, committed: except === null });
    const holdings = await this.holdings(wallet);
    return holdings === null ? refuse(withdrawalChanged('authorization_required')) : ok(remaining(holdings, taken));
  }

  /** Records that the provider does not take the wallet's session any more. Idempotent. */
  async recordRejection(userId: UserId, cause: Cause): Promise<void> {
    await this.give(userId, { type: 'RecordRejection', at: this.clock.now() }, cause);
  }

  /** The account, if it is one as far as the provider can tell now: what it cannot tell is not taken down. */
  private async mainAccountIfKnown(mainAccountId: string | null): Promise<string | null> {
    if (mainAccountId === null) return null;
    try {
      return (await this.provider.isMainAccount(mainAccountId)) ? mainAccountId : null;
    } catch (error) {
      if (error instanceof Unavailable && error.dependency === 'wallet provider') return null;
      throw error;
    }
  }

  /** What has waited for a session is looked at now. */
  private async goOn(userId: UserId): Promise<void> {
    const operationIds = await this.operations.underWay(userId);
    for (const id of operationIds) await this.timers.schedule(operationTimer(id, this.clock.now()));
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

  private async give(userId: UserId, command: WalletCommand, cause: Cause): Promise<Result<WalletState>> {
    const done = await this.streams.decide(walletKind, userId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    if (done.value.state === null) throw new Error(`the wallet of ${userId} is absent after ${command.type}`);
    return ok(done.value.state);
  }
}

/** What is left of the holdings; those of which nothing is left are left out. */
function remaining(holdings: readonly Holding[], taken: readonly TokenAmount[]): readonly Holding[] {
  const takenOf = new Map(taken.map(({ tokenId, amountRaw }) => [tokenId, BigInt(amountRaw)]));
  return holdings.flatMap((holding) => {
    const left = BigInt(holding.amountRaw) - (takenOf.get(holding.tokenId) ?? 0n);
    return left > 0n ? [{ ...holding, amountRaw: left.toString() }] : [];
  });
}
