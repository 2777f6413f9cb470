import { isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import {
  cosignatureBy,
  entryBytes,
  isIncluded,
  isPossible,
  leafHash,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  parsePath,
  signaturesBy,
  toBase64,
  type Checkpoint,
  type Cosignature,
  type Distrust,
  type TrustPolicy,
} from '@app/transparency';
import { entryOf } from './receipt-bytes';
import type { Found, ReceiptCheckpoint, ReceiptFinding, ReceiptProblem } from './receipt-report';
import { problemOf } from './receipt-rules';
import type { ReceiptEvent } from './receipt.schema';

/** A proof as a receipt has it, every member of its type. */
interface ReadProof {
  readonly checkpoint: string | null;
  readonly inclusions: readonly (JsonObject | null)[];
}

export type ProofFound = Found & { readonly checkpoint: ReceiptCheckpoint | null };

/** What a receipt's `proof` shows of its events: with a policy, by the keys that it trusts. */
export function proofFound(proof: unknown, events: readonly ReceiptEvent[], policy: TrustPolicy | null): ProofFound {
  if (proof === null) return unprovenBy('It carries no proof that these events are in the log.', policy);
  const read = readProof(proof, events.length);
  if (read === null) return wrong('/proof', 'is no proof of these events');
  if (read.checkpoint === null) return unprovenBy('No checkpoint of the log covered these events yet.', policy);
  const opened = policy === null ? openUntrusting(read.checkpoint) : openTrusting(read.checkpoint, policy);
  if (typeof opened === 'string') return wrong('/proof/checkpoint', opened);
  const included = inclusionsFound(read, events, opened);
  return {
    problems: [...included.problems, ...opened.problems],
    proven: [...included.proven, ...opened.proven],
    unproven: [...included.unproven, ...opened.unproven],
    checkpoint: {
      origin: opened.origin,
      size: opened.size,
      root: toBase64(opened.root),
      witnesses: opened.cosignatures.map(({ witness, seconds }) => ({ name: witness, at: instantIn(seconds) })),
    },
  };
}

function wrong(path: string, message: string): ProofFound {
  return { problems: [problemOf(path, message)], proven: [], unproven: [], checkpoint: null };
}

function unprovenBy(text: string, policy: TrustPolicy | null): ProofFound {
  const signatures = policy === null ? [] : (['signature', 'witnesses'] as const);
  const unproven = (['inclusion', ...signatures] as const).map((aspect) => ({ aspect, text }));
  return { problems: [], proven: [], unproven, checkpoint: null };
}

/** Every member has to be what it says: what is passed over here nobody has looked at. */
function readProof(proof: unknown, eventCount: number): ReadProof | null {
  if (!isJsonObject(proof) || Object.keys(proof).sort().join() !== 'checkpoint,complete,inclusions') return null;
  const { checkpoint, complete } = proof;
  // Reason for the assertion: TypeScript loses the items' type in `isArray` of a readonly array.
  const inclusions = Array.isArray(proof['inclusions']) ? (proof['inclusions'] as readonly JsonValue[]) : null;
  if (inclusions?.length !== eventCount || !inclusions.every(isObjectOrNull)) return null;
  const isEach = inclusions.every((inclusion) => inclusion !== null);
  if (complete !== isEach) return null;
  if (checkpoint === null)
    return inclusions.every((inclusion) => inclusion === null) ? { checkpoint, inclusions } : null;
  return typeof checkpoint === 'string' ? { checkpoint, inclusions } : null;
}

function isObjectOrNull(value: JsonValue): value is JsonObject | null {
  return value === null || isJsonObject(value);
}

type OpenedCheckpoint = Checkpoint & Found & { readonly cosignatures: readonly Cosignature[] };

function openUntrusting(text: string): OpenedCheckpoint | string {
  const checkpoint = parseCheckpoint(parseNote(text)?.text ?? '');
  if (checkpoint === null || !isPossible(checkpoint)) return 'is no checkpoint';
  const unproven: ReceiptFinding[] = [
    {
      aspect: 'signature',
      text: "Whether the log signed the checkpoint was not looked at: the log's key was not given.",
    },
    { aspect: 'witnesses', text: 'Whether witnesses signed the checkpoint was not looked at: no key was given.' },
  ];
  return { ...checkpoint, problems: [], proven: [], unproven, cosignatures: [] };
}

const distrusts: Readonly<Record<Distrust, string>> = {
  no_note: 'is no signed note',
  no_checkpoint: 'is no checkpoint',
  other_log: 'is of another log than the given key',
  not_signed: 'was not signed by the log',
};

function openTrusting(text: string, policy: TrustPolicy): OpenedCheckpoint | string {
  const opened = openCheckpoint(text, policy);
  if (typeof opened === 'string') return distrusts[opened];
  const { cosignatures, isWitnessed, origin, size } = opened;
  const signed: ReceiptFinding = { aspect: 'signature', text: `${origin} signed its checkpoint of ${size} events.` };
  const few = problemOf('/proof/checkpoint', `was signed by ${cosignatures.length} of ${policy.needed} witnesses`);
  return {
    ...opened,
    problems: [...forgedLines(text, policy), ...(isWitnessed ? [] : [few])],
    proven:
      cosignatures.length === 0 ? [signed] : [signed, { aspect: 'witnesses', text: witnessesWords(cosignatures) }],
    unproven: cosignatures.length > 0 ? [] : [{ aspect: 'witnesses', text: 'No witness that is trusted signed it.' }],
  };
}

/** What stands under the name of a witness has to be that one's word. */
function forgedLines(text: string, { witnesses }: TrustPolicy): ReceiptProblem[] {
  const note = parseNote(text);
  if (note === null) return [];
  return witnesses
    .filter((key) => signaturesBy(note, key).length > 0 && cosignatureBy(note, key) === null)
    .map(({ name }) => problemOf('/proof/checkpoint', `was not signed by ${name}, as it says`));
}

function witnessesWords(cosignatures: readonly Cosignature[]): string {
  return `${cosignatures.map(({ witness, seconds }) => `${witness} (${instantIn(seconds)})`).join(', ')} saw the checkpoint.`;
}

function inclusionsFound(
  { inclusions }: ReadProof,
  events: readonly ReceiptEvent[],
  { origin, size, root }: Checkpoint,
): Found {
  const indexes = new Map<string, number>();
  const problems = events.flatMap((event, nth): ReceiptProblem[] => {
    const inclusion = inclusions[nth] ?? null;
    if (inclusion === null) return [];
    const { stream, revision } = event;
    const at = { path: pointerTo('proof', 'inclusions', nth), stream, revision };
    const { index, path, ...others } = inclusion;
    const hashes = isTexts(path) ? parsePath(path) : null;
    if (typeof index !== 'number' || hashes === null || Object.keys(others).length > 0)
      return [{ ...at, message: 'is no place in the log' }];
    const before = indexes.get(stream) ?? -1;
    indexes.set(stream, index);
    const isIn = isIncluded(leafHash(entryBytes(entryOf(event))), index, size, hashes, root);
    if (!isIn) return [{ ...at, message: 'does not lead to the root of the checkpoint' }];
    return index > before ? [] : [{ ...at, message: 'is before an earlier event of its stream' }];
  });
  const missing = events.filter((_, nth) => inclusions[nth] === null);
  const count = events.length - missing.length;
  const isProven = problems.length === 0 && count > 0;
  const text = `${count} of ${events.length} events are in the log ${origin}, up to its checkpoint of ${size} events.`;
  return {
    problems,
    proven: isProven ? [{ aspect: 'inclusion', text }] : [],
    unproven: missing.map(({ stream, revision }) => ({
      aspect: 'inclusion',
      text: `Event ${revision} of ${stream} is not covered by the checkpoint.`,
    })),
  };
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** @param seconds Unix time */
function instantIn(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? `second ${seconds}` : at.toISOString();
}
