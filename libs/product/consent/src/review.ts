import { unreachable, type ApprovalId, type Instant, type JsonValue, type UserId, type WalletId } from '@app/kernel';
import type { ApprovalKind } from './approval.events';
import type { Contract } from './contract';
import type { FingerprintVersion } from './fingerprint-version';
import type { Term } from './terms';

/**
 * The members that an approval's fingerprint covers: exactly the text that the user reads, and the input and contract
 * that the executor runs.
 */
export interface Review {
  /** The version that it was hashed with when it was opened. */
  readonly fingerprintVersion: FingerprintVersion;
  readonly approvalId: ApprovalId;
  readonly kind: ApprovalKind;
  readonly userId: UserId;
  readonly walletId: WalletId | null;
  readonly tool: string;
  readonly input: JsonValue;
  readonly contract: Contract | null;
  readonly summary: string;
  readonly terms: readonly Term[];
  readonly expiresAt: Instant;
}

type Executed = Omit<Review, 'fingerprintVersion' | 'summary' | 'terms'>;
type ReviewedDocument =
  (Executed & { readonly v: 1 }) | (Executed & Pick<Review, 'summary' | 'terms'> & { readonly v: 2 });

/**
 * The document whose RFC 8785 form is hashed to the fingerprint (docs/decisions/approvals.md), by `fingerprintOf` of
 * `@app/canonical`. It omits every other member of the object. @throws Error for a version that this program does not
 * know
 */
export function reviewedDocument(review: Review): ReviewedDocument {
  const { approvalId, kind, userId, walletId, tool, input, contract, summary, terms, expiresAt } = review;
  const executed = { approvalId, kind, userId, walletId, tool, input, contract, expiresAt };
  switch (review.fingerprintVersion) {
    case 1:
      return { v: 1, ...executed };
    case 2:
      return { v: 2, ...executed, summary, terms };
    default:
      return unreachable(review.fingerprintVersion);
  }
}
