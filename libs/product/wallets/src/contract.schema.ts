import {
  contractForms,
  contractLimits,
  type Contract,
  type ContractAction,
  type ContractBounds,
  type PinnedToken,
  type Quantity,
  type TokenChoice,
  type WithdrawAction,
} from '@app/consent';
import type { Issue } from '@app/kernel';
import {
  choice,
  withoutOthers,
  constant,
  exactly,
  givenInstant,
  integer,
  list,
  object,
  refine,
  withName,
  shape,
  text,
  variants,
} from '@app/schema';

/**
 * The contract `ledger_intents_transfer`, as it is read and as documents describe it: exactly the members that the specification names, every
 * amount in its one spelling, since what is shown, hashed and executed are the same bytes. Unlike other answers a contract is closed:
 * whatever it says, the user consents to.
 */

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

const usd = (description: string) =>
  text({
    pattern: contractForms.usd,
    message: 'must be a positive decimal text of at most 39 digits and 18 fraction digits, without needless zeros',
    description: `${description}; without needless zeros: \`20\`, \`1.5\`, \`1.0\``,
  });

const bps = text({
  pattern: contractForms.bps,
  message: 'must be a text of a whole number from 1 to 10000',
  description: 'Basis points, 1 to 10000, as a text',
});

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

/** What is spent or received. */
const tokenChoice = exactly<TokenChoice>()(
  choice('TokenChoice', [{ pinned: pinnedToken }, { any: constant(true) }], {
    message: 'must have either pinned or any',
    description:
      'The token itself, `pinned`; or `any` that the agent wallet holds: as what is spent the richest holding by USD value that covers the quantity, as what is received the richest holding that is not the input',
  }),
);

const exactInputTokens = withName(
  'ExactInputTokens',
  withoutOthers(
    object(
      { kind: constant('exact_input_tokens'), amountRaw },
      { description: 'Spend exactly this much of the input' },
    ),
  ),
);
const exactInputValueUsd = withName(
  'ExactInputValueUsd',
  withoutOthers(
    object(
      { kind: constant('exact_input_value_usd'), value: usd('US dollars') },
      { description: 'Spend the input worth this much at live prices, rounded down' },
    ),
  ),
);
const exactOutputTokens = withName(
  'ExactOutputTokens',
  withoutOthers(
    object(
      { kind: constant('exact_output_tokens'), amountRaw },
      { description: 'Receive exactly this much of the output' },
    ),
  ),
);
const allOfInput = withName(
  'AllOfInput',
  withoutOthers(
    object({ kind: constant('all_of_input') }, { description: 'Spend all that the wallet holds of the input' }),
  ),
);
const fractionOfInput = withName(
  'FractionOfInput',
  withoutOthers(
    object(
      { kind: constant('fraction_of_input'), bps },
      { description: 'Spend a fraction of what the wallet holds of the input, rounded down' },
    ),
  ),
);

const quantityRule = 'An exact amount of a token needs that token to be pinned';
const quantityOfInput = exactly<WithdrawAction['quantity']>()(
  variants([exactInputTokens, exactInputValueUsd, allOfInput, fractionOfInput], {
    by: 'kind',
    message: 'must be a quantity of the input',
    description: quantityRule,
  }),
);
const anyQuantity = exactly<Quantity>()(
  variants([exactInputTokens, exactInputValueUsd, exactOutputTokens, allOfInput, fractionOfInput], {
    by: 'kind',
    description: quantityRule,
  }),
);

const amountOfAnyInput = amountOfAny('exact_input_tokens', 'input');
const amountOfAnyOutput = amountOfAny('exact_output_tokens', 'output');

const Swap = withName('Swap', {
  ...withoutOthers(
    object(
      { kind: constant('swap'), input: tokenChoice, output: tokenChoice, quantity: anyQuantity },
      { description: 'Exchanges one token for another; the two must differ' },
    ),
  ),
  not: { anyOf: [amountOfAnyInput, amountOfAnyOutput] },
});

const WithdrawToOwner = withName('WithdrawToOwner', {
  ...withoutOthers(
    object(
      { kind: constant('withdraw_to_owner'), input: tokenChoice, quantity: quantityOfInput },
      { description: 'Returns an asset to the account that owns the wallet; a contract never names a destination' },
    ),
  ),
  not: amountOfAnyInput,
});

const contractMembers = {
  type: constant('ledger_intents_transfer'),
  actions: list(
    exactly<ContractAction>()(variants([refine(Swap, swapIssues), refine(WithdrawToOwner, unpinned)], { by: 'kind' })),
    {
      min: 1,
      max: contractLimits.actionsMax,
      description: 'Run in order, each after the one before has settled; the first that fails ends the operation',
    },
  ),
};

/** Contract, as the specification names it: what an agent's transfer and a withdrawal are authorized by. */
export const ContractShape = exactly<Omit<Contract, 'bounds'>>()(
  withName(
    'Contract',
    withoutOthers(object(contractMembers, { description: 'The exact terms that a user consents to' })),
  ),
);

const contractBounds = exactly<ContractBounds>()(
  withName(
    'ContractBounds',
    withoutOthers(
      object({
        maxUses: integer({ min: 1, max: contractLimits.usesMax, description: 'How often it may be used' }),
        perUseUsd: usd('What one use may be worth in US dollars'),
        totalUsd: usd('What all uses together may be worth in US dollars'),
        notAfter: givenInstant({ description: 'No use after this instant' }),
      }),
    ),
  ),
);

/** The contract of an automation: what its runs may do without asking again, within bounds. */
export const AutomationContractShape = exactly<Required<Contract>>()(
  withName(
    'AutomationContract',
    withoutOthers(
      object(
        { ...contractMembers, bounds: contractBounds },
        { description: 'The terms that cover transfers of an automation, within bounds: the user is asked once' },
      ),
    ),
  ),
);

function swapIssues(action: Extract<ContractAction, { readonly kind: 'swap' }>): readonly Issue[] {
  const issues = unpinned(action);
  if (issues.length > 0) return issues;
  const { input, output } = action;
  const isSame = 'pinned' in input && 'pinned' in output && input.pinned.tokenId === output.pinned.tokenId;
  return isSame ? [{ path: '/output', message: 'must be another token than the input' }] : [];
}

/** An exact amount is one of a certain token. */
function unpinned(action: ContractAction): readonly Issue[] {
  const { kind } = action.quantity;
  const message = `must be pinned for ${kind}`;
  if (kind === 'exact_input_tokens' && !('pinned' in action.input)) return [{ path: '/input', message }];
  const lacksOutput = kind === 'exact_output_tokens' && 'output' in action && !('pinned' in action.output);
  return lacksOutput ? [{ path: '/output', message }] : [];
}

/** JSON Schema for an action whose amount is one of whichever token the executor picks; a contract has no such action. */
function amountOfAny(kind: Quantity['kind'], side: 'input' | 'output') {
  return {
    properties: {
      quantity: { properties: { kind: { const: kind } }, required: ['kind'] },
      [side]: { properties: { any: { const: true } }, required: ['any'] },
    },
    required: ['quantity', side],
  };
}
