import { isJsonObject, type JsonValue } from '@app/kernel';
import { fromBase64 } from './bytes';
import { entryBytes, parseEntry, type LogEntry } from './entry';
import { isConsistent, isIncluded, leafHash, type Hash } from './merkle';
import { isNoteSignedBy, parseNote } from './note';
import { openCheckpoint, type TrustedCheckpoint, type TrustPolicy } from './policy';
import { parsePath } from './proof';

/** The first line of a certificate's text. It keeps certificates apart from checkpoints, whose second line is a size. */
const firstLine = 'parley-erasure/1';

/** The statement of a deployment about the erasure of a user. It has no words of the user, and none of an operator. */
export interface ErasureStatement {
  /** The origin that names the log. */
  readonly log: string;
  readonly userId: string;
  readonly requestedAt: string;
  readonly keysDestroyedAt: string;
  readonly purgedAt: string;
  readonly certifiedAt: string;
  /** How many keys were destroyed, by what they were for. */
  readonly keys: { readonly user: number; readonly conversations: number; readonly identities: number };
  /** Financial operations that were not over when the keys were destroyed. */
  readonly operationsInFlight: number;
  /** How many rows and files were removed, by kind. */
  readonly purged: { readonly [kind: string]: number };
  /** `rewritten`, or `vacuumed`: bytes of destroyed keys, wrapped, may stay in the file of the table until others take their place. */
  readonly keyTable: string;
  /** Events whose words cannot be opened any more. */
  readonly closedEvents: number;
  /** The checkpoint from before the keys were destroyed; null if there was none. */
  readonly before: string | null;
  /** A checkpoint that covers the events of the erasure. */
  readonly after: string;
  /** Proves, with hashes in base64, that the later tree begins with the earlier one. */
  readonly consistency: readonly string[];
  /** Entries of the erasure's own events, with their proofs up to `after`. */
  readonly events: readonly { readonly entry: LogEntry; readonly index: number; readonly path: readonly string[] }[];
}

/** Returns the text that the log's key signs. */
export function erasureText(statement: ErasureStatement): string {
  return `${firstLine}\n${JSON.stringify(statement)}\n`;
}

/** Returns the statement of a certificate without verifying its signature; null for a text of another form. */
export function parseErasure(note: string): ErasureStatement | null {
  const parsed = parseNote(note);
  return parsed && statementIn(parsed.text);
}

/** The result of verifying a certificate of erasure. */
export interface ErasureReport {
  /** Everything in it is as a key of the log signed it, and the log's checkpoints prove it. */
  readonly holds: boolean;
  /** The statement, as it was signed; null if it is none. */
  readonly statement: ErasureStatement | null;
  /** Plain sentences about what is wrong. */
  readonly problems: readonly string[];
}

const destruction = 'erasure.keys_destroyed';
/** Steps of an erasure that a certificate proves. */
const steps = ['erasure.requested', destruction, 'erasure.purged'];

/**
 * Verifies a certificate of erasure, offline: that a key of the log signed it, that the log has the erasure's events up to a checkpoint
 * that was signed as the policy demands, and that this checkpoint contains all of the one from before. It proves what the deployment
 * stated, and that its log was not rewritten for it; that no copy of a key is left, nothing can prove.
 * @param note the text of the certificate
 */
export function verifyErasure(note: string, policy: TrustPolicy): ErasureReport {
  const parsed = parseNote(note);
  const statement = parsed === null ? null : statementIn(parsed.text);
  if (parsed === null || statement === null) return refused('it is no certificate of erasure');
  const keys = policy.log.filter(({ name }) => name === statement.log);
  if (!keys.some((key) => isNoteSignedBy(parsed, key))) return refused('no trusted key of the log signed it');
  const problems = [...problemsOf(statement, policy)];
  return { holds: problems.length === 0, statement, problems };
}

function* problemsOf(statement: ErasureStatement, policy: TrustPolicy): Generator<string> {
  const after = openCheckpoint(statement.after, policy);
  if (typeof after === 'string' || after.origin !== statement.log) {
    yield 'the checkpoint from after it is none of the log';
    return;
  }
  if (!after.isWitnessed) yield 'too few witnesses signed the checkpoint from after it';
  if (statement.before !== null) yield* problemsBefore(statement, statement.before, after, policy);
  if (statement.keys.user < 1) yield 'it names no key of the user that was destroyed';
  yield* problemsOfEvents(statement, after);
}

function* problemsBefore(
  { log, consistency, events }: ErasureStatement,
  note: string,
  after: TrustedCheckpoint,
  policy: TrustPolicy,
): Generator<string> {
  const before = openCheckpoint(note, policy);
  const path = parsePath(consistency);
  if (typeof before === 'string' || before.origin !== log) yield 'the checkpoint from before it is none of the log';
  else if (path === null || !isConsistent(before, after, path))
    yield 'the later checkpoint does not contain all of the earlier one';
  else if (events.some(({ entry, index }) => entry.type === destruction && index < before.size))
    yield 'the checkpoint from before it is from after the keys were destroyed';
}

/** Each step must be in the log, in this order. */
function* problemsOfEvents({ userId, events }: ErasureStatement, after: TrustedCheckpoint): Generator<string> {
  let last = -1;
  for (const step of steps) {
    const event = events.find(({ entry }) => entry.type === step);
    if (event === undefined) {
      yield `it has no ${step}`;
      continue;
    }
    const { entry, index } = event;
    const path = parsePath(event.path);
    if (entry.stream !== `erasure-${userId}` || entry.revision <= last) yield `its ${step} is that of another erasure`;
    last = Math.max(last, entry.revision);
    if (path === null || !isIncluded(leafOf(entry), index, after.size, path, after.root))
      yield `its ${step} is not in the log`;
  }
}

function leafOf(entry: LogEntry): Hash {
  return leafHash(entryBytes(entry));
}

function refused(problem: string): ErasureReport {
  return { holds: false, statement: null, problems: [problem] };
}

/** The statement in a text; null for a text of another form. */
function statementIn(text: string): ErasureStatement | null {
  const [first, second = '', ...rest] = text.split('\n');
  if (first !== firstLine || rest.length !== 1 || rest[0] !== '') return null;
  const value = jsonIn(second);
  return isStatement(value) ? value : null;
}

function jsonIn(text: string): JsonValue {
  try {
    // Reason for the assertion: JSON.parse returns JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return null; // not JSON
  }
}

const texts = ['log', 'userId', 'requestedAt', 'keysDestroyedAt', 'purgedAt', 'certifiedAt', 'keyTable', 'after'];
const counts = ['operationsInFlight', 'closedEvents'];

function isStatement(value: unknown): value is ErasureStatement {
  if (!isJsonObject(value)) return false;
  const { keys, purged, before, consistency, events } = value;
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    counts.every((name) => isCount(value[name])) &&
    isCounts(keys, ['user', 'conversations', 'identities']) &&
    isCounts(purged, []) &&
    (before === null || typeof before === 'string') &&
    isTexts(consistency) &&
    Array.isArray(events) &&
    events.every(isProvenEvent)
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: unknown, needed: readonly string[]): boolean {
  if (!isJsonObject(value)) return false;
  return needed.every((name) => name in value) && Object.values(value).every(isCount);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && fromBase64(item) !== null);
}

function isProvenEvent(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value['entry'])) return false;
  // Reason for the assertion: an entry of another form has other bytes, which do not parse.
  const entry = value['entry'] as unknown as LogEntry;
  return isCount(value['index']) && isTexts(value['path']) && parseEntry(entryBytes(entry)) !== null;
}
