import {
  check,
  inside,
  instantIn,
  instantRule,
  kindOf,
  membersOf,
  objectIn,
  ok,
  oneOf,
  refuse,
  rootPart,
  wrong,
  type Part,
  type Result,
} from '@app/kernel';
import type {
  Contract,
  ContractAction,
  ContractBounds,
  PinnedToken,
  Quantity,
  SwapAction,
  TokenChoice,
  WithdrawAction,
} from './contract';
import { contractLimits, isAmountRaw, isBps, isDecimals, isTokenId, isUsdValue, isUses } from './contract-grammar';

const tokenIdRule = 'must be nep141: and lower-case alphanumeric segments joined by . _ or -, at most 512 characters';
const decimalsRule = 'must be a whole number from 0 to 38';
const amountRule = 'must be a text of 1 to 39 digits, positive and without leading zeros';
const usdRule = 'must be a positive decimal text of at most 39 digits and 18 fraction digits, without needless zeros';
const bpsRule = 'must be a text of a whole number from 1 to 10000';
const usesRule = 'must be a whole number from 1 to 1000';

/**
 * Reads a contract out of JSON, strictly: exactly the members that the specification names, every amount in its one spelling.
 * The answer spells everything as the input does, so both have one canonical form; `bounds.notAfter` alone is put in UTC with milliseconds.
 *
 * @param options `bounds` are required of an automation's contract, and forbidden in any other.
 * @returns the contract, or `invalid_input` with up to 32 issues, whose pointers are relative to the contract
 */
export function parseContract(
  value: unknown,
  options: { readonly bounds: 'forbidden' | 'required' },
): Result<Contract> {
  const root = rootPart(value);
  const contract = options.bounds === 'required' ? boundedContractOf(root) : contractOf(root);
  // A reader may note an issue and go on, to tell of the next one.
  if (contract !== null && root.issues.length === 0) return ok(contract);
  return refuse({ kind: 'invalid_input', issues: root.issues });
}

function contractOf(part: Part): Contract | null {
  const members = membersOf(part, ['type', 'actions']);
  if (members === null) return null;
  const type = oneOf(members.type, ['ledger_intents_transfer']);
  const actions = actionsOf(members.actions);
  return type === null || actions === null ? null : { type, actions };
}

function boundedContractOf(part: Part): Contract | null {
  const members = membersOf(part, ['type', 'actions', 'bounds']);
  if (members === null) return null;
  const type = oneOf(members.type, ['ledger_intents_transfer']);
  const actions = actionsOf(members.actions);
  const bounds = boundsOf(members.bounds);
  return type === null || actions === null || bounds === null ? null : { type, actions, bounds };
}

function boundsOf(part: Part): ContractBounds | null {
  const members = membersOf(part, ['maxUses', 'perUseUsd', 'totalUsd', 'notAfter']);
  if (members === null) return null;
  const maxUses = check(members.maxUses, isUses, usesRule);
  const perUseUsd = check(members.perUseUsd, isUsdValue, usdRule);
  const totalUsd = check(members.totalUsd, isUsdValue, usdRule);
  const notAfter = instantIn(members.notAfter.value) ?? wrong(members.notAfter, instantRule);
  if (maxUses === null || perUseUsd === null || totalUsd === null || notAfter === null) return null;
  return { maxUses, perUseUsd, totalUsd, notAfter };
}

function actionsOf(part: Part): readonly ContractAction[] | null {
  const { actionsMax } = contractLimits;
  const { value } = part;
  if (!Array.isArray(value) || value.length < 1 || value.length > actionsMax)
    return wrong(part, `must be a list of 1 to ${actionsMax} items`);
  const actions = value.map((item: unknown, index) => actionOf(inside(part, index, item)));
  const read = actions.filter((action) => action !== null);
  return read.length === actions.length ? read : null;
}

function actionOf(part: Part): ContractAction | null {
  switch (kindOf(part, ['swap', 'withdraw_to_owner'])) {
    case 'swap':
      return swapOf(part);
    case 'withdraw_to_owner':
      return withdrawOf(part);
    case null:
      return null;
  }
}

function swapOf(part: Part): SwapAction | null {
  const members = membersOf(part, ['kind', 'input', 'output', 'quantity']);
  if (members === null) return null;
  const input = choiceOf(members.input);
  const output = choiceOf(members.output);
  const quantity = quantityOf(members.quantity);
  if (input === null || output === null || quantity === null) return null;
  if (quantity.kind === 'exact_input_tokens' && !('pinned' in input)) return refuseUnpinned(members.input, quantity);
  if (quantity.kind === 'exact_output_tokens' && !('pinned' in output)) return refuseUnpinned(members.output, quantity);
  if ('pinned' in input && 'pinned' in output && input.pinned.tokenId === output.pinned.tokenId)
    return wrong(members.output, 'must be another token than the input');
  return { kind: 'swap', input, output, quantity };
}

function withdrawOf(part: Part): WithdrawAction | null {
  const members = membersOf(part, ['kind', 'input', 'quantity']);
  if (members === null) return null;
  const input = choiceOf(members.input);
  const quantity = quantityOf(members.quantity);
  if (input === null || quantity === null) return null;
  if (quantity.kind === 'exact_output_tokens') return wrong(members.quantity, 'must be a quantity of the input');
  if (quantity.kind === 'exact_input_tokens' && !('pinned' in input)) return refuseUnpinned(members.input, quantity);
  return { kind: 'withdraw_to_owner', input, quantity };
}

function refuseUnpinned(part: Part, quantity: Quantity): null {
  return wrong(part, `must be pinned for ${quantity.kind}`);
}

function choiceOf(part: Part): TokenChoice | null {
  const given = objectIn(part);
  if (given === null) return null;
  const members = membersOf(part, [], ['pinned', 'any']);
  if (members === null) return null;
  const { pinned, any } = members;
  if (pinned !== undefined && any === undefined) {
    const token = pinnedOf(pinned);
    return token === null ? null : { pinned: token };
  }
  if (pinned !== undefined || any === undefined) return wrong(part, 'must have either pinned or any');
  return any.value === true ? { any: true } : wrong(any, 'must be true');
}

function pinnedOf(part: Part): PinnedToken | null {
  const members = membersOf(part, ['tokenId', 'decimals']);
  if (members === null) return null;
  const tokenId = check(members.tokenId, isTokenId, tokenIdRule);
  const decimals = check(members.decimals, isDecimals, decimalsRule);
  return tokenId === null || decimals === null ? null : { tokenId, decimals };
}

const quantityKinds = [
  'exact_input_tokens',
  'exact_input_value_usd',
  'exact_output_tokens',
  'all_of_input',
  'fraction_of_input',
] as const satisfies readonly Quantity['kind'][];

function quantityOf(part: Part): Quantity | null {
  const kind = kindOf(part, quantityKinds);
  switch (kind) {
    case 'exact_input_tokens':
    case 'exact_output_tokens': {
      const amountRaw = amountOf(part, 'amountRaw', isAmountRaw, amountRule);
      return amountRaw === null ? null : { kind, amountRaw };
    }
    case 'exact_input_value_usd': {
      const value = amountOf(part, 'value', isUsdValue, usdRule);
      return value === null ? null : { kind, value };
    }
    case 'fraction_of_input': {
      const bps = amountOf(part, 'bps', isBps, bpsRule);
      return bps === null ? null : { kind, bps };
    }
    case 'all_of_input':
      return membersOf(part, ['kind']) === null ? null : { kind };
    case null:
      return null;
  }
}

function amountOf(part: Part, name: string, accepts: (value: unknown) => value is string, rule: string): string | null {
  const members = membersOf(part, ['kind', name]);
  const amount = members?.[name];
  return amount === undefined ? null : check(amount, accepts, rule);
}
