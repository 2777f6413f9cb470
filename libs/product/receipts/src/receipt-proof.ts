import type { OperationCopy } from '@app/conversations';
import { isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import { entryBytes, isIncluded, leafHash, parsePath, toBase64 } from '@app/transparency';
import type { Checkpoint, TrustPolicy } from '@app/transparency';
import { entryOf } from './receipt-bytes';
import { demandsOf, instantIn, openReceiptCheckpoint, uncheckedBy } from './receipt-checkpoint';
import type { Found, ReceiptCheckpoint, ReceiptFinding, ReceiptProblem } from './receipt-report';
import { problemOf } from './receipt-rules';
import type { ReceiptEvent } from './receipt.schema';

/** A proof from a receipt, with every member checked for its type. */
interface ReadProof {
  readonly checkpoint: string | null;
  readonly inclusions: readonly (JsonObject | null)[];
}

export type ProofFound = Found & { readonly checkpoint: ReceiptCheckpoint | null };

/** Returns the findings about a receipt's `proof`: that its events are in the log, under the keys of the policy. */
export function proofFound(proof: unknown, events: readonly ReceiptEvent[], policy: TrustPolicy | null): ProofFound {
  if (proof === null) return missing('/proof', 'is missing: nothing proves that these events are in the log', policy);
  const read = readProof(proof, events.length);
  if (read === null) return wrong('/proof', 'is no proof of these events', policy);
  if (read.checkpoint === null)
    return missing(
      '/proof/checkpoint',
      'is missing: no checkpoint of the log covered these events yet; get the receipt again',
      policy,
    );
  const opened = openReceiptCheckpoint(read.checkpoint, policy);
  if (typeof opened === 'string') return wrong('/proof/checkpoint', opened, policy);
  const included = inclusionsFound(read, events, opened, policy);
  return {
    problems: [...included.problems, ...opened.problems],
    proven: [...included.proven, ...opened.proven],
    unproven: included.unproven,
    unchecked: opened.unchecked,
    checkpoint: {
      origin: opened.origin,
      size: opened.size,
      root: toBase64(opened.root),
      witnesses: opened.cosignatures.map(({ witness, seconds }) => ({ name: witness, at: instantIn(seconds) })),
    },
  };
}

function wrong(path: string, message: string, policy: TrustPolicy | null): ProofFound {
  const problems = [problemOf(path, message)];
  return { problems, proven: [], unproven: [], unchecked: uncheckedBy(policy), checkpoint: null };
}

/** A problem if the policy demands the proof, otherwise a claim that is not proven. */
function missing(path: string, message: string, policy: TrustPolicy | null): ProofFound {
  if (demandsOf(policy).inclusion) return wrong(path, message, policy);
  const unproven: ReceiptFinding = {
    aspect: 'inclusion',
    text: `That these events are in the log: ${path} ${message}.`,
  };
  return { problems: [], proven: [], unproven: [unproven], unchecked: uncheckedBy(policy), checkpoint: null };
}

/** Reads a proof; null unless every member is of its type, because a member that is skipped here is never verified. */
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

function inclusionsFound(
  { inclusions }: ReadProof,
  events: readonly ReceiptEvent[],
  checkpoint: Checkpoint,
  policy: TrustPolicy | null,
): Omit<Found, 'unchecked'> {
  const { inclusion: isDemanded, signature } = demandsOf(policy);
  const uncovered = events.flatMap((event, nth) => (inclusions[nth] === null ? [placeOf(event, nth)] : []));
  const problems = [
    ...placesFound(inclusions, events, checkpoint),
    ...(isDemanded
      ? uncovered.map((at) => ({
          ...at,
          message: 'is missing: the checkpoint does not cover the event yet; get the receipt again',
        }))
      : []),
  ];
  const count = events.length - uncovered.length;
  const { origin, size } = checkpoint;
  const where = signature ? `are in the log ${origin}` : `lead to the root that is said to be that of ${origin}`;
  const text = `${count} of ${events.length} events ${where}, up to its checkpoint of ${size} events.`;
  return {
    problems,
    proven: problems.length === 0 && count > 0 ? [{ aspect: 'inclusion', text }] : [],
    unproven: isDemanded ? [] : uncovered.map(uncoveredFinding),
  };
}

function uncoveredFinding({ stream, revision }: Place): ReceiptFinding {
  return {
    aspect: 'inclusion',
    text: `That event ${revision} of ${stream} is in the log: the checkpoint does not cover it yet; get the receipt again.`,
  };
}

type Place = Omit<ReceiptProblem, 'message'> & Pick<ReceiptEvent, 'stream' | 'revision'>;

function placeOf({ stream, revision }: ReceiptEvent, nth: number): Place {
  return { path: pointerTo('proof', 'inclusions', nth), stream, revision };
}

/** Copies into a conversation are last in a receipt, and may have been made before the operation ended. */
const copies: ReadonlySet<string> = new Set<OperationCopy['type']>(['operation.submitted', 'settlement.updated']);

/**
 * Returns problems for the inclusions that are present and do not hold. The log has a receipt's events in their order: an approval was
 * opened and decided before it was used, whatever the events say of the time.
 */
function placesFound(
  inclusions: ReadProof['inclusions'],
  events: readonly ReceiptEvent[],
  { size, root }: Checkpoint,
): ReceiptProblem[] {
  const ofStreams = new Map<string, number>();
  let last = -1;
  return events.flatMap((event, nth): ReceiptProblem[] => {
    const inclusion = inclusions[nth] ?? null;
    if (inclusion === null) return [];
    const at = placeOf(event, nth);
    const { index, path, ...others } = inclusion;
    const hashes = isTexts(path) ? parsePath(path) : null;
    if (typeof index !== 'number' || hashes === null || Object.keys(others).length > 0)
      return [{ ...at, message: 'is no place in the log' }];
    const before = ofStreams.get(event.stream) ?? -1;
    ofStreams.set(event.stream, index);
    const isInOrder = copies.has(event.type) || index > last;
    last = Math.max(last, index);
    const isIn = isIncluded(leafHash(entryBytes(entryOf(event))), index, size, hashes, root);
    if (!isIn) return [{ ...at, message: 'does not lead to the root of the checkpoint' }];
    if (index <= before) return [{ ...at, message: 'is before an earlier event of its stream' }];
    return isInOrder ? [] : [{ ...at, message: 'is before what must have come first' }];
  });
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
