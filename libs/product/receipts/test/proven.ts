import { TestLog } from '@app/testing/logs';
import {
  cosign,
  entryBytes,
  parseNote,
  parseVerifierKey,
  signatureLine,
  signingKey,
  toBase64,
} from '@app/transparency';
import type { TrustPolicy, VerifierKey } from '@app/transparency';
import { entryOf } from '../src/receipt-bytes';
import type { Receipt, ReceiptEvent, ReceiptProof } from '../src/receipt.schema';

export const witness = signingKey('witness', 'witness.example/w1', new Uint8Array(32).fill(9));
/** A key with the witness's name that is not the witness's. */
export const namesake = signingKey('witness', 'witness.example/w1', new Uint8Array(32).fill(10));

/** The number of leaves of other events before, and after. */
const [before, after] = [3, 5];
const seconds = 1_790_000_000;

export type WholeProof = ReceiptProof & {
  readonly checkpoint: string;
  readonly inclusions: readonly { readonly index: number; readonly path: readonly string[] }[];
};

/** A receipt whose events are all in a log, under a checkpoint that the log and the witness signed. */
export interface Proven {
  readonly receipt: Receipt & { readonly proof: WholeProof };
  readonly log: TestLog;
  readonly size: number;
}

/** @param rank events of a lower rank came into the log first; those of the same rank in the receipt's order */
export function proven(receipt: Receipt, rank: (event: ReceiptEvent) => number = () => 0): Proven {
  const others = Array.from({ length: before }, (_, index) => `before ${index}`);
  const logged = receipt.events.toSorted((one, other) => rank(one) - rank(other));
  const entries = logged.map((event) => Buffer.from(entryBytes(entryOf(event))).toString('utf8'));
  const log = TestLog.holding([...others, ...entries]);
  const size = before + entries.length + after;
  const inclusions = receipt.events.map((event) => {
    const index = before + logged.indexOf(event);
    return { index, path: log.inclusion(index, size).map(toBase64) };
  });
  const note = log.note(size);
  const proof = { checkpoint: note + lineOf(note), inclusions, complete: true };
  return { receipt: { ...receipt, proof }, log, size };
}

/** A witness's line under a note. */
export function lineOf(note: string, key = witness, text = textOf(note)): string {
  return signatureLine(cosign(key, text, seconds));
}

export function textOf(note: string): string {
  return parseNote(note)?.text ?? '';
}

/** The possible demands of a verifier: nothing, the log, the log and its witness, or the witness alone. */
export function policiesFor({ log }: Proven): Record<'nothing' | 'log' | 'both' | 'witness', TrustPolicy | null> {
  // Reason for the assertion: it is a key.
  const key = parseVerifierKey(log.verifierKey) as VerifierKey;
  return {
    nothing: null,
    log: { log: [key], witnesses: [], needed: 0 },
    both: { log: [key], witnesses: [witness], needed: 1 },
    witness: { log: [], witnesses: [witness], needed: 1 },
  };
}
