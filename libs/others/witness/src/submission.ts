import { fromBase64, hashBytes, parseCount, parseExtendedCheckpoint, parseNote } from '@app/transparency';
import type { Checkpoint, Hash, Note } from '@app/transparency';

/** A checkpoint for the witness to sign, with the log's proof that it grew. Source: C2SP tlog-witness, "add-checkpoint". */
export interface Submission {
  /** The size of the tree that the witness signed last, as the sender assumes. */
  readonly old: number;
  readonly path: readonly Hash[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

const pathMax = 63;
const oldPattern = /^old (\d+)$/;

/** @returns null for a body that is no submission */
export function parseSubmission(body: string): Submission | null {
  const end = body.indexOf('\n\n');
  if (end === -1) return null;
  const [oldLine = '', ...hashLines] = body.slice(0, end).split('\n');
  const old = parseCount(oldPattern.exec(oldLine)?.[1] ?? '');
  const path = hashLines.map(parseHash);
  const note = parseNote(body.slice(end + 2));
  const checkpoint = note && parseExtendedCheckpoint(note.text);
  if (old === null || note === null || checkpoint === null || hashLines.length > pathMax) return null;
  // Reason for the assertion: the list contains no null.
  return path.includes(null) ? null : { old, path: path as Hash[], note, checkpoint };
}

function parseHash(line: string): Hash | null {
  const hash = fromBase64(line);
  return hash?.length === hashBytes ? hash : null;
}
