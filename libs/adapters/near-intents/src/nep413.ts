import { createHash } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import { serialize, type Schema } from 'borsh';

/** A message that a wallet signs off-chain (NEP-413). */
export interface Nep413Payload {
  readonly message: string;
  /** 32 bytes in base64. */
  readonly nonce: string;
  readonly recipient: string;
}

/** A signed message in the form that the verifier contract, the solver relay and 1Click accept. */
export interface SignedData {
  readonly standard: 'nep413';
  readonly payload: Nep413Payload;
  readonly public_key: string;
  readonly signature: string;
}

/** The contract that holds all balances of NEAR Intents. */
export const verifierAccount = 'intents.near';

/** NEP-461: 2^31 plus the number of the NEP, which no transaction can begin with. */
const tag = 2 ** 31 + 413;

const schema: Schema = {
  struct: {
    tag: 'u32',
    message: 'string',
    nonce: { array: { type: 'u8', len: 32 } },
    recipient: 'string',
    callbackUrl: { option: 'string' },
  },
};

/** The signed digest: SHA-256 over the tag and the payload in Borsh, without a callback. Its base58 is the intent's id at the relay. */
export function digestOf(payload: Nep413Payload): Uint8Array {
  const bytes = serialize(schema, { tag, ...payload, nonce: [...base64.decode(payload.nonce)], callbackUrl: null });
  return Uint8Array.from(createHash('sha256').update(bytes).digest());
}

/** The relay's id of an intent. */
export function intentHashOf(payload: Nep413Payload): string {
  return base58.encode(digestOf(payload));
}

/** A public key in NEAR's text form. `hex`: 64 lower-case hex characters. */
export function publicKeyText(hex: string): string {
  return `ed25519:${base58.encode(Buffer.from(hex, 'hex'))}`;
}

/** The payload with its signature. `sign` makes the Ed25519 signature over the bytes that it is given. */
export async function signPayload(
  payload: Nep413Payload,
  publicKeyHex: string,
  sign: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<SignedData> {
  const signature = `ed25519:${base58.encode(await sign(digestOf(payload)))}`;
  return { standard: 'nep413', payload, public_key: publicKeyText(publicKeyHex), signature };
}
