import { Member } from '@app/http';
import { custom, exactly, nullable, shape, text, uuid, type Shaped } from '@app/schema';
import type { TokenAmount } from '@app/wallets';

const tokenIdLengthMax = 512;
/** Maximum number of digits of a deposit, so that many of them stay below the 160 digits that a balance may have. */
const depositDigitsMax = 150;
const amount = new RegExp(`^[1-9][0-9]{0,${depositDigitsMax - 1}}$`);
/** A decimal. Unlike a contract's amounts it is not hashed, so other spellings such as `1.90` are allowed. */
const price = /^(?:0|[1-9][0-9]{0,38})(?:\.[0-9]{1,18})?$/;

export class Deposit {
  @Member(uuid())
  readonly userId: string;

  @Member(text({ min: 1, max: tokenIdLengthMax, description: 'A token of the sandbox' }))
  readonly tokenId: string;

  @Member(
    text({
      pattern: amount,
      message: `must be a positive whole number of at most ${depositDigitsMax} digits, as a text`,
    }),
  )
  readonly amountRaw: string;
}

const priceUsd = nullable(text({ pattern: price, description: 'Above 0; null lets it follow its path again' }));

export class PriceChange {
  @Member(custom(priceUsd, isPrice, 'must be a decimal above 0 as a text, with at most 18 fraction digits, or null'))
  readonly priceUsd: string | null;
}

function isPrice(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && price.test(value) && /[1-9]/.test(value));
}

const tokenId = text({ min: 1, max: tokenIdLengthMax });

export const TokenPrice = shape('TokenPrice', {
  tokenId,
  priceUsd: nullable(text({ pattern: price }), { description: 'Null when the provider has no price' }),
});

export type TokenPrice = Shaped<typeof TokenPrice>;

export const TokenBalance = exactly<TokenAmount>()(
  shape('TokenBalance', {
    tokenId,
    amountRaw: text({ pattern: /^(0|[1-9][0-9]{0,159})$/, description: "In the token's smallest unit" }),
  }),
);
