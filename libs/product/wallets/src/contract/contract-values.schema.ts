import { contractForms, contractLimits } from '@app/consent';
import type { PinnedToken, Quantity, TokenChoice, WithdrawAction } from '@app/consent';
import {
  choice,
  constant,
  exactly,
  inBrief,
  integer,
  mergedInBrief,
  shape,
  text,
  variants,
  withName,
  withoutOthers,
  type Schema,
} from '@app/schema';

/** Schemas of the parts of a contract's actions: tokens and quantities. */

const tokenId = text({
  max: contractLimits.tokenIdLengthMax,
  pattern: contractForms.tokenId,
  message: 'must be nep141: and lower-case alphanumeric segments joined by . _ or -, at most 512 characters',
  description: 'A NEP-141 token as the provider identifies it',
});

const amountRaw = text({
  pattern: contractForms.amountRaw,
  message: 'must be a text of 1 to 39 digits, positive and without leading zeros',
  description: "In the token's smallest unit; never rounded",
});

/** The brief form for models describes amounts in words, because the pattern is long and the parser checks it anyway. */
const usdInBrief = withName('usd', text({ brief: 'US dollars, such as 20 or 1.5' }));

/** Schema of an amount in US dollars. @param description without the spelling rules, which are appended */
export function usd(description: string): Schema<string> {
  return inBrief(
    text({
      pattern: contractForms.usd,
      message: 'must be a positive decimal text of at most 39 digits and 18 fraction digits, without needless zeros',
      description: `${description}; without needless zeros: \`20\`, \`1.5\`, \`1.0\``,
    }),
    usdInBrief,
  );
}

const bps = inBrief(
  text({
    pattern: contractForms.bps,
    message: 'must be a text of a whole number from 1 to 10000',
    description: 'Basis points, 1 to 10000, as a text',
  }),
  text({ brief: 'Basis points, 1 to 10000' }),
);

const pinnedToken = exactly<PinnedToken>()(
  withoutOthers(
    shape('PinnedToken', {
      tokenId,
      decimals: integer({
        min: 0,
        max: contractLimits.decimalsMax,
        description: 'Of the token, as verified when the contract was made',
      }),
    }),
  ),
);

/** The token that is spent or received. */
export const tokenChoice = exactly<TokenChoice>()(
  choice('TokenChoice', [{ pinned: pinnedToken }, { any: constant(true) }], {
    message: 'must have either pinned or any',
    brief: 'One token with its true decimals, or any that the wallet holds',
    description:
      'The token itself, `pinned`; or `any` that the agent wallet holds: as what is spent the richest holding by USD value that covers the quantity, as what is received the richest holding that is not the input',
  }),
);

const exactInputTokens = withoutOthers(
  shape(
    'ExactInputTokens',
    { kind: constant('exact_input_tokens'), amountRaw },
    { description: 'Spend exactly this much of the input' },
  ),
);
const exactInputValueUsd = withoutOthers(
  shape(
    'ExactInputValueUsd',
    { kind: constant('exact_input_value_usd'), value: usd('US dollars') },
    { description: 'Spend the input worth this much at live prices, rounded down' },
  ),
);
const exactOutputTokens = withoutOthers(
  shape(
    'ExactOutputTokens',
    { kind: constant('exact_output_tokens'), amountRaw },
    { description: 'Receive exactly this much of the output' },
  ),
);
const allOfInput = withoutOthers(
  shape(
    'AllOfInput',
    { kind: constant('all_of_input') },
    { description: 'Spend all that the wallet holds of the input' },
  ),
);
const fractionOfInput = withoutOthers(
  shape(
    'FractionOfInput',
    { kind: constant('fraction_of_input'), bps },
    { description: 'Spend a fraction of what the wallet holds of the input, rounded down' },
  ),
);

const quantityRule = 'An exact amount of a token needs that token to be pinned';
export const quantityOfInput = exactly<WithdrawAction['quantity']>()(
  mergedInBrief(
    variants([exactInputTokens, exactInputValueUsd, allOfInput, fractionOfInput], {
      by: 'kind',
      message: 'must be a quantity of the input',
      description: quantityRule,
    }),
  ),
);
export const anyQuantity = exactly<Quantity>()(
  mergedInBrief(
    variants([exactInputTokens, exactInputValueUsd, exactOutputTokens, allOfInput, fractionOfInput], {
      by: 'kind',
      description: quantityRule,
    }),
  ),
);
