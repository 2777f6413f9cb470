/** Receipts whose events have sealed words, and whether they hold: for the verifiers in TypeScript and Python. */
import { covered, journeys } from './histories';
import { otherMembers, otherPlaces, otherWords } from './forged-seals';
import { clearEvents, oddPlaintexts, withoutWords } from './odd-words';
import { concluded, denied, type SealedReceipt } from './sealed-cases';
import { sealed } from './sealed-events';

export function sealedReceipts(): SealedReceipt[] {
  const [opening, decision] = denied;
  const reversed = { ...opening!, shown: [...(opening!.shown ?? [])].reverse() };
  return [
    ...Object.entries(journeys).map(([name, journey]) =>
      concluded(`sealed words: ${name}`, 'holds', journey().events.map(sealed)),
    ),
    concluded('sealed words of a contract alone', 'holds', covered([]).events.map(sealed)),
    concluded('openings in another order', 'holds', [reversed, decision!]),
    ...otherWords(),
    ...otherMembers(),
    ...otherPlaces(),
    ...oddPlaintexts(),
    ...clearEvents(),
    ...withoutWords(),
  ];
}
