import { words } from '@app/kernel';
import type { OperationFailure } from '@app/wallets';

/** Failures in words that a partner may read; the provider's own words are only logged. */
export const failures = {
  expired: { reason: 'quote_expired', text: words`The offer expired before it was taken.` },
  insufficient_balance: { reason: 'insufficient_balance', text: words`The wallet does not hold enough.` },
  nothing: { reason: 'provider_rejected', text: words`The amount is too small to be moved.` },
  no_quote: { reason: 'provider_rejected', text: words`The provider makes no offer for this swap that can be taken.` },
  nobody: { reason: 'provider_rejected', text: words`The main account does not exist on NEAR.` },
  other: { reason: 'provider_rejected', text: words`The provider did not take it.` },
} as const satisfies Record<string, OperationFailure>;
