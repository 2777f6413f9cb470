import { parseCheckpoint, type Checkpoint } from './checkpoint';
import { cosignatureBy, type Cosignature } from './cosignature';
import type { VerifierKey } from './keys';
import { sameHash } from './merkle';
import { isNoteSignedBy, parseNote, type Note } from './note';

/** The trust of a verifier: keys of one log, including earlier ones, and witnesses, a number of which must have signed. */
export interface TrustPolicy {
  readonly log: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
  /** 0 if the log's own signature is sufficient. */
  readonly needed: number;
}

/** A checkpoint that the log signed. */
export interface TrustedCheckpoint extends Checkpoint {
  readonly cosignatures: readonly Cosignature[];
  /** Whether as many witnesses signed it as the policy requires. */
  readonly isWitnessed: boolean;
}

/** The reason why a note is not a checkpoint of the log. */
export type Distrust = 'no_note' | 'no_checkpoint' | 'other_log' | 'not_signed';

/** Opens a note as a checkpoint of the log. The key's name is the origin: a checkpoint with a different origin belongs to another log. */
export function openCheckpoint(text: string, { log, witnesses, needed }: TrustPolicy): TrustedCheckpoint | Distrust {
  const note = parseNote(text);
  if (note === null) return 'no_note';
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint === null) return 'no_checkpoint';
  const own = log.filter(({ name }) => name === checkpoint.origin);
  if (own.length === 0) return 'other_log';
  if (!own.some((key) => isNoteSignedBy(note, key))) return 'not_signed';
  const cosignatures = cosignaturesBy(note, witnesses);
  return { ...checkpoint, cosignatures, isWitnessed: isEnough(cosignatures, needed) };
}

/** Whether enough witnesses signed. A count that is invalid, such as NaN, −1 or 0.5, is never reached. */
export function isEnough(cosignatures: readonly Cosignature[], needed: number): boolean {
  return Number.isSafeInteger(needed) && needed >= 0 && cosignatures.length >= needed;
}

/** The cosignatures of these witnesses under a note. */
export function cosignaturesBy(note: Note, witnesses: readonly VerifierKey[]): Cosignature[] {
  return distinct(witnesses).flatMap((key) => cosignatureBy(note, key) ?? []);
}

/** Each public key counts once, under however many names. */
function distinct(keys: readonly VerifierKey[]): VerifierKey[] {
  return keys.filter(({ publicKey }, at) => keys.findIndex((other) => sameHash(other.publicKey, publicKey)) === at);
}
