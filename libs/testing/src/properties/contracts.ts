import type { Contract, ContractAction, ContractBounds, PinnedToken, TokenChoice } from '@app/consent';
import fc from 'fast-check';
import { instant } from '../deciders/specification';

/** Contracts of every form, for properties that hold for all of them. */

export const tokenIds = fc.stringMatching(/^nep141:[a-z0-9]{1,12}([._-][a-z0-9]{1,12}){0,3}$/);
const tokens = fc.record({ tokenId: tokenIds, decimals: fc.integer({ min: 0, max: 38 }) });
export const amounts = fc.bigInt({ min: 1n, max: 10n ** 39n - 1n }).map(String);
export const usdValues = fc.stringMatching(/^([1-9]\d{0,38}|0\.\d{0,17}[1-9])$/);
const bps = fc.integer({ min: 1, max: 10_000 }).map(String);
const choice = (token: PinnedToken): TokenChoice => ({ pinned: token });
const any: TokenChoice = { any: true };
const choices = fc.oneof(tokens.map(choice), fc.constant(any));

const inputQuantities = fc.oneof(
  usdValues.map((value) => ({ kind: 'exact_input_value_usd', value }) as const),
  bps.map((text) => ({ kind: 'fraction_of_input', bps: text }) as const),
  fc.constant({ kind: 'all_of_input' } as const),
);
const exactInput = amounts.map((amountRaw) => ({ kind: 'exact_input_tokens', amountRaw }) as const);
const exactOutput = amounts.map((amountRaw) => ({ kind: 'exact_output_tokens', amountRaw }) as const);

const withdrawals: fc.Arbitrary<ContractAction> = fc
  .oneof(
    fc.record({ input: choices, quantity: inputQuantities }),
    fc.record({ input: tokens.map(choice), quantity: exactInput }),
  )
  .map((members) => ({ kind: 'withdraw_to_owner', ...members }));
const swaps: fc.Arbitrary<ContractAction> = fc
  .oneof(
    fc.record({ input: choices, output: choices, quantity: inputQuantities }),
    fc.record({ input: tokens.map(choice), output: choices, quantity: exactInput }),
    fc.record({ input: choices, output: tokens.map(choice), quantity: exactOutput }),
  )
  .filter(({ input, output }) => !('pinned' in input && 'pinned' in output) || !sameToken(input, output))
  .map((members) => ({ kind: 'swap', ...members }));
const sameToken = (one: TokenChoice, other: TokenChoice) =>
  'pinned' in one && 'pinned' in other && one.pinned.tokenId === other.pinned.tokenId;

export const actions = fc.oneof(withdrawals, swaps);

/** Without bounds. */
export const contracts: fc.Arbitrary<Contract> = fc.record({
  type: fc.constant('ledger_intents_transfer' as const),
  actions: fc.array(actions, { minLength: 1, maxLength: 16 }),
});

export const contractBounds: fc.Arbitrary<ContractBounds> = fc.record({
  maxUses: fc.integer({ min: 1, max: 1000 }),
  perUseUsd: usdValues,
  totalUsd: usdValues,
  notAfter: fc.constant(instant('2026-03-01')),
});
