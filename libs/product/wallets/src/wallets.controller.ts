import { Body, Controller, Param } from '@nestjs/common';
import { answer, Caller, Serves } from '@app/http';
import { notFound, refuse, type OperationId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { ConfirmWithdrawal } from './confirm-withdrawal';
import { mainAccountOf } from './main-account';
import { PrepareWithdrawal, type Owner } from './prepare-withdrawal';
import { Wallets } from './wallets';
import { type WalletView } from './wallet.schema';
import { walletView } from './wallet.view';
import { WithdrawalSources } from './withdrawal-sources';
import { ConfirmedWithdrawal, PreparedWithdrawal, type WithdrawalSourcesView } from './withdrawal.schema';
import { ConfirmWithdrawalDto } from './withdrawals.dto';
import {
  ensureWallet,
  getWallet,
  readWithdrawalSources,
  prepareWithdrawal,
  confirmWithdrawal,
} from './wallets.contract';

/** A user's agent wallet and its direct withdrawals (specification, "Wallet"; docs/decisions/money.md). */
@Controller()
export class WalletsController {
  constructor(
    private readonly configuration: Configuration,
    private readonly wallets: Wallets,
    private readonly sources: WithdrawalSources,
    private readonly preparing: PrepareWithdrawal,
    private readonly confirming: ConfirmWithdrawal,
  ) {}

  @Serves(ensureWallet)
  async ensure(@Caller() caller: Caller): Promise<WalletView> {
    const { userId, mainAccountId, cause } = this.owner(caller);
    return walletView(answer(await this.wallets.ensure(userId, mainAccountId, cause)));
  }

  @Serves(getWallet)
  async get(@Caller() { userId }: Caller): Promise<WalletView> {
    const wallet = await this.wallets.find(userId);
    return wallet === null ? answer(refuse(notFound)) : walletView(wallet);
  }

  @Serves(readWithdrawalSources)
  async withdrawalSources(@Caller() caller: Caller): Promise<WithdrawalSourcesView> {
    const { userId, mainAccountId } = this.owner(caller);
    return answer(await this.sources.read(userId, mainAccountId));
  }

  // The body is validated by the use case: a missing wallet comes first.
  @Serves(prepareWithdrawal)
  async prepare(@Caller() caller: Caller, @Body() body: unknown): Promise<PreparedWithdrawal> {
    return answer(await this.preparing.prepare(this.owner(caller), body));
  }

  @Serves(confirmWithdrawal)
  async confirm(
    @Caller() caller: Caller,
    @Param('operationId') operationId: OperationId,
    @Body() { fingerprint }: ConfirmWithdrawalDto,
  ): Promise<ConfirmedWithdrawal> {
    return answer(await this.confirming.confirm(this.owner(caller), operationId, fingerprint));
  }

  private owner({ userId, claims, cause }: Caller): Owner {
    return { userId, mainAccountId: mainAccountOf(this.configuration, userId, claims), cause };
  }
}
