import {
  cosignatureBy,
  cosignaturesBy,
  isEnough,
  isPossible,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  signaturesBy,
} from '@app/transparency';
import type { Checkpoint, Cosignature, Distrust, Note, TrustPolicy } from '@app/transparency';
import type { Found, ReceiptFinding, ReceiptProblem } from './receipt-report';
import { problemOf } from './receipt-rules';

/** Claims that a policy demands; for the others nothing is verified. */
export interface Demands {
  /** That the log signed the checkpoint. */
  readonly signature: boolean;
  /** That enough witnesses signed it. */
  readonly witnesses: boolean;
  /** That each event is in the log, under whichever of the two is demanded. */
  readonly inclusion: boolean;
}

/** Returns the claims that a policy demands; none of them without a policy. */
export function demandsOf(policy: TrustPolicy | null): Demands {
  const signature = policy !== null && policy.log.length > 0;
  const witnesses = policy !== null && policy.needed !== 0;
  return { signature, witnesses, inclusion: signature || witnesses };
}

const noLogKey: ReceiptFinding = {
  aspect: 'signature',
  text: 'That the log signed the checkpoint: no key of the log was given.',
};
const noWitnessKey: ReceiptFinding = {
  aspect: 'witnesses',
  text: 'That witnesses signed the checkpoint: no key of a witness was given.',
};
const noneNeeded: ReceiptFinding = {
  aspect: 'witnesses',
  text: 'That witnesses signed the checkpoint: none of them was needed.',
};

/** Returns the claims that a policy leaves open. */
export function uncheckedBy(policy: TrustPolicy | null): ReceiptFinding[] {
  const { signature, witnesses } = demandsOf(policy);
  const unneeded = policy !== null && policy.witnesses.length > 0 ? noneNeeded : noWitnessKey;
  return [...(signature ? [] : [noLogKey]), ...(witnesses ? [] : [unneeded])];
}

/** The signed tree head of a receipt, with the findings about its signatures. */
export type OpenedCheckpoint = Checkpoint & Found & { readonly cosignatures: readonly Cosignature[] };

const distrusts: Readonly<Record<Distrust, string>> = {
  no_note: 'is no signed note',
  no_checkpoint: 'is no checkpoint',
  other_log: 'is of another log than the given key',
  not_signed: 'was not signed by the log',
};

/** Opens a receipt's checkpoint (signed tree head). @returns the reason, as text, if the policy refuses it */
export function openReceiptCheckpoint(text: string, policy: TrustPolicy | null): OpenedCheckpoint | string {
  const note = parseNote(text);
  const checkpoint = note && parseCheckpoint(note.text);
  if (note === null || checkpoint === null || !isPossible(checkpoint)) return 'is no checkpoint';
  const signed = policy !== null && policy.log.length > 0 ? openCheckpoint(text, policy) : null;
  if (typeof signed === 'string') return distrusts[signed];
  const { origin, size } = checkpoint;
  const signature: ReceiptFinding = { aspect: 'signature', text: `${origin} signed its checkpoint of ${size} events.` };
  const witnessing = witnessingOf(note, policy);
  return {
    ...checkpoint,
    ...witnessing,
    proven: [...(signed === null ? [] : [signature]), ...witnessing.proven],
    unchecked: uncheckedBy(policy).filter(({ aspect }) => !witnessing.proven.some((one) => one.aspect === aspect)),
  };
}

function witnessingOf(note: Note, policy: TrustPolicy | null): Found & Pick<OpenedCheckpoint, 'cosignatures'> {
  const { witnesses, needed } = policy ?? { witnesses: [], needed: 0 };
  const cosignatures = cosignaturesBy(note, witnesses);
  const isFew = demandsOf(policy).witnesses && !isEnough(cosignatures, needed);
  const few = problemOf('/proof/checkpoint', `was signed by ${cosignatures.length} of ${needed} witnesses`);
  const seen: ReceiptFinding = { aspect: 'witnesses', text: witnessesWords(cosignatures) };
  return {
    cosignatures,
    problems: [...forgedLines(note, witnesses), ...(isFew ? [few] : [])],
    proven: cosignatures.length === 0 ? [] : [seen],
    unproven: [],
    unchecked: [],
  };
}

/** A line with the name of a trusted witness must be its signature. */
function forgedLines(note: Note, witnesses: TrustPolicy['witnesses']): ReceiptProblem[] {
  return witnesses
    .filter((key) => signaturesBy(note, key).length > 0 && cosignatureBy(note, key) === null)
    .map(({ name }) => problemOf('/proof/checkpoint', `was not signed by ${name}, as it says`));
}

function witnessesWords(cosignatures: readonly Cosignature[]): string {
  return `${cosignatures.map(({ witness, seconds }) => `${witness} (${instantIn(seconds)})`).join(', ')} saw the checkpoint.`;
}

/** @param seconds Unix time */
export function instantIn(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? `second ${seconds}` : at.toISOString();
}
