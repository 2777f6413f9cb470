import type { Instant, UserId, WalletId } from '@app/kernel';
import type { Delivered, OperationFailure, Revocation, Submission, TokenAmount } from './operation.events';
import type { ProviderName } from './wallet.events';

/** A wallet as its provider knows it. */
export interface WalletAccount {
  readonly userId: UserId;
  readonly walletId: WalletId;
  readonly address: string;
}

/** A token as the provider describes it. */
export interface Token {
  readonly tokenId: string;
  readonly symbol: string;
  readonly name: string;
  /** Null when the provider does not name the asset. */
  readonly decimals: number | null;
  /** Decimal string; null when the provider has no price. */
  readonly priceUsdDecimal: string | null;
  readonly iconUrl: string | null;
}

/** A positive balance. It still holds what submissions have taken that are not settled yet. */
export interface Holding extends Token {
  readonly amountRaw: string;
}

/** What one action comes to once its tokens and amounts are known. */
export interface Order {
  readonly wallet: WalletAccount;
  /** `<operationId>/<action index>/<attempt>`: everything random in the bytes derives from it. */
  readonly key: string;
  readonly attempt: number;
  readonly order:
    | { readonly kind: 'withdraw'; readonly input: TokenAmount; readonly mainAccountId: string }
    | { readonly kind: 'swap_exact_input'; readonly input: TokenAmount; readonly outputTokenId: string }
    /** Spends at most `inputMaxRaw` (what the wallet can spend). */
    | {
        readonly kind: 'swap_exact_output';
        readonly inputTokenId: string;
        readonly inputMaxRaw: string;
        readonly output: TokenAmount;
      };
  /** The provider may set an earlier one, never a later one. */
  readonly latestDeadline: Instant;
}

export type Planned =
  { readonly ok: true; readonly submission: Submission } | { readonly ok: false; readonly failure: OperationFailure };

export type Submitted =
  /** `checkAt`: when it is worth asking what became of it, if the provider can tell. */
  | { readonly kind: 'accepted'; readonly providerReference: string; readonly checkAt: Instant | null }
  /** It was not taken, and these bytes never will be. */
  | { readonly kind: 'rejected'; readonly failure: OperationFailure }
  /** It was not taken now; anyone who has the bytes may still get them executed until they expire. */
  | { readonly kind: 'refused'; readonly failure: OperationFailure };

/** What the provider says became of a submission. */
export type Settlement =
  | { readonly kind: 'pending'; readonly providerReference: string; readonly checkAt: Instant | null }
  | ({ readonly kind: 'settled' | 'refunded'; readonly providerReference: string } & Delivered)
  | { readonly kind: 'failed'; readonly failure: OperationFailure }
  /** It was not taken so far. `isFinal`: it is proven that it never will be, even if the bytes are sent again. */
  | { readonly kind: 'never_accepted'; readonly isFinal: boolean }
  /** The provider cannot say; nothing may be sent again. */
  | { readonly kind: 'unknown' };

/** How a provider makes sure that what it refused never is executed. Both throw Unavailable, and SessionRejected. */
export interface Revocations {
  /** Works out (and signs) what would be sent. No effect, however often; null where the submission cannot be revoked. */
  plan(wallet: WalletAccount, submission: Submission): Promise<Revocation | null>;
  /** Sends it. What became of it, `settlement` tells: no answer to this proves anything. */
  send(wallet: WalletAccount, revocation: Revocation): Promise<void>;
}

/** The provider does not take the wallet's session any more: its owner must reconnect. */
export class SessionRejected extends Error {}

/**
 * Where agent wallets live: the sandbox's ledger, or NEAR Intents. One contract suite holds for all of them (test/providers).
 * Every method throws Unavailable with the reason `provider_unavailable` when the provider did not answer; after `submit` that
 * says nothing about whether the submission was taken. Its own words never leave the adapter but in the log.
 */
export abstract class WalletProvider {
  abstract readonly name: ProviderName;

  /** Opens the wallet's session, or a new one in place of one that was rejected. Idempotent. @throws SessionRejected when it takes none */
  abstract connect(wallet: WalletAccount): Promise<void>;

  /** Whether the provider takes the wallet's session; the answer may be 30 s old. */
  abstract hasSession(wallet: WalletAccount): Promise<boolean>;

  /** Whether somebody can hold the account, so that what lands there is not lost; it is spelled as accounts are. */
  abstract isMainAccount(accountId: string): Promise<boolean>;

  /** All positive balances, in no particular order. @throws SessionRejected */
  abstract holdings(wallet: WalletAccount): Promise<readonly Holding[]>;

  /** The token, or null when the provider does not know it. */
  abstract findToken(tokenId: string): Promise<Token | null>;

  /** Every token that bears the symbol (in any case), which often is one token on many chains; `NEAR` means wNEAR. */
  abstract tokensCalled(symbol: string): Promise<readonly Token[]>;

  /** Works out (and signs) what would be sent for an order. No effect, however often. @throws SessionRejected */
  abstract plan(order: Order): Promise<Planned>;

  /** Sends a submission: any number of times, with at most one effect. @throws SessionRejected */
  abstract submit(wallet: WalletAccount, submission: Submission): Promise<Submitted>;

  /**
   * What became of a submission.
   *
   * @param revocation what was journaled to revoke it and may have been executed in its place
   * @throws SessionRejected
   */
  abstract settlement(
    wallet: WalletAccount,
    submission: Submission,
    revocation?: Revocation | null,
  ): Promise<Settlement>;

  /** Null for a provider whose refusals are final. */
  readonly revocations: Revocations | null = null;
}
