import { byRichness, unscaledAmount, valueUsdCents } from '@app/consent';
import { isJsonObject, type Clock, type JsonObject } from '@app/kernel';
import type { AgentWallets, Holding, Wallets } from '@app/wallets';
import { failed, type AutoTool } from '../tool';

/** `wallet_balances`: what the agent wallet holds and can spend, richest first. A user without a wallet gets one. */
export function walletBalances(agentWallets: AgentWallets, wallets: Wallets, clock: Clock): AutoTool {
  return {
    name: 'wallet_balances',
    description: "What the user's agent wallet can spend, richest first, with token ids, decimals, amounts and prices.",
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'repeatable',
    consent: 'auto',
    run: async (input, { userId, cause }) => {
      if (!isJsonObject(input) || Object.keys(input).length > 0) return failed('the input must be {}');
      const wallet = await agentWallets.open(userId, cause);
      if (!wallet.ok) return failed('the wallet cannot be used now');
      const held = await wallets.spendable(userId);
      if (!held.ok) return failed('the wallet must be connected again');
      const assets = [...held.value].sort(byRichness).map(assetOf);
      return { outcome: 'ok', result: { assets, asOf: clock.now() } };
    },
  };
}

function assetOf(holding: Holding): JsonObject {
  const { tokenId, symbol, name, decimals, amountRaw, priceUsdDecimal } = holding;
  return {
    ...{ tokenId, symbol, name, decimals, amountRaw, priceUsdDecimal },
    amount: decimals === null ? null : unscaledAmount(amountRaw, decimals),
    valueUsdCents: valueUsdCents(holding),
  };
}
