import { Injectable } from '@nestjs/common';
import { byRichness, unscaledAmount, valueUsdCents } from '@app/consent';
import { Clock, words, type JsonObject } from '@app/kernel';
import { object, withoutOthers, type Shaped } from '@app/schema';
import { AgentWallets, Wallets, type Holding } from '@app/wallets';
import { failWith, type CallContext, type ToolResult } from '../tool';
import type { AutoDeclaration } from '../tool-declaration';
import { unusableWallet } from './wallet-words';

const input = withoutOthers(object({}));

/** The agent wallet's spendable holdings, highest value first. Nothing is created or connected for it. */
@Injectable()
export class WalletBalances implements AutoDeclaration<Shaped<typeof input>> {
  readonly order = 10;
  readonly name = 'wallet_balances';
  readonly description =
    "What the user's agent wallet can spend, richest first, with token ids, decimals, amounts and prices; `wallet` is null where the " +
    'user has none yet.';
  readonly input = input;
  readonly inputWords = words`{}`;
  readonly effect = 'none';
  readonly consent = 'auto';

  constructor(
    private readonly agentWallets: AgentWallets,
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async run(_: Shaped<typeof input>, { userId }: CallContext): Promise<ToolResult> {
    const wallet = await this.agentWallets.find(userId);
    if (wallet === 'none') return { outcome: 'ok', result: { wallet: null, assets: [], asOf: this.clock.now() } };
    if (wallet === 'unusable') return failWith(unusableWallet);
    const held = await this.wallets.spendable(userId);
    if (!held.ok) return failWith('the wallet must be connected again');
    const assets = [...held.value].sort(byRichness).map(assetOf);
    return { outcome: 'ok', result: { assets, asOf: this.clock.now() } };
  }
}

function assetOf(holding: Holding): JsonObject {
  const { tokenId, symbol, name, decimals, amountRaw, priceUsdDecimal } = holding;
  return {
    tokenId,
    symbol,
    name,
    decimals,
    amountRaw,
    priceUsdDecimal,
    amount: decimals === null ? null : unscaledAmount(amountRaw, decimals),
    valueUsdCents: valueUsdCents(holding),
  };
}
