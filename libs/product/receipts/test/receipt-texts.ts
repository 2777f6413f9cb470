/** Texts of receipts that no verifier may accept, although the hashes in them are right, and one that all accept. */
import { utf8, toBase64 } from '@app/transparency';
import { opened } from './approval-facts';
import { bytesOf, canonicalIn, History, journeys, received } from './histories';
import { proven, type Proven } from './proven';
import { receiptEvent } from '../src/receipt-bytes';
import type { EventBytes } from '../src/parts/receipt-source';
import type { Receipt } from '../src/receipt.schema';

export interface ReceiptText extends Pick<Proven, 'log'> {
  readonly name: string;
  readonly holds: boolean;
  readonly text: string;
}

const events = journeys.denied().events.map(bytesOf);
const receipt = received(journeys.denied().events);

/** The receipt with an event that is stored otherwise, proven in a log that holds it. */
function stored(name: string, nth: number, change: (data: string) => string, holds = false): ReceiptText {
  const changed = ({ data, ...event }: EventBytes): EventBytes => ({
    ...event,
    data: utf8(change(Buffer.from(data).toString('utf8'))),
  });
  const bytes = events.map((event, index) => (index === nth ? changed(event) : event));
  return provenText(name, { ...receipt, events: bytes.map(receiptEvent) }, holds);
}

function provenText(name: string, unproven: Receipt, holds = false): ReceiptText {
  const { receipt: whole, log } = proven(unproven);
  return { name, holds, log, text: JSON.stringify(whole) };
}

/** The text of the proven receipt, changed. */
function written(name: string, change: (text: string) => string, holds = false): ReceiptText {
  const whole = provenText(name, receipt, holds);
  return { ...whole, text: change(whole.text) };
}

/** The first event and its inclusion, far too often. */
function repeated(text: string): string {
  const whole = JSON.parse(text) as Proven['receipt'];
  const often = <Item>([first]: readonly Item[]): Item[] => Array.from({ length: 10_001 }, () => first!);
  const proof = { ...whole.proof, inclusions: often(whole.proof.inclusions) };
  return JSON.stringify({ ...whole, events: often(whole.events), proof });
}

export function receiptTexts(): ReceiptText[] {
  const { contract } = opened();
  const actions = Array.from({ length: 17 }, () => contract!.actions[0]!);
  const many = History.begin().inConversation(opened({ contract: { ...contract!, actions } }));
  const covered = provenText('a zero with a sign', received(journeys.covered().events), true);
  const canonical = canonicalIn(receipt);
  return [
    provenText('a receipt', receipt, true),
    stored('an event as it was stored', 0, (data) => data, true),
    written(
      'a whole number with a fraction of zero',
      (text) => text.replaceAll('"revision":8', '"revision":8.0'),
      true,
    ),
    written('a whole number with an exponent', (text) => text.replaceAll('"index":3', '"index":30e-1'), true),
    { ...covered, text: covered.text.replaceAll('"revision":0', '"revision":-0') },
    written('a number that no double holds', (text) => text.replace('"revision":8', '"revision":1e999')),
    written('a number of 5,000 digits', (text) => text.replace('"revision":8', `"revision":${'1'.repeat(5_000)}`)),
    written('a member twice, the first one another', (text) => text.replace('{', '{"decision":null,')),
    written('a member twice, in two spellings', (text) => text.replace('{', '{"\\u0076":1,')),
    written('a member twice, with one value', (text) => text.replace('{', '{"v":1,')),
    written('a member twice, far within', (text) => text.replace('"status":', '"status":"approved","status":')),
    stored('a member twice in stored bytes', 0, (data) => data.replace('{', '{"kind":"withdrawal",')),
    written('half of a surrogate pair', (text) => text.replace('"stream":"', '"stream":"\\ud800')),
    written('half of a surrogate pair in a name', (text) => text.replace('{', '{"\\udfff":1,')),
    stored('half of a surrogate pair in stored bytes', 1, (data) => data.replace('too much', '\\ud83d')),
    written('more events than any', repeated),
    provenText('more actions than any', received(many.events)),
    written('a version that is true', (text) => text.replace('"v":1', '"v":true')),
    stored('a time that is a number', 1, (data) => data.replace(/"at":"[^"]*"/, '"at":7')),
    stored('an end that is a list', 0, (data) => data.replace(/"expiresAt":"[^"]*"/, '"expiresAt":[]')),
    provenText('a review of other bytes', {
      ...receipt,
      review: { ...receipt.review, canonical: toBase64(utf8(canonical.replace('{', '{"v":1,'))) },
    }),
    written('no JSON', (text) => text.slice(1)),
    written('a number that is none', (text) => text.replace('"v":1', '"v":NaN')),
    written('nothing but depth', () => '['.repeat(100_000) + ']'.repeat(100_000)),
    written('a text', () => '"receipt"'),
  ];
}
