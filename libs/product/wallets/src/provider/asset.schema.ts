import { text, type Schema } from '@app/schema';

/** Bounds of an asset as the specification shapes it. */
export const assetLimits = {
  tokenIdLengthMax: 512,
  symbolLengthMax: 64,
  nameLengthMax: 256,
  amountDigitsMax: 160,
  priceLengthMax: 500,
} as const;

/** Digits without leading zeros. */
export const wholeNumber = /^(?:0|[1-9][0-9]*)$/;

/** An amount of a token in its smallest unit. */
export function rawAmount(description: string): Schema<string> {
  return text({ max: assetLimits.amountDigitsMax, pattern: wholeNumber, description });
}

/** A token as the provider identifies it. */
export const assetId = text({
  min: 1,
  max: assetLimits.tokenIdLengthMax,
  description: "The provider's identifier of the asset",
});
