import { canonicalText } from '@app/canonical';
import { asId, type UserId } from '@app/kernel';
import { v5 } from 'uuid';

/** Namespace of user ids: generated once for this product and never changed, because every stored `userId` derives from it. */
const userNamespace = '5b0e4a0e-6f0a-4c0c-9d5a-1f6f2d3c7a91';

/** The account id of an identity: UUIDv5 over the JCS form (RFC 8785) of `[issuer, subject]` (docs/decisions/conventions.md). */
export function userIdOf(issuer: string, subject: string): UserId {
  return asId<UserId>(v5(canonicalText([issuer, subject]), userNamespace));
}
