import type { Instant, UserId, WalletId } from '@app/kernel';
import type { Delivered, OperationFailure, Revocation, Submission, TokenAmount } from './submission';

export type ProviderName = 'sandbox' | 'near-intents';

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
  /** Decimal text; null when the provider has no price. */
  readonly priceUsdDecimal: string | null;
  readonly iconUrl: string | null;
}

/** A positive balance. It includes amounts taken by submissions that are not settled yet. */
export interface Holding extends Token {
  readonly amountRaw: string;
}

/** An action with its tokens and amounts chosen. */
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
  /** `checkAt`: when to ask for the outcome, if the provider can say. */
  | { readonly kind: 'accepted'; readonly providerReference: string; readonly checkAt: Instant | null }
  /** It was not accepted, and these bytes never will be. */
  | { readonly kind: 'rejected'; readonly failure: OperationFailure }
  /** It was not accepted now; anyone who has the bytes may still get them executed until they expire. */
  | { readonly kind: 'refused'; readonly failure: OperationFailure };

/** The outcome of a submission, as the provider reports it. */
export type Settlement =
  | { readonly kind: 'pending'; readonly providerReference: string; readonly checkAt: Instant | null }
  | ({ readonly kind: 'settled' | 'refunded'; readonly providerReference: string } & Delivered)
  | { readonly kind: 'failed'; readonly failure: OperationFailure }
  /** It has not been accepted so far. `isFinal`: it is proven that it never will be, even if the bytes are sent again. */
  | { readonly kind: 'never_accepted'; readonly isFinal: boolean }
  /** The provider cannot say; nothing may be sent again. */
  | { readonly kind: 'unknown' };

/** How a provider revokes a refused submission for good. Both methods throw Unavailable and SessionRejected. */
export interface Revocations {
  /** Builds (and signs) the revocation. No effect, however often; null if the submission cannot be revoked. */
  plan(wallet: WalletAccount, submission: Submission): Promise<Revocation | null>;
  /** Sends it. Only `settlement` reports the outcome: no answer to this call proves anything. */
  send(wallet: WalletAccount, revocation: Revocation): Promise<void>;
}

/** The provider no longer accepts the wallet's session; its owner must reconnect. */
export class SessionRejected extends Error {}

/**
 * Implements agent wallets: the sandbox's ledger, or NEAR Intents. One contract suite holds for all implementations
 * (test/providers). Every method throws Unavailable with the reason `provider_unavailable` when the provider did not
 * answer; after `submit` that does not say whether the submission was accepted. The provider's own words leave the
 * adapter only for the log.
 */
export abstract class WalletProvider {
  abstract readonly name: ProviderName;

  /** Opens a session, also in place of a rejected one. Idempotent. @throws SessionRejected when none is accepted */
  abstract connect(wallet: WalletAccount): Promise<void>;

  /** Whether the provider accepts the wallet's session; the answer may be 30 s old. */
  abstract hasSession(wallet: WalletAccount): Promise<boolean>;

  /** Whether someone can hold the account, so that money sent there is not lost. The caller has checked the id's form. */
  abstract isMainAccount(accountId: string): Promise<boolean>;

  /** All positive balances, in no particular order. @throws SessionRejected */
  abstract holdings(wallet: WalletAccount): Promise<readonly Holding[]>;

  /** The token, or null when the provider does not know it. */
  abstract findToken(tokenId: string): Promise<Token | null>;

  /** Every token with that symbol (in any case), often one token on many chains; `NEAR` means wNEAR. */
  abstract tokensCalled(symbol: string): Promise<readonly Token[]>;

  /** Builds (and signs) the submission of an order. No effect, however often. @throws SessionRejected */
  abstract plan(order: Order): Promise<Planned>;

  /** Sends a submission: any number of times, with at most one effect. @throws SessionRejected */
  abstract submit(wallet: WalletAccount, submission: Submission): Promise<Submitted>;

  /** The outcome of a submission. @param revocation journaled, perhaps executed in its place @throws SessionRejected */
  abstract settlement(
    wallet: WalletAccount,
    submission: Submission,
    revocation?: Revocation | null,
  ): Promise<Settlement>;

  /** Null for a provider whose refusals are final. */
  readonly revocations: Revocations | null = null;
}
