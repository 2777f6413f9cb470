/** Receipts whose sealed words are forged: what is revealed, of which members, and what the stored bytes seal. */
import type { JsonObject, JsonValue } from '@app/kernel';
import {
  byContract,
  denied,
  forged,
  keyOf,
  provenText,
  saying,
  settled,
  showing,
  shownIn,
  written,
} from './sealed-cases';
import type { Change, SealedReceipt } from './sealed-cases';
import { receiptWith, resealed, textIn, withMember, type Sealing, type Shown } from './sealed-events';

const bytesOf = (text: string): number[] => [...Buffer.from(text, 'base64url')];
const asText = (bytes: readonly number[]): string => Buffer.from(bytes).toString('base64url');

/** Revealed values that are not the sealed ones. */
export function otherWords(): SealedReceipt[] {
  const [opening, decision] = denied;
  const summary = shownIn(opening, 'summary');
  const terms = shownIn(opening, 'terms');
  const altered = textIn(summary).replace('1.5', '9.5');
  const lied = receiptWith([showing('summary', (one) => ({ ...one, value: altered }))(opening!), decision!]);
  const flipped = (key: Uint8Array): Uint8Array => key.map((byte, at) => (at === 31 ? byte ^ 1 : byte));
  return [
    forged(
      'an altered plaintext',
      0,
      showing('summary', (one) => ({ ...one, value: altered })),
    ),
    provenText('an altered plaintext, and all that follows from it', 'refused', lied),
    forged(
      'other bytes of the same value',
      0,
      showing('terms', (one) => ({ ...one, value: ` ${textIn(one)}` })),
    ),
    forged(
      'an altered key',
      0,
      showing('summary', (one) => ({ ...one, key: flipped(one.key) })),
    ),
    forged(
      'a key that is cut',
      0,
      showing('summary', (one) => ({ ...one, key: one.key.slice(0, 31) })),
    ),
    forged(
      'a key with zeros, which HMAC takes alike',
      0,
      showing('summary', ({ key, ...one }) => ({ ...one, key: Buffer.concat([key, Buffer.alloc(32)]) })),
    ),
    forged('openings of two members, exchanged', 0, ({ stored, shown }) => ({
      stored,
      shown: (shown ?? []).map((one) =>
        one.member === 'summary'
          ? { ...terms, member: 'summary' }
          : one.member === 'terms'
            ? { ...summary, member: 'terms' }
            : one,
      ),
    })),
    forged(
      'the opening of another event',
      1,
      showing('denialReason', () => ({ ...summary, member: 'denialReason' })),
    ),
    forged(
      'the opening of the same member of another event',
      0,
      showing('summary', () => shownIn(byContract[3], 'summary')),
      byContract,
    ),
  ];
}

/** Revelations that are not one value for each sealed member. */
export function otherMembers(): SealedReceipt[] {
  const summary = shownIn(denied[0], 'summary');
  const more =
    (...others: readonly Shown[]): Change =>
    ({ stored, shown }) => ({ stored, shown: [...(shown ?? []), ...others] });
  return [
    forged('an opening of a clear member', 0, more({ ...summary, member: 'tool' })),
    forged('an opening of no member', 0, more({ ...summary, member: 'prompt' })),
    forged('an opening twice', 0, more(summary)),
    forged('two openings of one member', 0, more({ ...summary, value: '"Another"' })),
    forged('an opening of an event without sealed members', 2, ({ stored }) => ({ stored, shown: [summary] }), settled),
    forged('an empty list at an event without sealed members', 2, ({ stored }) => ({ stored, shown: [] }), settled),
    forged('no list', 0, ({ stored }) => ({ stored, shown: null })),
    written('null in place of a list', () => null),
    written('an object in place of a list', (revealed) => ({ ...revealed })),
    written('an opening that is a text', () => ['summary']),
    written('an opening without a key', ([{ key: _, ...one } = {}, ...others]) => [one, ...others]),
    written('an opening with a further member', ([one, ...others]) => [{ ...one, path: 'input' }, ...others]),
    written('a value that is no base64', ([one, ...others]) => [
      { ...one, value: `${String(one?.['value'])} ` },
      ...others,
    ]),
    written('a key in base64url', ([one, ...others]) => [
      { ...one, key: String(one?.['key']).replace('=', '') },
      ...others,
    ]),
    written('a member that is a number', ([one, ...others]) => [{ ...one, member: 0 }, ...others]),
  ];
}

/** The stored bytes do not seal exactly the personal members, each for its place. */
export function otherPlaces(): SealedReceipt[] {
  const summary = textIn(shownIn(denied[0], 'summary'));
  const [opening] = denied;
  const key = keyOf(opening);
  const members = ['input', 'summary', 'terms'];
  const oddly = (name: string, odd: Parameters<typeof resealed>[3]) =>
    forged(name, 0, (event) => resealed(event, 'summary', summary, odd));
  const cleared = (event: Sealing, value: JsonValue): Sealing => ({
    stored: withMember(event.stored, 'summary', value),
    shown: (event.shown ?? []).filter(({ member }) => member !== 'summary'),
  });
  const used = settled[2]!.stored;
  const secretUse = resealed(
    {
      stored: {
        ...used,
        metadata: { ...used.metadata, sealed: { key, members: ['contract'] } },
      } as unknown as Sealing['stored'],
      shown: [],
    },
    'contract',
    JSON.stringify(used.payload['contract']),
  );
  return [
    oddly('a sealed text of another event', { eventId: denied[1]!.stored.id }),
    oddly('a sealed text of another member', { path: 'terms' }),
    oddly('a sealed text under another key', { keyId: 'u/another' }),
    oddly('a sealed text of another version', { version: '2' }),
    oddly('a sealed text with a further part', { version: '1:1' }),
    oddly('a sealed text with a further part at its end', { bytes: (text) => `${text}:${text}` }),
    oddly('a sealed text that is cut', { bytes: (text) => asText(bytesOf(text).slice(0, 60)) }),
    oddly('a sealed text with padding', { bytes: (text) => `${text}=` }),
    oddly('a sealed text in base64', { bytes: (text) => `+/${text}` }),
    oddly('a sealed text with bits of no byte', {
      bytes: (text) => `${asText([...bytesOf(text).slice(0, 61)]).slice(0, -1)}B`,
    }),
    oddly('a sealed text without bytes', { bytes: () => '' }),
    oddly('a sealed text with a line break', { bytes: (text) => `${text}\n` }),
    forged('a sealed member with a further one', 0, ({ stored, shown }) => ({
      // Reason for the assertion: the member is sealed.
      stored: withMember(stored, 'summary', { ...(stored.metadata.private?.['summary'] as JsonObject), v: 1 }),
      shown,
    })),
    forged('a member that is named as sealed, and is clear', 0, (event) =>
      cleared(event, JSON.parse(summary) as string),
    ),
    forged('a member that is sealed, and is not named', 0, (event) =>
      saying({ key, members: ['input', 'terms'] })(event),
    ),
    forged('sealed members that are not named at all', 0, (event) => ({ ...saying(null)(event), shown: null })),
    forged('a clear member that looks like a sealed one', 0, (event) =>
      cleared(saying({ key, members: ['input', 'terms'] })(event), { sealed: '1:a:b:c:d' }),
    ),
    forged('names twice', 0, saying({ key, members: [...members, 'input'] })),
    forged('a name twice in place of another', 0, saying({ key, members: ['input', 'summary', 'summary'] })),
    forged('a clear member among the names', 0, saying({ key, members: [...members, 'tool'] })),
    forged('names that are no texts', 0, saying({ key, members: [...members, 7] })),
    forged('no names', 0, saying({ key, members: [] })),
    forged('names that are no list', 0, saying({ key, members: 'input' })),
    forged('no key of the sealed members', 0, saying({ members })),
    forged('a key that is no text', 0, saying({ key: 1, members })),
    forged('a further member next to the names', 0, saying({ key, members, v: 1 })),
    forged('sealed members that are a list', 0, saying([])),
    forged('an event whose members are never sealed', 2, () => secretUse, settled),
    forged(
      'names of an event whose members are never sealed',
      2,
      ({ stored }) => saying({ key, members: [] })({ stored, shown: [] }),
      settled,
    ),
  ];
}
