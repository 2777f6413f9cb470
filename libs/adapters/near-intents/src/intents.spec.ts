import {
  MultiPayloadNep413Validator,
  Nep413DefuseMessageFor_DefuseIntentsValidator,
} from '@defuse-protocol/contract-types/validate';
import type { MultiPayloadNep413 } from '@defuse-protocol/one-click-sdk-typescript';
import { instantOf } from '@app/kernel';
import { publishRequest, readPublishRequest, revocationPayload, transferPayload } from './intents';
import { intentHashOf, type SignedData } from './nep413';
import { encodeNonce, tailOf } from './nonce';

const deadline = instantOf(Date.UTC(2026, 10, 21, 13));
const nonce = encodeNonce({ salt: Uint8Array.of(1, 2, 3, 4), expiresAtMs: Date.UTC(2026, 10, 28), tail: tailOf('k') });
const signerId = 'ab'.repeat(32);
const receiverId = 'owner.near';
const transfer = { signerId, receiverId, tokenId: 'nep141:wrap.near', amountRaw: '15', deadline, nonce };
interface Schema {
  validate(value: unknown): { readonly issues?: unknown };
}

/** A signed transfer that also has the SDK's type. */
type ForSdk = Omit<MultiPayloadNep413, 'standard'> & { readonly standard: `${MultiPayloadNep413.standard}` };
const signedTransfer = (): SignedData & ForSdk => ({
  standard: 'nep413',
  payload: transferPayload(transfer),
  public_key: 'ed25519:1',
  signature: 'ed25519:1',
});

describe('intents', () => {
  it('move one token to one account, for the contract of NEAR Intents only', () => {
    const { message, recipient, nonce: text } = transferPayload(transfer);
    expect(recipient).toBe('intents.near');
    expect(text).toBe(Buffer.from(nonce).toString('base64'));
    expect(JSON.parse(message)).toEqual({
      signer_id: signerId,
      deadline: '2026-11-21T13:00:00.000Z',
      intents: [{ intent: 'transfer', receiver_id: receiverId, tokens: { 'nep141:wrap.near': '15' } }],
    });
  });

  it('are what the contract’s own schema takes, transfers and revocations, signed and not', () => {
    const signed = signedTransfer();
    const sent = readPublishRequest(publishRequest('op/0/1', signed));
    if (sent === null) throw new Error('it was not read');
    const isTaken = ({ validate }: Schema, value: unknown): boolean => validate(value).issues === undefined;
    for (const payload of [signed.payload, revocationPayload(sent)]) {
      expect(isTaken(MultiPayloadNep413Validator, { ...signed, payload })).toBe(true);
      const message: unknown = JSON.parse(payload.message);
      expect(isTaken(Nep413DefuseMessageFor_DefuseIntentsValidator, message)).toBe(true);
      const moved = { ...(message as object), intents: [{ intent: 'transfer', receiver_id: 'Nobody!', tokens: 1 }] };
      expect(isTaken(Nep413DefuseMessageFor_DefuseIntentsValidator, moved)).toBe(false);
    }
    expect(isTaken(MultiPayloadNep413Validator, { ...signed, standard: 'nep414' })).toBe(false);
  });

  it('are revoked by an empty one that has their nonce and deadline, and moves nothing', () => {
    const sent = readPublishRequest(publishRequest('op/0/1', signedTransfer()));
    if (sent === null) throw new Error('it was not read');
    const payload = revocationPayload(sent);
    expect(payload.nonce).toBe(sent.nonceText);
    expect(JSON.parse(payload.message)).toEqual({ signer_id: signerId, deadline, intents: [] });
    const bytes = publishRequest('op/0/1', { ...signedTransfer(), payload });
    expect(readPublishRequest(bytes)).toMatchObject({ receiverId: null, nonceText: sent.nonceText });
    expect(readPublishRequest(bytes)?.intentHash).not.toBe(sent.intentHash);
  });

  it('are published by the same bytes whenever they are made of the same', () => {
    const request = publishRequest('op/0/1', signedTransfer());
    expect(publishRequest('op/0/1', signedTransfer())).toBe(request);
    expect(JSON.parse(request)).toEqual({
      id: 'op/0/1',
      jsonrpc: '2.0',
      method: 'publish_intent',
      params: [{ quote_hashes: [], signed_data: signedTransfer() }],
    });
  });

  it('are read back from those bytes', () => {
    const sent = readPublishRequest(publishRequest('op/0/1', signedTransfer()));
    expect(sent).toMatchObject({ key: 'op/0/1', signerId, receiverId, deadline });
    expect(sent?.intentHash).toBe(intentHashOf(signedTransfer().payload));
    expect(sent?.nonce.tail).toEqual(tailOf('k'));
  });

  it('are in no other bytes', () => {
    const request = publishRequest('op/0/1', signedTransfer());
    const foreign = [
      '',
      'null',
      '{}',
      '[]',
      '{"params":[]}',
      '{"params":[{"signed_data":[]}]}',
      request.slice(0, -1),
      request.replace('intents.near', 'intentz.near'),
      request.replace('"id":"op/0/1"', '"id":7'),
      request.replace(/"nonce":"[^"]+"/, `"nonce":"${Buffer.alloc(32).toString('base64')}"`),
    ];
    for (const bytes of foreign) expect(readPublishRequest(bytes)).toBeNull();
  });
});
