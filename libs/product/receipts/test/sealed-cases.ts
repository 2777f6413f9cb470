/** Makes receipts whose events have sealed words, each proven in a log that holds the events so. */
import type { JsonValue } from '@app/kernel';
import { receiptEvent } from '../src/receipt-bytes';
import type { Receipt } from '../src/receipt.schema';
import { journeys } from './histories';
import { proven, type Proven } from './proven';
import { receiptWith, sealed, sourceOf, type Sealing, type Shown } from './sealed-events';

/** `accepting`: it holds for verifiers that accept erased words, and for no others. */
export type Verdict = 'holds' | 'accepting' | 'refused';

export interface SealedReceipt extends Pick<Proven, 'log'> {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
}

export type Change = (event: Sealing) => Sealing;
type Document = Readonly<Record<string, unknown>>;

export const denied = journeys.denied().events.map(sealed);
export const settled = journeys.settled().events.map(sealed);
export const byContract = journeys.covered().events.map(sealed);
export const receipt = receiptWith(denied);

export function provenText(name: string, verdict: Verdict, document: Receipt): SealedReceipt {
  const { receipt: whole, log } = proven(document);
  return { name, verdict, log, text: JSON.stringify(whole) };
}

/** A receipt that follows from its events. */
export function concluded(name: string, verdict: Verdict, events: readonly Sealing[]): SealedReceipt {
  return provenText(name, verdict, receiptWith(events));
}

/** The receipt of a denial with other events, of which it says what it said before. */
export function forged(name: string, nth: number, change: Change, events = denied): SealedReceipt {
  const changed = events.map((event, index) => (index === nth ? change(event) : event));
  const document = events === denied ? receipt : receiptWith(events);
  return provenText(name, 'refused', { ...document, events: changed.map((event) => receiptEvent(sourceOf(event))) });
}

/** The receipt whose text says other things of what is revealed of its first event. */
export function written(name: string, change: (revealed: readonly Document[]) => unknown): SealedReceipt {
  const whole = provenText(name, 'refused', receipt);
  const { events, ...others } = JSON.parse(whole.text) as { readonly events: readonly Document[] };
  const [first, ...rest] = events;
  const revealed = change(first?.['revealed'] as readonly Document[]);
  return { ...whole, text: JSON.stringify({ ...others, events: [{ ...first, revealed }, ...rest] }) };
}

/** Changes what is revealed of one member. */
export const showing =
  (member: string, change: (one: Shown) => Shown): Change =>
  ({ stored, shown }) => ({ stored, shown: (shown ?? []).map((one) => (one.member === member ? change(one) : one)) });

export const saying =
  (sealedMembers: JsonValue): Change =>
  ({ stored, shown }) => {
    const { sealed: _, ...metadata } = stored.metadata;
    const said = sealedMembers === null ? {} : { sealed: sealedMembers };
    return { stored: { ...stored, metadata: { ...metadata, ...said } as Sealing['stored']['metadata'] }, shown };
  };

export const keyOf = (event: Sealing | undefined): string => String(event?.stored.metadata.sealed?.key);
export const shownIn = (event: Sealing | undefined, member: string): Shown => {
  const found = event?.shown?.find((one) => one.member === member);
  if (found === undefined) throw new Error(`${member} is not shown`);
  return found;
};
