import { canonicalText } from '@app/canonical';
import { v5 } from 'uuid';
import type { Identity } from '../ports';

/** Namespace of derived ids: generated once for this product and never changed. */
const namespace = '5b0e4a0e-6f0a-4c0c-9d5a-1f6f2d3c7a91';

/**
 * The UUIDv5 of an identity over the JCS form (RFC 8785) of `[issuer, subject]`: an operator's id, and the account id that earlier versions
 * gave. Whoever knows the subject can compute it, so no account gets such an id any more (docs/decisions/personal-data.md).
 */
export function derivedIdOf({ issuer, subject }: Identity): string {
  return v5(canonicalText([issuer, subject]), namespace);
}
