import { isJsonObject, parsedJson, type Instant, type JsonObject } from '@app/kernel';
import type { TokenAmount } from '@app/wallets';
import { createPublicKey, verify } from 'node:crypto';
import type { OrderTarget } from './order-outcome';

/** The text that the wallet's key signs: all of an order. */
export interface OrderText {
  /** Identifies this order. */
  readonly key: string;
  readonly address: string;
  readonly input: TokenAmount;
  readonly target: OrderTarget;
  readonly deadline: Instant;
}

/** DER of an Ed25519 public key (RFC 8410), up to its 32 bytes. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');
/** Far above the size of any order that `plan` makes. */
const bytesLengthMax = 8_192;

/** The bytes of a submission: the order's text, and the signature over exactly that text. */
export async function signOrder(order: OrderText, sign: (bytes: Uint8Array) => Promise<Uint8Array>): Promise<string> {
  const text = JSON.stringify(order);
  const signature = Buffer.from(await sign(Buffer.from(text))).toString('base64');
  return JSON.stringify({ order: text, signature });
}

/** The order, if the bytes are one that this wallet's key has signed; else null. */
export function verifyOrder(bytes: string, address: string): OrderText | null {
  const { order, signature } = membersOf(bytes);
  if (typeof order !== 'string' || typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(address)) return null;
  const key = createPublicKey({
    key: Buffer.concat([ed25519Prefix, Buffer.from(address, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  if (!verify(null, Buffer.from(order), key, Buffer.from(signature, 'base64'))) return null;
  // Reason for the assertion: the wallet's key signs nothing but what `signOrder` wrote.
  const text = JSON.parse(order) as OrderText;
  return text.address === address ? text : null;
}

function membersOf(bytes: string): JsonObject {
  const value = bytes.length > bytesLengthMax ? null : parsedJson(bytes);
  return isJsonObject(value) ? value : {};
}
