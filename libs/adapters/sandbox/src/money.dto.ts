import { Describe, Text, Uuid, Value } from '@app/http';
import { nullable, text } from '@app/schema';

export const tokenIdLengthMax = 512;
/** Of a deposit: many of them stay below the 160 digits that a balance may have. */
const depositDigitsMax = 150;
const amount = new RegExp(`^[1-9][0-9]{0,${depositDigitsMax - 1}}$`);
/** A decimal; unlike a contract's amounts it is nowhere hashed, so `1.90` may be spelled as people do. */
export const price = /^(?:0|[1-9][0-9]{0,38})(?:\.[0-9]{1,18})?$/;

export class Deposit {
  @Uuid()
  readonly userId: string;

  @Describe('A token of the sandbox')
  @Text({ min: 1, max: tokenIdLengthMax })
  readonly tokenId: string;

  @Value(
    `a positive whole number of at most ${depositDigitsMax} digits, as a text`,
    isAmount,
    text({ pattern: amount }),
  )
  readonly amountRaw: string;
}

export class PriceChange {
  @Value(
    'a decimal above 0 as a text, with at most 18 fraction digits, or null',
    isPrice,
    nullable(text({ pattern: price, description: 'Above 0; null lets it follow its path again' })),
  )
  readonly priceUsd: string | null;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'string' && amount.test(value);
}

function isPrice(value: unknown): boolean {
  return value === null || (typeof value === 'string' && price.test(value) && /[1-9]/.test(value));
}
