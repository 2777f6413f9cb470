import { base64 } from '@scure/base';
import { isJsonList, isJsonObject, parsedJson, type Instant } from '@app/kernel';
import { decodeNonce, encodeNonce, type Nonce } from './nonce';
import { intentHashOf, verifierAccount, type Nep413Payload, type SignedData } from './nep413';

/** The contents of a submission's bytes. */
export interface Sent {
  /** The submission's key. */
  readonly key: string;
  readonly signerId: string;
  readonly intentHash: string;
  /** The nonce as written, in base64. */
  readonly nonceText: string;
  readonly nonce: Nonce;
  /** The receiver of the tokens: the owner's account, or the deposit address of a swap; null: nothing is moved. */
  readonly receiverId: string | null;
  readonly deadline: Instant;
}

/** The payload of one transfer inside the verifier contract. */
export function transferPayload(transfer: {
  readonly signerId: string;
  readonly receiverId: string;
  readonly tokenId: string;
  readonly amountRaw: string;
  readonly deadline: Instant;
  readonly nonce: Uint8Array;
}): Nep413Payload {
  const intent = {
    intent: 'transfer',
    receiver_id: transfer.receiverId,
    tokens: { [transfer.tokenId]: transfer.amountRaw },
  };
  return payloadOf(transfer.signerId, transfer.deadline, transfer.nonce, [intent]);
}

/** A payload without intents: executing it uses up the nonce of what was sent, and moves nothing. */
export function revocationPayload({ signerId, deadline, nonce }: Sent): Nep413Payload {
  return payloadOf(signerId, deadline, encodeNonce(nonce), []);
}

function payloadOf(signerId: string, deadline: Instant, nonce: Uint8Array, intents: readonly object[]): Nep413Payload {
  const message = JSON.stringify({ signer_id: signerId, deadline, intents });
  return { message, nonce: base64.encode(nonce), recipient: verifierAccount };
}

/** The exact request that publishes an intent at the solver relay. It is journaled, and sent unchanged each time. */
export function publishRequest(key: string, signedData: SignedData): string {
  const params = [{ quote_hashes: [], signed_data: signedData }];
  return JSON.stringify({ id: key, jsonrpc: '2.0', method: 'publish_intent', params });
}

/** Parses a request that `publishRequest` made; null for any other bytes. */
export function readPublishRequest(bytes: string): Sent | null {
  const request = membersOf(parsedJson(bytes));
  const signedData = membersOf(membersOf(firstOf(request['params']))['signed_data']);
  const { message, nonce: nonceText, recipient } = membersOf(signedData['payload']);
  const nonce = typeof nonceText === 'string' ? decodeNonce(Buffer.from(nonceText, 'base64')) : null;
  if (typeof message !== 'string' || typeof nonceText !== 'string' || nonce === null) return null;
  const { signer_id: signerId, deadline, intents } = membersOf(parsedJson(message));
  const receiverId = Array.isArray(intents) && intents.length === 0 ? null : membersOf(firstOf(intents))['receiver_id'];
  const key = request['id'];
  if (typeof key !== 'string' || typeof signerId !== 'string') return null;
  if (typeof receiverId !== 'string' && receiverId !== null) return null;
  if (typeof deadline !== 'string' || recipient !== verifierAccount) return null;
  const intentHash = intentHashOf({ message, nonce: nonceText, recipient });
  // Reason for the assertion: `payloadOf` wrote an Instant there.
  return { key, signerId, intentHash, nonceText, nonce, receiverId, deadline: deadline as Instant };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function firstOf(value: unknown): unknown {
  return isJsonList(value) ? value[0] : null;
}
