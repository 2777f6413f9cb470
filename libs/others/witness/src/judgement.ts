import {
  emptyRoot,
  isConsistent,
  isNoteSignedBy,
  isPossible,
  sameHash,
  signatureLine,
  signaturesBy,
} from '@app/transparency';
import type { Note, TreeHead, VerifierKey } from '@app/transparency';
import type { Submission } from './submission';

/** The verdict of a witness on a submission. Source of the statuses: C2SP tlog-witness. */
export type Judgement =
  | { readonly status: 200 }
  | { readonly status: 400 | 403; readonly why: string }
  /** The sender assumes another size than that of the last signed tree, which is `size`. */
  | { readonly status: 409; readonly size: number }
  | { readonly status: 422; readonly why: string };

/** The log's signatures under a note; null without one, or if one under its name is not by its key. */
export function signedByLog(note: Note, keys: readonly VerifierKey[]): Note | null {
  // A key makes one signature of a text, so repeated lines are verified once, however many a sender writes.
  const lines = new Map(note.signatures.map((signature) => [signatureLine(signature), signature]));
  const once = { text: note.text, signatures: [...lines.values()] };
  const own = keys.filter((key) => signaturesBy(once, key).length > 0);
  if (own.length === 0 || !own.every((key) => isNoteSignedBy(once, key))) return null;
  return { text: note.text, signatures: own.flatMap((key) => signaturesBy(once, key)) };
}

/** Judges a submission that the log signed. @param latest the tree of that log that the witness signed last; null when it signed none */
export function judge({ old, path, checkpoint }: Submission, latest: TreeHead | null): Judgement {
  const signed = latest ?? { size: 0, root: emptyRoot() };
  if (old > checkpoint.size) return { status: 400, why: 'the old size is larger than that of the checkpoint' };
  if (old !== signed.size) return { status: 409, size: signed.size };
  if (!isPossible(checkpoint)) return { status: 422, why: 'a tree without leaves has another root' };
  const isOther = checkpoint.size === signed.size && !sameHash(checkpoint.root, signed.root);
  if (isOther) return { status: 422, why: 'a tree of that size was signed with another root' };
  if (isConsistent(signed, checkpoint, path)) return { status: 200 };
  if (old === 0 || checkpoint.size === old) return { status: 422, why: 'there is nothing to prove, and a proof' };
  return { status: 422, why: 'the proof does not lead from the tree that was signed last to this one' };
}
