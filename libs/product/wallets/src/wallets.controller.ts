import { Body, Controller, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { OperationId } from '@app/kernel';
import { ConfirmWithdrawal, ConfirmWithdrawalHandler } from './withdrawal/confirm-withdrawal';
import { EnsureWallet, EnsureWalletHandler } from './wallet/ensure-wallet';
import { GetWallet, GetWalletHandler } from './wallet/get-wallet';
import { ListWithdrawalSources, ListWithdrawalSourcesHandler } from './withdrawal/list-withdrawal-sources';
import { AsOwner, type Owner } from './wallet/owner';
import { PrepareWithdrawal, PrepareWithdrawalHandler } from './withdrawal/prepare-withdrawal';
import { walletView, type WalletView } from './wallet/wallet.schema';
import { ConfirmedWithdrawal, ConfirmWithdrawalDto, PreparedWithdrawal } from './withdrawal/withdrawal.schema';
import type { WithdrawalSourcesView } from './withdrawal/withdrawal.schema';
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
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(ensureWallet)
  async ensure(@Caller(AsOwner) owner: Owner): Promise<WalletView> {
    return walletView(answer(await this.commands.execute(new EnsureWallet(owner))));
  }

  @Serves(getWallet)
  async get(@Caller() { userId }: Caller): Promise<WalletView> {
    return walletView(answer(await this.queries.execute(new GetWallet(userId))));
  }

  @Serves(readWithdrawalSources)
  async withdrawalSources(@Caller(AsOwner) { userId, mainAccountId }: Owner): Promise<WithdrawalSourcesView> {
    return answer(await this.queries.execute(new ListWithdrawalSources(userId, mainAccountId)));
  }

  // The use case validates the body, because a missing wallet is reported first.
  @Serves(prepareWithdrawal)
  async prepare(@Caller(AsOwner) owner: Owner, @Body() body: unknown): Promise<PreparedWithdrawal> {
    return answer(await this.commands.execute(new PrepareWithdrawal(owner, body)));
  }

  @Serves(confirmWithdrawal)
  async confirm(
    @Caller(AsOwner) owner: Owner,
    @Param('operationId') operationId: OperationId,
    @Body() { fingerprint }: ConfirmWithdrawalDto,
  ): Promise<ConfirmedWithdrawal> {
    return answer(await this.commands.execute(new ConfirmWithdrawal(owner, operationId, fingerprint)));
  }
}

/** Handlers of the commands and queries that the controller executes. */
export const walletsHandlers = [
  ConfirmWithdrawalHandler,
  EnsureWalletHandler,
  GetWalletHandler,
  ListWithdrawalSourcesHandler,
  PrepareWithdrawalHandler,
];
