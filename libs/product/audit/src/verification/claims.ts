import {
  cosignatureBy,
  fromBase64,
  isNoteSignedBy,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  sameHash,
  signaturesBy,
  verifierKeyText,
} from '@app/transparency';
import type { Distrust, Hash, Note, TrustPolicy, VerifierKey } from '@app/transparency';

/** A checkpoint, with where it was found and what is known about it there. */
export interface Claim {
  /** Where it was found, for messages about problems. */
  readonly where: string;
  /** The note with all lines of witnesses. */
  readonly note: string;
  /** The tree that the log had decided before it signed; null if that is unknown here. */
  readonly fixed: { readonly size: number; readonly root: string } | null;
  /** Public keys of witnesses that are recorded as having signed it. */
  readonly witnesses: readonly string[];
  /** Whether it was signed by the log that this one was copied from, according to the stream of the checkpoints. */
  readonly isFormer?: boolean;
  /** Whether its tree is of the same events before their words were sealed: then only its signatures can be verified here. */
  readonly isOfOtherLeaves?: boolean;
  /** Whether it is from outside of the deployment: from a witness, or from a file that the auditor kept. */
  readonly isOutside?: boolean;
  /** Whether it is from a witness without a known key. Anyone may have answered, so it can contradict but not vouch. */
  readonly isOfUnknown?: boolean;
}

/** A tree that the log signed. */
export interface SignedTree {
  readonly where: string;
  readonly size: number;
  readonly root: Hash;
  readonly isWitnessed: boolean;
  /** Whether its checkpoint was kept outside of the deployment. */
  readonly isOutside: boolean;
  /** Whether it is unknown who keeps it outside: it can contradict, and vouches for nothing. */
  readonly isOfUnknown: boolean;
  /** Whether only the stream of the checkpoints names its key: it can contradict, and proves nothing. */
  readonly isFormer: boolean;
}

/** The keys to trust. */
export interface Trust {
  /** Empty: use the keys that the checkpoints themselves name. */
  readonly log: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
  readonly needed: number;
}

export interface Judged {
  readonly tree: SignedTree | null;
  readonly problems: readonly string[];
}

const distrust: Readonly<Record<Distrust, string>> = {
  no_note: 'is no signed note',
  no_checkpoint: 'is no checkpoint',
  other_log: 'is of a log whose key is not trusted here',
  not_signed: 'is not signed by a trusted key of the log',
};

/** Judges a checkpoint: the tree that it proves, and its problems. */
export function judge(claim: Claim, policy: TrustPolicy): Judged {
  const opened = openCheckpoint(claim.note, policy);
  if (typeof opened === 'string') return { tree: null, problems: [distrust[opened]] };
  const { size, root, isWitnessed } = opened;
  const note = parseNote(claim.note);
  const problems = [
    ...(note === null ? [] : cosignatureProblems(note, claim, policy.witnesses)),
    ...(isDecided(claim, size, root) ? [] : ['is not what the log had decided before it signed']),
  ];
  const { where, isOutside = false, isOfUnknown = false } = claim;
  return {
    tree: { where, size, root, isWitnessed: isWitnessed && policy.needed > 0, isOutside, isOfUnknown, isFormer: false },
    problems,
  };
}

function isDecided({ fixed }: Claim, size: number, root: Hash): boolean {
  if (fixed === null) return true;
  const decided = fromBase64(fixed.root);
  return fixed.size === size && decided !== null && sameHash(decided, root);
}

/** Invalid signatures under a witness's name; also for untrusted witnesses whose keys are recorded. */
function cosignatureProblems(note: Note, { witnesses }: Claim, trusted: readonly VerifierKey[]): string[] {
  const said = witnesses.map(parseVerifierKey);
  const unreadable = said.includes(null) ? ['names the key of a witness that is none'] : [];
  const claimed = said.flatMap((key) => key ?? []);
  const absent = claimed.filter((key) => signaturesBy(note, key).length === 0);
  const others = trusted.filter((key) => signaturesBy(note, key).length > 0);
  const keys = new Map([...claimed, ...others].map((key) => [verifierKeyText(key), key]));
  const wrong = [...keys.values()].filter((key) => !absent.includes(key) && cosignatureBy(note, key) === null);
  return [
    ...unreadable,
    ...absent.map(({ name }) => `lacks the cosignature of ${name} that it is said to have`),
    ...wrong.map(({ name }) => `has a cosignature of ${name} that does not hold`),
  ];
}

/** The offered keys that sign a checkpoint. They prove no more than their source can be trusted. */
export function selfNamed(note: string, offered: readonly string[]): VerifierKey[] {
  const parsed = parseNote(note);
  const origin = parsed && parseCheckpoint(parsed.text)?.origin;
  const keys = offered.flatMap((text) => parseVerifierKey(text) ?? []);
  return keys.filter((key) => parsed !== null && key.name === origin && isNoteSignedBy(parsed, key));
}
