import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { asId, Clock, Unavailable, type OperationId, type Result, type UserId, type WalletId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { operationTimer } from '../operation/operation-start';
import type { Owner } from './owner';
import { Signer } from './signer';
import { SessionRejected, WalletProvider } from '../provider/wallet-provider';
import type { WalletCommand, WalletState } from './wallet.decider';
import { Wallets } from './wallets';

/**
 * Creates the owner's wallet if there is none; for an active one, checks each time that the provider has a session and
 * reconnects if not. Idempotent, also under races. If the provider is unavailable, the wallet exists and keeps its
 * state; if it rejects the session, the wallet records that (docs/decisions/money.md). @throws Unavailable when a store
 * or the provider does not answer
 */
export class EnsureWallet extends Command<Result<WalletState>> {
  constructor(readonly owner: Owner) {
    super();
  }
}

/** Maximum number of operations woken at once; any others wait for their own timers. */
const underWayMax = 100;

@CommandHandler(EnsureWallet)
export class EnsureWalletHandler implements ICommandHandler<EnsureWallet> {
  constructor(
    private readonly wallets: Wallets,
    private readonly clock: Clock,
    private readonly signer: Signer,
    private readonly provider: WalletProvider,
    private readonly database: Database,
    private readonly timers: Timers,
  ) {}

  async execute({ owner: { userId, mainAccountId, cause } }: EnsureWallet): Promise<Result<WalletState>> {
    const at = this.clock.now();
    const address = await this.signer.publicKey(userId);
    const identity = { userId, walletId: asId<WalletId>(uuidV7()), address, provider: this.provider.name };
    const landsAt = await this.mainAccountIfKnown(mainAccountId);
    const command: WalletCommand = { type: 'EnsureWallet', at, ...identity, mainAccountId: landsAt };
    const ensured = await this.wallets.record(userId, command, cause);
    if (!ensured.ok || ensured.value.status === 'disabled') return ensured;
    const wallet = ensured.value;
    if (wallet.authStatus === 'ready') {
      if (await this.provider.hasSession(wallet)) return ensured;
      await this.wallets.recordRejection(userId, cause);
    }
    try {
      await this.provider.connect(wallet);
    } catch (error) {
      if (!(error instanceof SessionRejected)) throw error;
      return this.wallets.recordRejection(userId, cause);
    }
    const connected = await this.wallets.record(userId, { type: 'RecordSession', at: this.clock.now() }, cause);
    await this.driveWhatWaited(userId);
    return connected;
  }

  /** The account, if the provider confirms it now. An account that cannot be confirmed is not recorded. */
  private async mainAccountIfKnown(mainAccountId: string | null): Promise<string | null> {
    if (mainAccountId === null) return null;
    try {
      return (await this.provider.isMainAccount(mainAccountId)) ? mainAccountId : null;
    } catch (error) {
      if (error instanceof Unavailable && error.dependency === 'wallet provider') return null;
      throw error;
    }
  }

  /** Schedules the user's operations that waited for a session, oldest first. */
  private async driveWhatWaited(userId: UserId): Promise<void> {
    const underWay = await this.database.query<{ id: OperationId }>(
      `SELECT id FROM {financial_operations} WHERE user_id = $1 AND status IN ('submitted', 'unresolved')
       ORDER BY opened_position LIMIT ${underWayMax}`,
      [userId],
    );
    for (const { id } of underWay) await this.timers.schedule(operationTimer(id, this.clock.now()));
  }
}
