import { words } from '@app/kernel';
import type { OperationFailure } from '@app/wallets';

/** The sandbox provider's refusals, in words that a partner may read. */
export const failures = {
  unknown_token: { reason: 'provider_rejected', text: words`The provider does not know the token.` },
  no_quote: { reason: 'provider_rejected', text: words`The provider has no quote for this swap.` },
  too_little: { reason: 'provider_rejected', text: words`The amount is too small to be moved.` },
  not_enough: { reason: 'insufficient_balance', text: words`The wallet holds less than the order takes.` },
  unsigned: { reason: 'provider_rejected', text: words`The wallet did not sign this order.` },
  refused: { reason: 'provider_rejected', text: words`The provider refused the order.` },
  moved: { reason: 'quote_expired', text: words`The market moved too far from the quote.` },
  too_late: { reason: 'quote_expired', text: words`The order came after its deadline.` },
} as const satisfies Record<string, OperationFailure>;
