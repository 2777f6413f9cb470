import { contractLimits, usesPerOccurrenceDefault } from '@app/consent';
import type { Contract, ContractAction, ContractBounds, Quantity } from '@app/consent';
import type { Issue } from '@app/kernel';
import {
  withoutOthers,
  constant,
  exactly,
  givenInstant,
  inBrief,
  integer,
  list,
  mergedInBrief,
  object,
  optional,
  refine,
  shape,
  withName,
  variants,
} from '@app/schema';
import { anyQuantity, quantityOfInput, tokenChoice, usd } from './contract-values.schema';

/**
 * The contract `ledger_intents_transfer`, for parsing and for documents: exactly the members that the specification
 * names, and one spelling for each amount, because the same bytes are shown, hashed and executed. Unlike other schemas
 * it is closed: the user consents to everything in it.
 */

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
    exactly<ContractAction>()(
      mergedInBrief(
        variants([refine(Swap, swapIssues), refine(WithdrawToOwner, unpinned)], {
          by: 'kind',
          brief: 'Of a swap alone: output, and exact_output_tokens',
        }),
      ),
    ),
    {
      min: 1,
      max: contractLimits.actionsMax,
      description: 'Run in order, each after the one before has settled; the first that fails ends the operation',
    },
  ),
};

/** Contract, as the specification names it: it authorizes an agent's transfer or a withdrawal. */
export const ContractShape = exactly<Omit<Contract, 'bounds'>>()(
  withoutOthers(shape('Contract', contractMembers, { description: 'The exact terms that a user consents to' })),
);

const { usesPerOccurrenceMax } = contractLimits;

const contractBounds = exactly<ContractBounds>()(
  withoutOthers(
    shape('ContractBounds', {
      maxUses: inBrief(
        integer({ min: 1, max: contractLimits.usesMax, description: 'How often it may be used' }),
        integer(),
      ),
      usesPerOccurrence: optional(
        inBrief(
          integer({
            min: 1,
            max: usesPerOccurrenceMax,
            default: usesPerOccurrenceDefault,
            description:
              'How often one occurrence may use it. Answers have it, but for contracts from before there was this member, which count as 1',
          }),
          integer({ max: usesPerOccurrenceMax }),
        ),
      ),
      perUseUsd: usd('What one use may be worth in US dollars'),
      totalUsd: usd('What all uses together may be worth in US dollars'),
      notAfter: givenInstant({ description: 'No use after this instant' }),
    }),
  ),
);

/** Models get the schema of actions only once, with the tool that makes transfers. */
const actionsInBrief = inBrief(
  contractMembers.actions,
  list(object({}), { brief: 'As in the contract of intents_transfer' }),
);

/** The contract of an automation: what its runs may do within bounds without asking again. */
export const AutomationContractShape = exactly<Required<Contract>>()(
  withoutOthers(
    shape(
      'AutomationContract',
      { ...contractMembers, actions: actionsInBrief, bounds: contractBounds },
      {
        description: 'The terms that cover transfers of an automation, within bounds: the user is asked once',
        brief: 'What occurrences may do without asking again, once approved apart: this very list of actions',
      },
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

/** Issues for exact amounts of an unpinned token: an exact amount needs a specific token. */
function unpinned(action: ContractAction): readonly Issue[] {
  const { kind } = action.quantity;
  const message = `must be pinned for ${kind}`;
  if (kind === 'exact_input_tokens' && !('pinned' in action.input)) return [{ path: '/input', message }];
  const lacksOutput = kind === 'exact_output_tokens' && 'output' in action && !('pinned' in action.output);
  return lacksOutput ? [{ path: '/output', message }] : [];
}

/** JSON Schema of an exact amount of a token that the executor chooses; no contract may have such an action. */
function amountOfAny(kind: Quantity['kind'], side: 'input' | 'output') {
  return {
    properties: {
      quantity: { properties: { kind: { const: kind } }, required: ['kind'] },
      [side]: { properties: { any: { const: true } }, required: ['any'] },
    },
    required: ['quantity', side],
  };
}
