import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { answer, Caller, Operation } from '@app/http';
import { notFound, refuse, type OperationId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { ConfirmWithdrawal } from './confirm-withdrawal';
import { mainAccountOf } from './main-account';
import { PrepareWithdrawal, type Owner } from './prepare-withdrawal';
import { Wallets } from './wallets';
import { Wallet, walletExample, type WalletView } from './wallet.schema';
import { walletView } from './wallet.view';
import { WithdrawalSources } from './withdrawal-sources';
import { withdrawalExamples } from './withdrawal.example';
import {
  ConfirmedWithdrawal,
  PreparedWithdrawal,
  WithdrawalSourcesShape,
  type WithdrawalSourcesView,
} from './withdrawal.schema';
import { ConfirmWithdrawalDto, PrepareWithdrawalDto } from './withdrawals.dto';

/** A user's agent wallet and its direct withdrawals (specification, "Wallet"; docs/decisions/money.md). */
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
  @Operation('wallets.ensure', {
    summary: 'Create the agent wallet, or find it, and connect it to its provider',
    description:
      'Safe to repeat: it answers the one wallet of the user, asks the provider each time whether it takes the session of the wallet, and reconnects one that it rejected; where it takes none, the wallet says `authorization_required`. A wallet that an operator disabled stays so. While the provider is away the wallet exists and stays as it was, and the answer is a 503.',
    answer: Wallet,
    answerExample: walletExample,
    reasons: ['provider_unavailable'],
  })
  async ensure(@Caller() caller: Caller): Promise<WalletView> {
    const { userId, mainAccountId, cause } = this.owner(caller);
    return walletView(answer(await this.wallets.ensure(userId, mainAccountId, cause)));
  }

  @Get()
  @Operation('wallets.get', {
    summary: 'The agent wallet',
    description: 'Before the first `wallets.ensure` every call on the wallet is a 404.',
    answer: Wallet,
    answerExample: walletExample,
  })
  async get(@Caller() { userId }: Caller): Promise<WalletView> {
    const wallet = await this.wallets.find(userId);
    return wallet === null ? answer(refuse(notFound)) : walletView(wallet);
  }

  @Get('withdrawals/sources')
  @Operation('wallets.withdrawalSources', {
    summary: 'What can be withdrawn, richest first',
    description:
      '`withdrawal_changed`, with what to do as `change`, while the wallet is `authorization_required` or `disabled`. Also a 503 before the wallet was connected for the first time, and for a token that names no main account.',
    answer: WithdrawalSourcesShape,
    answerExample: withdrawalExamples.sources,
    reasons: ['withdrawal_changed', 'provider_unavailable'],
  })
  async withdrawalSources(@Caller() caller: Caller): Promise<WithdrawalSourcesView> {
    const { userId, mainAccountId } = this.owner(caller);
    return answer(await this.sources.read(userId, mainAccountId));
  }

  // The body is validated by the use case: a missing wallet comes first.
  @Post('withdrawals')
  @HttpCode(200)
  @Operation('wallets.prepareWithdrawal', {
    summary: 'Build the exact contract of a withdrawal, and open its approval',
    description:
      'Nothing is signed, and nothing is held. `withdrawal_changed`, with what to do as `change`: the token is unknown, the amount is more than the balance less what is in flight, no contract can express it, the wallet is not `active` and `ready`, or the token names no main account.',
    takes: PrepareWithdrawalDto,
    requestExample: withdrawalExamples.asked,
    answer: PreparedWithdrawal,
    answerExample: withdrawalExamples.prepared,
    reasons: ['withdrawal_changed', 'deployment_paused', 'provider_unavailable'],
  })
  async prepare(@Caller() caller: Caller, @Body() body: unknown): Promise<PreparedWithdrawal> {
    return answer(await this.preparing.prepare(this.owner(caller), body));
  }

  @Post('withdrawals/:operationId/confirm')
  @HttpCode(202)
  @Operation('wallets.confirmWithdrawal', {
    summary: 'Confirm a prepared withdrawal exactly as it was reviewed',
    description:
      'Of any number of confirmations one is accepted. `withdrawal_changed`, with what to do as `change`: another fingerprint, no longer `prepared`, expired, or the balance no longer covers it. After an ambiguous answer read `financialOperations.get` before anything else: it alone tells of settlement.',
    requestExample: { fingerprint: withdrawalExamples.prepared.fingerprint },
    answer: ConfirmedWithdrawal,
    answerExample: withdrawalExamples.confirmed,
    reasons: ['withdrawal_changed', 'deployment_paused', 'provider_unavailable'],
  })
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
