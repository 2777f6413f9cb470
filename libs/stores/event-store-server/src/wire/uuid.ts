import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import { badRequest } from '../failure';

export const UUID_TEXT_BYTES = 36;
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical lower-case text of a UUID sent in either form. Throws a bad request when it is missing or malformed. */
export function readUuid(uuid: UUID | undefined): string {
  const text = uuid?.hasStructured() ? structuredToText(uuid) : uuid?.getString();
  if (!text || !CANONICAL.test(text)) throw badRequest(`not a UUID: ${text ?? 'missing'}`);
  return text.toLowerCase();
}

function structuredToText(uuid: UUID): string {
  const bytes = Buffer.alloc(16);
  const bits = uuid.getStructured();
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(bits?.getMostSignificantBits() ?? 0)), 0);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(bits?.getLeastSignificantBits() ?? 0)), 8);
  return uuidText(bytes);
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 16 bytes of a canonical UUID. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}
