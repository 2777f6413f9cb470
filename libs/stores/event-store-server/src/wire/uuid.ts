import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import { badRequest } from '../failure';

export const UUID_TEXT_BYTES = 36;
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the canonical lower-case text of a UUID. Throws a bad request when it is missing or malformed. */
export function canonicalUuid(text: string | undefined): string {
  if (!text || !CANONICAL.test(text)) throw badRequest(`not a UUID: ${text ?? 'missing'}`);
  return text.toLowerCase();
}

/** Returns the text of a UUID sent in either form, unchanged. */
export function sentUuid(uuid: UUID | undefined): string | undefined {
  const bits = uuid?.getStructured();
  if (!bits) return uuid?.getString();
  return uuidTextOf(BigInt(bits.getMostSignificantBits()), BigInt(bits.getLeastSignificantBits()));
}

/** Returns the text of a UUID sent as two signed numbers of 64 bits. */
export function uuidTextOf(mostSignificant: bigint, leastSignificant: bigint): string {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt.asIntN(64, mostSignificant), 0);
  bytes.writeBigInt64BE(BigInt.asIntN(64, leastSignificant), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 16 bytes of a canonical UUID. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}
