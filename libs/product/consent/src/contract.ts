import type { Instant } from '@app/kernel';

/**
 * The object of a user's consent: the contract `ledger_intents_transfer` (specification, "Contract";
 * docs/decisions/approvals.md). Every amount has exactly one spelling, because the same bytes are shown, hashed and
 * executed.
 */
export interface Contract {
  readonly type: 'ledger_intents_transfer';
  /** 1 to 16; run in order, each after the previous one has settled. */
  readonly actions: readonly ContractAction[];
  /** Present only in an automation's contract. */
  readonly bounds?: ContractBounds;
}

export type ContractAction = SwapAction | WithdrawAction;

export interface SwapAction {
  readonly kind: 'swap';
  readonly input: TokenChoice;
  readonly output: TokenChoice;
  readonly quantity: Quantity;
}

/** Returns an asset to the account that owns the wallet; the contract never names a destination. */
export interface WithdrawAction {
  readonly kind: 'withdraw_to_owner';
  readonly input: TokenChoice;
  readonly quantity: Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>;
}

/** One token with its verified decimals, or any one that the executor picks from the wallet's holdings. */
export type TokenChoice = { readonly pinned: PinnedToken } | { readonly any: true };

export interface PinnedToken {
  readonly tokenId: string;
  readonly decimals: number;
}

export type Quantity =
  | { readonly kind: 'exact_input_tokens'; readonly amountRaw: string }
  | { readonly kind: 'exact_input_value_usd'; readonly value: string }
  | { readonly kind: 'exact_output_tokens'; readonly amountRaw: string }
  | { readonly kind: 'all_of_input' }
  /** Basis points, 1 to 10000, as a text. */
  | { readonly kind: 'fraction_of_input'; readonly bps: string };

export interface ContractBounds {
  readonly maxUses: number;
  /** 1 to 10, in every contract that is parsed now. Older contracts without this member count as 1: `usesPerOccurrenceOf`. */
  readonly usesPerOccurrence?: number;
  readonly perUseUsd: string;
  readonly totalUsd: string;
  readonly notAfter: Instant;
}

/** How often one occurrence of the rule may use the contract. */
export function usesPerOccurrenceOf({ usesPerOccurrence }: ContractBounds): number {
  return usesPerOccurrence ?? usesPerOccurrenceDefault;
}

/**
 * Applies also to contracts that were approved before this member existed; beyond it the user is asked, so an old
 * contract has no advantage.
 */
export const usesPerOccurrenceDefault = 1;
