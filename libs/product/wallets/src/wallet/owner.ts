import type { Cause, JsonObject, UserId } from '@app/kernel';
import { sha256Hex } from '@app/canonical';
import { isOnThisMachine } from '@app/runtime';
import { Configuration } from '@app/settings';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Caller } from '@app/http';

/** Name of a NEAR account: implicit (64 hex characters) or named (2 to 64 characters). */
const accountName = /^(?=.{2,64}$)([a-z0-9]+[-_])*[a-z0-9]+(\.([a-z0-9]+[-_])*[a-z0-9]+)*$/;

/**
 * The account that receives a user's withdrawals, from the token's claim named by `OIDC_MAIN_ACCOUNT_CLAIM`. A sandbox
 * without that variable derives 64 hex characters from the user's id (docs/decisions/money.md). No one holds a key for
 * that account, so this is only for the sandbox's own ledger or a chain on this machine. Null when the token names
 * none.
 */
export function mainAccountOf(configuration: Configuration, userId: UserId, claims: JsonObject | null): string | null {
  const { OIDC_MAIN_ACCOUNT_CLAIM: claim, WALLET_PROVIDER, NEAR_RPC_URL } = configuration.env;
  const isPlayMoney = configuration.sandbox && (WALLET_PROVIDER === 'sandbox' || isOnThisMachine(NEAR_RPC_URL));
  if (claim === undefined) return isPlayMoney ? sha256Hex(`parley/main-account/${userId}`) : null;
  const named = claims?.[claim];
  return typeof named === 'string' && accountName.test(named) ? named : null;
}

/** The owner of a wallet, with the main account from the owner's token; null when the token names none. */
export interface Owner {
  readonly userId: UserId;
  readonly mainAccountId: string | null;
  readonly cause: Cause;
}

/** The caller as the owner of a wallet: `@Caller(AsOwner) owner: Owner`. */
@Injectable()
export class AsOwner implements PipeTransform<Caller, Owner> {
  constructor(private readonly configuration: Configuration) {}

  transform({ userId, claims, cause }: Caller): Owner {
    return { userId, mainAccountId: mainAccountOf(this.configuration, userId, claims), cause };
  }
}
