import type { ApprovalId, Instant, JsonValue, UserId, WalletId } from '@app/kernel';
import type { ApprovalKind } from './approval.events';
import type { Contract } from './contract';

/** What an approval's fingerprint covers: exactly what the user reviews and the executor later runs. */
export interface Review {
  readonly approvalId: ApprovalId;
  readonly kind: ApprovalKind;
  readonly userId: UserId;
  readonly walletId: WalletId | null;
  readonly tool: string;
  readonly input: JsonValue;
  readonly contract: Contract | null;
  readonly expiresAt: Instant;
}

/**
 * The document whose RFC 8785 form is hashed to the fingerprint (docs/decisions/approvals.md); `fingerprintOf` of `@app/canonical`
 * does that. It leaves out every other member of the object.
 */
export function reviewedDocument(review: Review): Review & { readonly v: 1 } {
  const { approvalId, kind, userId, walletId, tool, input, contract, expiresAt } = review;
  return { v: 1, approvalId, kind, userId, walletId, tool, input, contract, expiresAt };
}
