import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { byRichness, isPinnable, valueUsdCents } from '@app/consent';
import { because, Clock, notFound, ok, refuse, withdrawalChanged, type Result, type UserId } from '@app/kernel';
import { unusable } from '../wallet/wallet.decider';
import { WalletProvider, type Holding } from '../provider/wallet-provider';
import { Wallets } from '../wallet/wallets';
import type { WithdrawalSourcesView } from './withdrawal.schema';
import { assetLimits } from '../provider/asset.schema';

/**
 * Returns the assets that the user can withdraw, richest first. Refuses with `not_found`; with `provider_unavailable`
 * if the owner has no main account or the wallet was never connected; with `withdrawal_changed` if it is disabled or
 * the provider rejects its session (docs/decisions/money.md). @throws Unavailable
 */
export class ListWithdrawalSources extends Query<Result<WithdrawalSourcesView>> {
  constructor(
    readonly userId: UserId,
    readonly mainAccountId: string | null,
  ) {
    super();
  }
}

@QueryHandler(ListWithdrawalSources)
export class ListWithdrawalSourcesHandler implements IQueryHandler<ListWithdrawalSources> {
  constructor(
    private readonly clock: Clock,
    private readonly wallets: Wallets,
    private readonly provider: WalletProvider,
  ) {}

  async execute({ userId, mainAccountId }: ListWithdrawalSources): Promise<Result<WithdrawalSourcesView>> {
    const wallet = await this.wallets.find(userId);
    if (wallet === null) return refuse(notFound);
    const why = unusable(wallet);
    if (why === 'wallet_disabled') return refuse(withdrawalChanged(why));
    if (mainAccountId === null || wallet.authStatus === 'pending') return refuse(because('provider_unavailable'));
    if (why !== null) return refuse(withdrawalChanged(why));
    if (!(await this.provider.isMainAccount(mainAccountId))) return refuse(because('provider_unavailable'));
    const asOf = this.clock.now();
    const spendable = await this.wallets.spendable(userId);
    if (!spendable.ok) return spendable;
    const assets = [...spendable.value].sort(byRichness).map(assetOf);
    return ok({ assets, mainAccountId, agentAccountId: wallet.address, asOf });
  }
}

/** Copied member by member, because a provider's holding may carry more than is public. */
function assetOf(holding: Holding): WithdrawalSourcesView['assets'][number] {
  const { tokenId, decimals, amountRaw, priceUsdDecimal, iconUrl } = holding;
  const symbol = cut(holding.symbol, assetLimits.symbolLengthMax);
  const name = cut(holding.name, assetLimits.nameLengthMax);
  return {
    tokenId,
    symbol,
    name,
    decimals,
    amountRaw,
    priceUsdDecimal,
    valueUsdCents: valueUsdCents(holding),
    iconUrl,
    withdrawable: isPinnable(holding),
  };
}

/** Cuts a provider's name or symbol, which can have any length. */
function cut(words: string, lengthMax: number): string {
  return [...words].slice(0, lengthMax).join('');
}
