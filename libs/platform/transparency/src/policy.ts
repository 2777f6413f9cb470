import { parseCheckpoint, type Checkpoint } from './checkpoint';
import { cosignatureBy, type Cosignature } from './cosignature';
import type { VerifierKey } from './keys';
import { sameHash } from './merkle';
import { isNoteSignedBy, parseNote, type Note } from './note';

/** Whom a verifier trusts: keys of one log, as it changed them, and witnesses of whom so many must have signed. */
export interface TrustPolicy {
  readonly log: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
  /** 0: the log's word is enough. */
  readonly needed: number;
}

/** A checkpoint that the log signed. */
export interface TrustedCheckpoint extends Checkpoint {
  readonly cosignatures: readonly Cosignature[];
  /** As many witnesses signed it as the policy asks for. */
  readonly isWitnessed: boolean;
}

/** Why a note is no checkpoint of the log. */
export type Distrust = 'no_note' | 'no_checkpoint' | 'other_log' | 'not_signed';

/** Opens a note as a checkpoint of the log. The key's name is the origin: a checkpoint that names another log is not of this one. */
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

/** Whether as many witnesses signed as are needed. A count that is none, such as NaN, −1 or 0.5, is never reached. */
export function isEnough(cosignatures: readonly Cosignature[], needed: number): boolean {
  return Number.isSafeInteger(needed) && needed >= 0 && cosignatures.length >= needed;
}

/** The cosignatures of these witnesses under a note. */
export function cosignaturesBy(note: Note, witnesses: readonly VerifierKey[]): Cosignature[] {
  return distinct(witnesses).flatMap((key) => cosignatureBy(note, key) ?? []);
}

/** Each public key counts once, by however many names it is known. */
function distinct(keys: readonly VerifierKey[]): VerifierKey[] {
  return keys.filter(({ publicKey }, at) => keys.findIndex((other) => sameHash(other.publicKey, publicKey)) === at);
}
