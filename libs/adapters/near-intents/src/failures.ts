import type { OperationFailure } from '@app/wallets';

/** What a partner may read; the provider's own words stay in the log. */
export const failures = {
  expired: { reason: 'quote_expired', text: 'The offer expired before it was taken.' },
  insufficient_balance: { reason: 'insufficient_balance', text: 'The wallet does not hold enough.' },
  nothing: { reason: 'provider_rejected', text: 'The amount is too small to be moved.' },
  no_quote: { reason: 'provider_rejected', text: 'The provider makes no offer for this swap that can be taken.' },
  nobody: { reason: 'provider_rejected', text: 'The main account does not exist on NEAR.' },
  other: { reason: 'provider_rejected', text: 'The provider did not take it.' },
} as const satisfies Record<string, OperationFailure>;
