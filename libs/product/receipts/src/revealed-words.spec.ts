import { randomBytes } from 'node:crypto';
import type { ReceivedEvent } from '@app/event-store';
import { asId, type JsonValue, type Sealed, type UserId } from '@app/kernel';
import { KeyRing, KeyStore, sealedForUser, sealValue, type KeyId } from '@app/sealing';
import { RevealedWords } from './revealed-words';

const [ada, eve] = [
  sealedForUser(asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11')),
  sealedForUser(asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e12')),
];
const keys = new Map([ada.keyId, eve.keyId].map((id) => [id, randomBytes(32)]));
class Keys extends KeyStore {
  read(ids: readonly KeyId[]) {
    return Promise.resolve(new Map(ids.flatMap((id) => (keys.has(id) ? [[id, keys.get(id) ?? null] as const] : []))));
  }
  make() {
    return Promise.resolve(null);
  }
  ownerOf() {
    return Promise.resolve(null);
  }
}
const ring = new KeyRing(new Keys());
afterAll(() => ring.close());

const [id, otherId] = ['019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01', '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a02'];
const seal = (keyId: KeyId, eventId: string, path: string): Sealed =>
  sealValue(keys.get(keyId) ?? Buffer.alloc(32), { keyId, eventId, path }, 'the words');

/** An event whose member `summary` is this value. */
function event(summary: unknown, keyId: KeyId = ada.keyId): ReceivedEvent {
  // Reason for the assertion: it is JSON.
  const data = Buffer.from(JSON.stringify({ summary: summary as JsonValue }));
  const metadata = Buffer.from(JSON.stringify({ sealed: { key: keyId, members: ['summary'] } }));
  const place = { stream: 'operation-1', revision: 0, position: 1 };
  return { kind: 'event', ...place, id, type: 'approval.opened', isJson: true, data, metadata };
}
const revealedOf = async (one: ReceivedEvent) => (await new RevealedWords(ring).of([one]))[0]?.revealed;

it('reveals the words of an event', async () => {
  const [one] = (await revealedOf(event(seal(ada.keyId, id, 'summary')))) ?? [];
  expect([one?.member, one && Buffer.from(one.value).toString()]).toEqual(['summary', '"the words"']);
});

it.each([
  ['of another event', event(seal(ada.keyId, otherId, 'summary'))],
  ['of another member', event(seal(ada.keyId, id, 'input'))],
  ['of another user', event(seal(eve.keyId, id, 'summary'))],
  ['of another user, whose key the event names', event(seal(eve.keyId, otherId, 'summary'), eve.keyId)],
  ['that were altered', event({ sealed: `${seal(ada.keyId, id, 'summary').sealed.slice(0, -4)}AAAA` })],
  ['that are cut off', event({ sealed: `1:${ada.keyId}:${id}:summary:${'A'.repeat(40)}` })],
  ['of a key that does not exist', event(seal(ada.keyId, id, 'summary'), userless())],
])('reveals no words %s', async (_, one) => {
  expect(await revealedOf(one)).toEqual([]);
});

function userless(): KeyId {
  return sealedForUser(asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e13')).keyId;
}
