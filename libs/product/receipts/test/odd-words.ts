/** Receipts with odd words: plaintexts that parsers read differently, clear events of before, and words that are not revealed. */
import { fingerprintOf } from '@app/canonical';
import { reviewedDocument } from '@app/consent';
import type { JsonValue } from '@app/kernel';
import { toBase64, utf8 } from '@app/transparency';
import { receiptEvent } from '../src/receipt-bytes';
import { decided, opened, openedContract } from './approval-facts';
import { History, journeys } from './histories';
import { byContract, concluded, denied, forged, provenText, receipt, settled } from './sealed-cases';
import type { Change, SealedReceipt, Verdict } from './sealed-cases';
import { erasedWords, receiptWith, resealed, sealed, sourceOf, withMember, type Sealing } from './sealed-events';

/** Plaintexts that only the commitment binds. */
export function oddPlaintexts(): SealedReceipt[] {
  const [opening, decision] = denied;
  /** The opening with an input that is written so, and the fingerprint of its value. */
  const withInput = (plain: string, value: JsonValue): Sealing[] => {
    const fingerprint = fingerprintOf(reviewedDocument(opened({ input: value })));
    const stored = withMember(opening!.stored, 'fingerprint', fingerprint);
    return [resealed({ ...opening!, stored }, 'input', plain), decision!];
  };
  const inputs: readonly (readonly [string, Verdict, string, JsonValue])[] = [
    ['whole numbers in odd spellings', 'holds', '[1.0,10e-1,-0,0e7,1e2]', [1, 1, 0, 0, 100]],
    [
      'numbers that no double holds exactly',
      'holds',
      '[12345678901234567890,0.1000000000000000055]',
      [12345678901234567000, 0.1],
    ],
    ['spaces and escapes', 'holds', ' {"\\u0061" : "\\u00fc"}\n', { a: 'ü' }],
    ['a name that is a prototype', 'holds', '{"__proto__":1}', JSON.parse('{"__proto__":1}') as JsonValue],
    ['the form of erased words', 'holds', '{"erased":true}', { erased: true }],
    ['the form of sealed words', 'holds', '{"sealed":"1:a:b:c:d"}', { sealed: '1:a:b:c:d' }],
    ['a value of another fingerprint', 'refused', '[2]', [1]],
  ];
  const noJson: readonly (readonly [string, string | Uint8Array])[] = [
    ['a member twice', '{"a":1,"a":1}'],
    ['a member twice, in two spellings', '{"a":1,"\\u0061":1}'],
    ['half of a surrogate pair', '"\\ud800"'],
    ['a number that is none', 'NaN'],
    ['a number that no double holds', '1e400'],
    ['great depth', '['.repeat(129) + ']'.repeat(129)],
    ['a mark of byte order', '\ufeff1'],
    ['two values', '1 1'],
    ['nothing', ''],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ];
  return [
    ...inputs.map(([name, verdict, plain, value]) =>
      verdict === 'holds'
        ? concluded(`a plaintext with ${name}`, verdict, withInput(plain, value))
        : provenText(`a plaintext with ${name}`, verdict, receiptWith(withInput(plain, value))),
    ),
    ...noJson.map(([name, plain]) => forged(`a plaintext with ${name}`, 0, (event) => resealed(event, 'input', plain))),
    ...Object.entries({ summary: 7, terms: {} }).map(([member, value]) =>
      concluded(
        `${member} of another type, and all that follows`,
        'refused',
        // Reason for the assertion: it is of another type than it must be.
        History.begin()
          .inConversation(opened({ [member]: value }))
          .events.map(sealed),
      ),
    ),
    forged('a summary that is no text', 0, (event) => resealed(event, 'summary', '7')),
    forged('terms that are no list', 0, (event) => resealed(event, 'terms', '{}')),
    forged('a reason that is no text', 1, (event) => resealed(event, 'denialReason', '{"erased":true}')),
    concluded('a reason that is no text, and all that follows', 'refused', [
      opening!,
      resealed(decision!, 'denialReason', '{"erased":true}'),
    ]),
  ];
}

/** Clear events of before, with values that look closed. */
export function clearEvents(): SealedReceipt[] {
  const clear = (input: JsonValue, denialReason: JsonValue = null): Sealing[] =>
    History.begin()
      .inConversation(opened({ input }))
      .inConversation({ ...decided('denied'), denialReason } as ReturnType<typeof decided>, 'user')
      .events.map((stored) => ({ stored, shown: null }));
  return [
    concluded('a clear event', 'holds', clear({ a: 1 })),
    concluded('a clear input of the form of sealed words', 'holds', clear({ sealed: '1:a:b:c:d' })),
    concluded('a clear input of the form of erased words', 'holds', clear({ erased: true })),
    concluded('a clear reason of the form of sealed words', 'refused', clear(1, { sealed: '1:a:b:c:d' })),
    concluded('a clear reason of the form of erased words', 'refused', clear(1, { erased: true })),
  ];
}

/** Receipts that do not reveal all words. */
export function withoutWords(): SealedReceipt[] {
  const [opening, decision] = denied;
  const erased = denied.map(erasedWords);
  const gone = receiptWith(erased);
  const less =
    (...members: readonly string[]): Change =>
    ({ stored, shown }) => ({
      stored,
      shown: shown?.filter(({ member }) => !members.includes(member)) ?? null,
    });
  const otherVersion = { ...opening!, stored: withMember(opening!.stored, 'fingerprintVersion', 3) };
  const expensive = opened({ contract: openedContract().contract });
  const otherContract = settled.map((event, nth) =>
    nth === 0
      ? { ...event, stored: withMember(event.stored, 'contract', expensive.contract as unknown as JsonValue) }
      : event,
  );
  const { canonical } = receipt.review;
  const { summary } = receipt.approval;
  return [
    ...Object.entries(journeys).map(([name, journey]) =>
      concluded(`erased words: ${name}`, 'accepting', journey().events.map(sealed).map(erasedWords)),
    ),
    concluded('a reason that is withheld', 'accepting', [opening!, erasedWords(decision!)]),
    concluded('an input that is withheld', 'accepting', [less('input')(opening!), decision!]),
    concluded(
      'words of a contract that are withheld',
      'accepting',
      byContract.map((event, nth) => (nth === 0 ? erasedWords(event) : event)),
    ),
    provenText('an opening left out, of which the receipt still says what it was', 'refused', {
      ...receipt,
      events: [less('summary')(opening!), decision!].map((event) => receiptEvent(sourceOf(event))),
    }),
    provenText('erased words that the receipt still says', 'refused', {
      ...gone,
      approval: { ...gone.approval, summary },
    }),
    provenText('reviewed bytes without the words in them', 'refused', {
      ...gone,
      review: { ...gone.review, canonical },
    }),
    provenText('reviewed bytes of other words', 'refused', {
      ...gone,
      review: { ...gone.review, canonical: toBase64(utf8('{}')) },
    }),
    provenText('reviewed bytes that are erased, and are not', 'refused', {
      ...receipt,
      review: { ...receipt.review, canonical: gone.review.canonical },
    }),
    provenText('words that are erased, and are not', 'refused', { ...receipt, approval: gone.approval }),
    provenText('erased words without the list of those that are revealed', 'refused', {
      ...gone,
      events: gone.events.map(({ revealed: _, ...event }) => event),
    }),
    forged('erased words under an unknown version', 0, () => erasedWords(otherVersion)),
    provenText(
      'erased words, and another contract than the operation runs',
      'refused',
      receiptWith(otherContract.map(erasedWords)),
    ),
  ];
}
