import { chooseInput, chooseOutput, integerOf, valueUsdOf } from '@app/consent';
import type { ContractAction, NoInput, PinnedToken } from '@app/consent';
import { compareDecimals, decimalOf, multiply, unreachable, words } from '@app/kernel';
import type { OperationFailure, Submission, TokenAmount } from '../../provider/submission';
import type { Holding, Order, Token } from '../../provider/wallet-provider';

/** The order for an action, or why none is possible. */
export type ChosenOrder =
  | {
      readonly ok: true;
      readonly order: Order['order'];
      /** The input token, with the price used to choose the amount. */
      readonly input: Holding;
      /** The token that a swap delivers; the provider must report the same decimals for it. */
      readonly output: PinnedToken | null;
    }
  | { readonly ok: false; readonly failure: OperationFailure };

/** Chooses an action's tokens and amounts from what the wallet can spend (docs/decisions/approvals.md, "Contract"). */
export function chooseOrder(
  action: ContractAction,
  holdings: readonly Holding[],
  mainAccountId: string | null,
): ChosenOrder {
  const chosen = chooseInput(action, holdings);
  if (!chosen.ok) return { ok: false, failure: noInput(chosen.why) };
  const { amountRaw, holding } = chosen;
  const { tokenId } = holding;
  const input = { tokenId, amountRaw };
  if (action.kind === 'withdraw_to_owner') {
    if (mainAccountId === null) return { ok: false, failure: noMainAccount };
    return { ok: true, order: { kind: 'withdraw', input, mainAccountId }, input: holding, output: null };
  }
  const output = chooseOutput(action, tokenId, holdings);
  if (output === null) return { ok: false, failure: noOutput };
  if (action.quantity.kind !== 'exact_output_tokens') {
    const order = { kind: 'swap_exact_input', input, outputTokenId: output.tokenId } as const;
    return { ok: true, order, input: holding, output };
  }
  const wanted = { tokenId: output.tokenId, amountRaw: action.quantity.amountRaw };
  const order = { kind: 'swap_exact_output', inputTokenId: tokenId, inputMaxRaw: amountRaw, output: wanted } as const;
  return { ok: true, order, input: holding, output };
}

/** Whether a submission does what was ordered and no more, so that no provider can move anything else. */
export function isAsOrdered(
  { input, output, leastOutput, key, attempt, deadline }: Submission,
  { order, latestDeadline, ...ordered }: Omit<Order, 'wallet'>,
): boolean {
  if (key !== ordered.key || attempt !== ordered.attempt || deadline > latestDeadline) return false;
  if (leastOutput !== null && !isCovered(leastOutput, output)) return false;
  switch (order.kind) {
    case 'withdraw':
      return isSame(input, order.input);
    case 'swap_exact_input':
      return isSame(input, order.input) && output?.tokenId === order.outputTokenId;
    case 'swap_exact_output':
      if (input.tokenId !== order.inputTokenId || BigInt(input.amountRaw) > BigInt(order.inputMaxRaw)) return false;
      return isCovered(order.output, leastOutput ?? output);
    default:
      return unreachable(order);
  }
}

/**
 * Whether a submission moves the tokens and exact amounts that the action names. An amount that depends on the wallet's
 * balance or on a price cannot be checked here.
 */
export function matchesContract(action: ContractAction, { input, output, leastOutput }: Submission): boolean {
  const { quantity } = action;
  if ('pinned' in action.input && input.tokenId !== action.input.pinned.tokenId) return false;
  if (quantity.kind === 'exact_input_tokens' && input.amountRaw !== quantity.amountRaw) return false;
  if (action.kind === 'withdraw_to_owner') return true;
  if (output === null || output.tokenId === input.tokenId) return false;
  if ('pinned' in action.output && output.tokenId !== action.output.pinned.tokenId) return false;
  if (quantity.kind !== 'exact_output_tokens') return true;
  return isCovered({ tokenId: output.tokenId, amountRaw: quantity.amountRaw }, leastOutput ?? output);
}

/** Whether at least that amount is delivered. */
function isCovered({ tokenId, amountRaw }: TokenAmount, delivered: TokenAmount | null): boolean {
  return delivered?.tokenId === tokenId && integerOf(delivered.amountRaw) >= integerOf(amountRaw);
}

/** Whether a swap may lose more than a tenth of its input's worth, at the provider's prices; false without a price. */
export function losesTooMuch(submission: Submission, tokens: readonly Token[]): boolean {
  const [paid, promised] = [submission.input, submission.leastOutput ?? submission.output].map((amount) => {
    const token = tokens.find(({ tokenId }) => tokenId === amount?.tokenId);
    return token === undefined || amount === null ? null : valueUsdOf({ ...token, amountRaw: amount.amountRaw });
  });
  if (!paid || !promised) return false;
  return compareDecimals(multiply(promised, decimalOf(10n, 0)), multiply(paid, decimalOf(9n, 0))) < 0;
}

function isSame(one: Submission['input'], other: Submission['input']): boolean {
  return one.tokenId === other.tokenId && one.amountRaw === other.amountRaw;
}

const noMainAccount: OperationFailure = { reason: 'provider_rejected', text: words`The owner has no main account.` };
const noOutput: OperationFailure = {
  reason: 'insufficient_balance',
  text: words`The wallet holds no token to swap to.`,
};

function noInput(why: NoInput): OperationFailure {
  switch (why) {
    case 'not_held':
    case 'more_than_held':
      return { reason: 'insufficient_balance', text: words`The wallet does not hold enough.` };
    case 'nothing':
      return { reason: 'insufficient_balance', text: words`The amount rounds to nothing.` };
    case 'no_price':
      return { reason: 'provider_rejected', text: words`The provider has no price for the token.` };
    case 'no_decimals':
    case 'other_decimals':
      return { reason: 'provider_rejected', text: words`The provider knows the token by other decimals than agreed.` };
    default:
      return unreachable(why);
  }
}
