import { byRichness, unscaledAmount, valueUsdCents } from '@app/consent';
import { isJsonObject, type Clock, type JsonObject } from '@app/kernel';
import type { AgentWallets, Holding, Wallets } from '@app/wallets';
import { failWith, type AutoTool } from '../tool';
import { unusableWallet } from './wallet-words';

/** `wallet_balances`: what the agent wallet holds and can spend, richest first. Nothing is created or connected for it. */
export function walletBalances(agentWallets: AgentWallets, wallets: Wallets, clock: Clock): AutoTool {
  return {
    name: 'wallet_balances',
    description:
      "What the user's agent wallet can spend, richest first, with token ids, decimals, amounts and prices; `wallet` is null where the " +
      'user has none yet.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'repeatable',
    consent: 'auto',
    run: async (input, { userId }) => {
      if (!isJsonObject(input) || Object.keys(input).length > 0) return failWith('the input must be {}');
      const wallet = await agentWallets.find(userId);
      if (wallet === 'none') return { outcome: 'ok', result: { wallet: null, assets: [], asOf: clock.now() } };
      if (wallet === 'unusable') return failWith(unusableWallet);
      const held = await wallets.spendable(userId);
      if (!held.ok) return failWith('the wallet must be connected again');
      const assets = [...held.value].sort(byRichness).map(assetOf);
      return { outcome: 'ok', result: { assets, asOf: clock.now() } };
    },
  };
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
