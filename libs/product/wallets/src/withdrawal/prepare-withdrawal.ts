import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isPinnable } from '@app/consent';
import { DeploymentControls } from '@app/deployment';
import { validateInto } from '@app/http';
import { because, notFound, refuse, withdrawalChanged, type Result } from '@app/kernel';
import { OpenWithdrawal, type ExactWithdrawal } from './open-withdrawal';
import type { Owner } from '../wallet/owner';
import { unusable } from '../wallet/wallet.decider';
import { WalletProvider, type Holding } from '../provider/wallet-provider';
import { Wallets } from '../wallet/wallets';
import { PrepareWithdrawalDto, type PreparedWithdrawal } from './withdrawal.schema';

/**
 * Builds the exact contract of a withdrawal and opens its approval; signs nothing and reserves nothing. Refuses, in
 * this order, with `not_found` (no wallet yet), `invalid_input`, `deployment_paused`, `withdrawal_changed`,
 * `rate_limited` (docs/decisions/money.md). @throws Unavailable when a store or the provider does not answer
 */
export class PrepareWithdrawal extends Command<Result<PreparedWithdrawal>> {
  constructor(
    readonly owner: Owner,
    readonly body: unknown,
  ) {
    super();
  }
}

@CommandHandler(PrepareWithdrawal)
export class PrepareWithdrawalHandler implements ICommandHandler<PrepareWithdrawal> {
  constructor(
    private readonly controls: DeploymentControls,
    private readonly wallets: Wallets,
    private readonly provider: WalletProvider,
    private readonly opening: OpenWithdrawal,
  ) {}

  async execute({ owner, body }: PrepareWithdrawal): Promise<Result<PreparedWithdrawal>> {
    const wallet = await this.wallets.find(owner.userId);
    if (wallet === null) return refuse(notFound);
    const asked = validateInto(PrepareWithdrawalDto, body);
    if (!asked.ok) return asked;
    if (await this.controls.isPaused('withdrawals')) return refuse(because('deployment_paused'));
    const { mainAccountId } = owner;
    const why = unusable(wallet);
    if (why !== null) return refuse(withdrawalChanged(why));
    if (mainAccountId === null || !(await this.provider.isMainAccount(mainAccountId)))
      return refuse(withdrawalChanged('main_account_missing'));
    const { tokenId, amountRaw } = asked.value;
    const spendable = await this.wallets.spendable(owner.userId);
    if (!spendable.ok) return spendable;
    const token = spendable.value.find((held) => held.tokenId === tokenId) ?? (await this.notHeld(tokenId));
    if (token === null) return refuse(withdrawalChanged('unknown_token'));
    const contract = contractOver(token, amountRaw);
    if (typeof contract === 'string') return refuse(withdrawalChanged(contract));
    const { userId, cause } = owner;
    return this.opening.open({ userId, mainAccountId, cause, walletId: wallet.walletId, holding: token, contract });
  }

  /** A token with nothing to spend; null when the provider does not know it. */
  private async notHeld(tokenId: string): Promise<Holding | null> {
    const token = await this.provider.findToken(tokenId);
    return token === null ? null : { ...token, amountRaw: '0' };
  }
}

/** The contract over an amount of a holding, or why there is none. */
function contractOver(
  { tokenId, decimals, amountRaw: heldRaw }: Holding,
  amountRaw: string,
): ExactWithdrawal | 'not_expressible' | 'insufficient_balance' {
  if (decimals === null || !isPinnable({ tokenId, decimals, amountRaw: '1' })) return 'not_expressible';
  if (BigInt(amountRaw) > BigInt(heldRaw)) return 'insufficient_balance';
  if (!isPinnable({ tokenId, decimals, amountRaw })) return 'not_expressible';
  const input = { pinned: { tokenId, decimals } };
  const quantity = { kind: 'exact_input_tokens', amountRaw } as const;
  return { type: 'ledger_intents_transfer', actions: [{ kind: 'withdraw_to_owner', input, quantity }] };
}
