import type { JsonObject, UserId } from '@app/kernel';
import { sha256Hex } from '@app/canonical';
import { isOnThisMachine, type Configuration } from '@app/runtime';

/** What a NEAR account may be called: an implicit one (64 hex characters) or a named one, of 2 to 64 characters. */
const accountName = /^(?=.{2,64}$)([a-z0-9]+[-_])*[a-z0-9]+(\.([a-z0-9]+[-_])*[a-z0-9]+)*$/;

/**
 * The account where a user's withdrawals land: what the token's claim `OIDC_MAIN_ACCOUNT_CLAIM` names. A sandbox without
 * that variable derives 64 hex characters from the user's id (docs/decisions/money.md), to which no one holds a key: so only for its own
 * ledger, or for a chain on this machine. Null when the token names none.
 */
export function mainAccountOf(configuration: Configuration, userId: UserId, claims: JsonObject | null): string | null {
  const { OIDC_MAIN_ACCOUNT_CLAIM: claim, WALLET_PROVIDER, NEAR_RPC_URL } = configuration.env;
  const isPlayMoney = configuration.sandbox && (WALLET_PROVIDER === 'sandbox' || isOnThisMachine(NEAR_RPC_URL));
  if (claim === undefined) return isPlayMoney ? sha256Hex(`parley/main-account/${userId}`) : null;
  const named = claims?.[claim];
  return typeof named === 'string' && accountName.test(named) ? named : null;
}
