import { boolean, constant, instant, integer, list, nullable, shape, text, uuid, type Shaped } from '@app/schema';
import { Member } from '@app/http';
import { assetId, assetLimits, rawAmount, wholeNumber } from '../provider/asset.schema';
import { ContractShape } from '../contract/contract.schema';
import { implicitAccount } from '../wallet/wallet.schema';

const fingerprint = text({
  pattern: /^sha256:[0-9a-f]{64}$/,
  description: 'Binds the decision to exactly what was reviewed; `wallets.confirmWithdrawal` takes it back unchanged',
});

/** The account that receives a withdrawal: an implicit account, or a named one. */
const mainAccountId = text({
  min: 2,
  max: 64,
  description: "The owner's main account, where a withdrawal lands; for display: no contract names a destination",
});

const WithdrawalAsset = shape('WithdrawalAsset', {
  tokenId: assetId,
  symbol: text({ min: 1, max: assetLimits.symbolLengthMax }),
  name: text({ min: 1, max: assetLimits.nameLengthMax }),
  decimals: nullable(integer({ min: 0, max: 255 }), {
    description: 'Null when the provider does not name the asset; such an asset cannot be withdrawn by a contract',
  }),
  amountRaw: rawAmount('What can be spent, in the smallest unit: the balance less what is in flight'),
  priceUsdDecimal: nullable(text({ max: assetLimits.priceLengthMax, pattern: /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/ }), {
    description: 'US dollars for one whole token; null when the provider has no price',
  }),
  valueUsdCents: nullable(text({ max: assetLimits.amountDigitsMax, pattern: wholeNumber }), {
    description: 'US cents, rounded down; null without a price or without decimals',
  }),
  iconUrl: nullable(text({ format: 'uri', pattern: /^https:\/\// }), {
    description: 'Null where the provider has none',
  }),
  withdrawable: boolean({
    description:
      'False where a contract cannot name the asset or all of it: no `nep141:` token, decimals unknown or more than 38, an amount of more than 39 digits',
  }),
});

/** WithdrawalSources, as the specification shapes it. */
export const WithdrawalSourcesShape = shape('WithdrawalSources', {
  assets: list(WithdrawalAsset, {
    description: 'Those with a positive balance, richest first: by USD value, unpriced last, then by `tokenId`',
  }),
  mainAccountId,
  agentAccountId: text({ pattern: implicitAccount, description: "The agent wallet's own intents account" }),
  asOf: instant({ description: 'When the balances were read' }),
});
export type WithdrawalSourcesView = Shaped<typeof WithdrawalSourcesShape>;

/** The prepared withdrawal: everything that the user reviews before confirming. */
export const PreparedWithdrawal = shape('PreparedWithdrawal', {
  operationId: uuid({ description: 'The financial operation; `wallets.confirmWithdrawal` takes it' }),
  approvalId: uuid({ description: 'The approval that was opened; it can be denied, but not approved, as one' }),
  fingerprint,
  expiresAt: instant({ description: 'Confirm before then, or prepare again' }),
  mainAccountId,
  contract: ContractShape,
});
export type PreparedWithdrawal = Shaped<typeof PreparedWithdrawal>;

/** The answer to a confirmation; the outcome is read from the operation. */
export const ConfirmedWithdrawal = shape('ConfirmedWithdrawal', {
  operationId: uuid(),
  status: constant('submitted', { description: 'Accepted, which is no evidence of settlement' }),
});
export type ConfirmedWithdrawal = Shaped<typeof ConfirmedWithdrawal>;

export class PrepareWithdrawalDto {
  @Member(
    text({
      min: 1,
      max: assetLimits.tokenIdLengthMax,
      description: 'One of the assets of `wallets.withdrawalSources`',
    }),
  )
  tokenId: string;

  @Member(
    text({
      min: 1,
      max: assetLimits.amountDigitsMax,
      pattern: /^[1-9][0-9]*$/,
      message: `must be a positive whole number of at most ${assetLimits.amountDigitsMax} digits, as a text without leading zeros`,
      description: "In the token's smallest unit: positive, without leading zeros, at most the balance",
    }),
  )
  amountRaw: string;
}

export class ConfirmWithdrawalDto {
  @Member(text({ description: 'As `wallets.prepareWithdrawal` answered it; any other is `withdrawal_changed`' }))
  fingerprint: string;
}
