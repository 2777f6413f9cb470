import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { answer, Caller, Operation } from '@app/http';
import { notFound, refuse, type OperationId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { ConfirmWithdrawal, type ConfirmedWithdrawal } from './confirm-withdrawal';
import { mainAccountOf } from './main-account';
import { PrepareWithdrawal, type Owner, type PreparedWithdrawal } from './prepare-withdrawal';
import { Wallets } from './wallets';
import { walletView, type WalletView } from './wallet.view';
import { WithdrawalSources, type WithdrawalSourcesView } from './withdrawal-sources';
import { ConfirmWithdrawalDto } from './withdrawals.dto';

/** A user's agent wallet and its direct withdrawals (specification, "Wallet"; decisions.md, section 5). */
@Controller('/v1/users/:userId/wallet')
export class WalletsController {
  constructor(
    private readonly configuration: Configuration,
    private readonly wallets: Wallets,
    private readonly sources: WithdrawalSources,
    private readonly preparing: PrepareWithdrawal,
    private readonly confirming: ConfirmWithdrawal,
  ) {}

  @Post()
  @HttpCode(200)
  @Operation('wallets.ensure')
  async ensure(@Caller() caller: Caller): Promise<WalletView> {
    const { userId, mainAccountId, cause } = this.owner(caller);
    return walletView(answer(await this.wallets.ensure(userId, mainAccountId, cause)));
  }

  @Get()
  @Operation('wallets.get')
  async get(@Caller() { userId }: Caller): Promise<WalletView> {
    const wallet = await this.wallets.find(userId);
    return wallet === null ? answer(refuse(notFound)) : walletView(wallet);
  }

  @Get('withdrawals/sources')
  @Operation('wallets.withdrawalSources')
  async withdrawalSources(@Caller() caller: Caller): Promise<WithdrawalSourcesView> {
    const { userId, mainAccountId } = this.owner(caller);
    return answer(await this.sources.read(userId, mainAccountId));
  }

  // The body is validated by the use case: a missing wallet comes first.
  @Post('withdrawals')
  @HttpCode(200)
  @Operation('wallets.prepareWithdrawal')
  async prepare(@Caller() caller: Caller, @Body() body: unknown): Promise<PreparedWithdrawal> {
    return answer(await this.preparing.prepare(this.owner(caller), body));
  }

  @Post('withdrawals/:operationId/confirm')
  @HttpCode(202)
  @Operation('wallets.confirmWithdrawal')
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
