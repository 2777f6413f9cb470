import type { ApprovalHolderEvent } from '@app/approvals';
import { contractLimits } from '@app/consent';
import type { Recorded } from '@app/event-store';
import { isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import type { TrustPolicy } from '@app/transparency';
import { decodeHolderEvent, receiptOf } from './receipt';
import { readEvent, storedEventOf } from './receipt-bytes';
import { historyProblems } from './receipt-history';
import { parseExactJson } from './parts/receipt-json';
import { proofFound } from './receipt-proof';
import type { ContentsFound, ErasedMembers, ReceiptDemands } from './receipt-report';
import type { ReceiptFinding, ReceiptProblem, ReceiptReport } from './receipt-report';
import { problemOf } from './receipt-rules';
import type { ReceiptSource } from './parts/receipt-source';
import { unprovenWorths } from './receipt-submissions';
import { erasedIn, missingWords, reviewsKnown, unprovenWithout } from './receipt-words';
import type { Receipt } from './receipt.schema';

/** Further problems add no information. */
const problemsMax = 50;

/** More events than any receipt has (docs/audit.md, "A receipt"): 2,000 of an operation, and a few more. */
export const receiptEventsMax = 10_000;

/** Larger than any receipt: its events have a few kilobytes each. */
const receiptTextMax = 64 * 1024 * 1024;

/**
 * Verifies a receipt as `verifyReceipt` does, from its text. A text that other parsers read differently, because an object has a member
 * twice, does not hold; nor does one of more than 64 Mi characters.
 */
export function verifyReceiptText(
  text: string,
  policy: TrustPolicy | null = null,
  demands: ReceiptDemands = {},
): ReceiptReport {
  if (text.length > receiptTextMax) return refused([problemOf('', 'is larger than 64 MB: no receipt is')]);
  let document: JsonValue;
  try {
    document = parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return refused([problemOf('', error.message)]);
    throw error;
  }
  return verifyReceipt(document, policy, demands);
}

/**
 * Verifies a receipt, offline. The policy demands: with keys of the log, its signature; with `needed` witnesses, their signatures; with
 * either, that each event is in the log under them. A demanded part that is missing or malformed is a problem, so that `holds` is false;
 * parts that are not demanded are listed as `unchecked`. Words that the receipt does not reveal are a problem as well, unless `demands`
 * accept that they are erased: whoever passes a receipt on could leave them out.
 *
 * Checks first that the stored bytes have the stated hashes; that approval, review, decision, authority and operation follow exactly from
 * those events; that the events can be one history: the reviewed document hashes to the fingerprint, was decided once and in time, and
 * nothing else was used, sent and copied into the conversation. Then, by `proof`, that each event is in the log.
 */
export function verifyReceipt(
  document: unknown,
  policy: TrustPolicy | null = null,
  { acceptErased = false }: ReceiptDemands = {},
): ReceiptReport {
  if (!isJsonObject(document)) return refused([problemOf('', 'is not a receipt')]);
  const { events } = document;
  if (!Array.isArray(events)) return refused([problemOf('/events', 'is not a list')]);
  if (events.length > receiptEventsMax) return refused([problemOf('/events', `are more than ${receiptEventsMax}`)]);
  // Reason for the assertion: TypeScript loses the items' type in `isArray` of a readonly array.
  const read = (events as readonly JsonValue[]).map(readEvent);
  const broken = read.flatMap(({ problems }) => problems);
  if (broken.length > 0) return refused(broken);
  const bytes = read.flatMap((one) => one.bytes ?? []);
  const contents = contentsFound(document, bytes, acceptErased);
  const proof = proofFound(document['proof'] ?? null, events, policy);
  const problems = [...contents.problems, ...proof.problems].slice(0, problemsMax);
  return {
    holds: problems.length === 0,
    proven: [bytesFinding(bytes), ...contents.proven, ...proof.proven],
    unproven: [...contents.unproven, ...proof.unproven],
    unchecked: proof.unchecked,
    problems,
    erased: contents.erased,
    checkpoint: proof.checkpoint,
  };
}

function refused(problems: readonly ReceiptProblem[]): ReceiptReport {
  const nothing = { proven: [], unproven: [], unchecked: [], erased: [], checkpoint: null };
  return { ...nothing, holds: false, problems: problems.slice(0, problemsMax) };
}

function bytesFinding(events: readonly ReceiptSource[]): ReceiptFinding {
  const areWords = events.some(({ revealed = [] }) => revealed.length > 0);
  const words = areWords ? '; the words shown are those that are sealed in them' : '';
  return {
    aspect: 'bytes',
    text: `The stored bytes of ${events.length} events hash to what is said of them${words}.`,
  };
}

type Contents = ContentsFound & { readonly erased: readonly ErasedMembers[] };

/** Checks whether everything in the document follows from its events, and whether they can be one history. */
function contentsFound(document: JsonObject, bytes: readonly ReceiptSource[], acceptErased: boolean): Contents {
  try {
    const stored = bytes.map(storedEventOf);
    const decoded = stored.map(decodeHolderEvent);
    // Every further event is folded into all actions.
    if (!decoded.every(hasFewActions)) throw new RangeError('a contract has no list of a few actions');
    const receipt = receiptOf(bytes, null);
    if (lacksMember({ ...receipt, events: [] })) throw new RangeError('an event lacks a member');
    // Through JSON, as a client gets it: undefined members are absent.
    const expected = JSON.parse(JSON.stringify(receipt)) as JsonObject;
    const differing = differences(asOfItsTime(expected, document), document, '');
    const history = historyProblems(stored);
    const worths = unprovenWorths(decoded, receipt);
    const known = reviewsKnown(decoded);
    const erased = erasedIn(decoded);
    const hasAuthority = receipt.authority !== null && known.authority;
    return {
      problems: [...differing, ...history, ...(acceptErased ? [] : missingWords(decoded))],
      proven: [
        ...(differing.length === 0 ? [erased.length === 0 ? conclusions : conclusionsWithout] : []),
        ...(history.length === 0
          ? [known.subject ? historyHolds : historyWithout, ...(hasAuthority ? [authorityHolds(worths)] : [])]
          : []),
      ],
      unproven: [...unprovenOf(receipt), ...worths, ...(acceptErased ? unprovenWithout(decoded) : [])],
      erased,
    };
  } catch (error) {
    // The bytes have the stated hashes, but are no events of this product.
    const said = error instanceof Error ? error.message : 'unknown';
    return {
      problems: [problemOf('/events', `are not the events of an approval (${said})`)],
      proven: [],
      unproven: [],
      erased: [],
    };
  }
}

function hasFewActions({ event }: Recorded<ApprovalHolderEvent>): boolean {
  const contract: unknown = 'contract' in event ? event.contract : null;
  if (contract === null) return true;
  const actions = isJsonObject(contract) ? contract['actions'] : null;
  return Array.isArray(actions) && actions.length <= contractLimits.actionsMax;
}

/** Whether a value has a member that is undefined, because the event that states it lacks it. */
function lacksMember(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined;
  return Object.values(value).some(lacksMember);
}

const conclusions: ReceiptFinding = {
  aspect: 'conclusions',
  text: 'Approval, reviewed bytes, decision and operation are exactly what these events result in.',
};
const conclusionsWithout: ReceiptFinding = {
  aspect: 'conclusions',
  text: 'Apart from words that are not there, approval, decision and operation are exactly what these events result in.',
};
const historyHolds: ReceiptFinding = {
  aspect: 'history',
  text: 'The events can be one history: what was reviewed was decided once, in time, and they show nothing else that was done. Later events may exist.',
};

/** Nothing of what was reviewed. */
const historyWithout: ReceiptFinding = {
  aspect: 'history',
  text: 'The events can be one history: something was decided once, in time, and they show nothing else that was done. Later events may exist.',
};

/** Without the worths of what was sent, only the use that the contract counted is known to be within its bounds. */
function authorityHolds(unprovenWorths: readonly ReceiptFinding[]): ReceiptFinding {
  const use = unprovenWorths.length === 0 ? 'this use' : 'this use, as the contract counted it,';
  const text = `Its user had approved the automation's contract before; it allows exactly these actions, and ${use} is within its bounds.`;
  return { aspect: 'authority', text };
}

/** Claims that only events of other receipts could prove. */
function unprovenOf({ decision, authority }: Receipt): ReceiptFinding[] {
  if (authority !== null) {
    const text =
      'That earlier uses left room for this one, and that the contract was still in force, other events show.';
    return [{ aspect: 'authority', text }];
  }
  if (decision?.decidedBy !== 'automation_contract') return [];
  return [{ aspect: 'authority', text: "It does not hold the contract's own approval, which covered the call." }];
}

/** Members added to receipts later may be missing from earlier receipts if they would have been empty. */
function asOfItsTime(expected: JsonObject, document: JsonObject): JsonObject {
  const { authority, proof: _, ...others } = expected;
  // The proof itself is checked separately.
  const proof = 'proof' in document ? { proof: document['proof'] ?? null } : { proof: null };
  const dated = authority === null && !('authority' in document) ? others : { ...others, authority: authority ?? null };
  return { ...dated, ...proof, approval: approvalOfItsTime(dated['approval'], document['approval']) };
}

/** Approvals that were opened before terms existed have none; receipts of that time lack the member. */
function approvalOfItsTime(approval: JsonValue | undefined, given: JsonValue | undefined): JsonValue {
  if (!isJsonObject(approval) || !isJsonObject(given) || 'terms' in given) return approval ?? null;
  const { terms, ...others } = approval;
  return Array.isArray(terms) && terms.length === 0 ? others : approval;
}

/** Returns the places where a document differs from the expected one. */
function differences(expected: JsonValue, found: JsonValue | undefined, path: string): ReceiptProblem[] {
  if (found === undefined) return [problemOf(path, 'is missing')];
  const [wanted, given] = [membersOf(expected), membersOf(found)];
  if (wanted === null || given === null || Array.isArray(expected) !== Array.isArray(found)) {
    return expected === found ? [] : [problemOf(path, 'does not follow from the events')];
  }
  const unknown = [...given.keys()].filter((name) => !wanted.has(name));
  return [
    ...unknown.map((name) => problemOf(path + pointerTo(name), 'does not belong here')),
    ...[...wanted].flatMap(([name, value]) => differences(value, given.get(name), path + pointerTo(name))),
  ];
}

/** Returns the members of an object or the items of a list; null for any other value. */
function membersOf(value: JsonValue): Map<string, JsonValue> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}
