import type { HiddenEvents } from './hidden-from-streams';
import type { Differences } from './differences';
import type { Departure, WrongTile } from './rebuilt-tree';
import { fromWords, unvouchedWords, type Vouching } from './vouching';

/** A problem that the verification found. */
export interface Problem {
  readonly kind: 'altered' | 'removed' | 'added' | 'moved' | 'hidden' | 'unreadable' | 'checkpoint' | 'tile' | 'tree';
  /** Stream and revision of the event that it is about, as the log has them. */
  readonly stream: string | null;
  readonly revision: number | null;
  readonly says: string;
}

/** The findings of a verification. */
export interface Findings extends Vouching {
  readonly problems: readonly Problem[];
  /** Number of differing leaves that are not listed, because there are too many. */
  readonly beyond: number;
  /** Number of signed trees that prove it. */
  readonly checkpoints: number;
  /** The size of the largest signed tree that matches the events (or the log, if only the log was verified). */
  readonly proven: number;
  /** Number of those events that are not stored unchanged; the log's leaves prove the others. */
  readonly absent: number;
  /** Number of leaves in tables that are being rebuilt up to what was signed; null if they are complete. */
  readonly building: number | null;
  /** The size up to which witnesses confirm it too. */
  readonly witnessed: number;
  /** Number of witnesses whose signatures were demanded, if no checkpoint that holds has so many; otherwise 0. */
  readonly unwitnessed: number;
  /** Number of events, or leaves, after those. */
  readonly uncovered: number;
  readonly isOverEvents: boolean;
  readonly isOverEntries: boolean;
  /** Public keys. */
  readonly keys: readonly string[];
  /** Whether the keys were taken from the log itself. */
  readonly isSelfNamed: boolean;
}

export type Blamed = 'store' | 'log' | 'either';

/** Blames the side whose tree does not match the signed root. */
export function blame(stored: Departure | null, kept: Departure | null): Blamed {
  if (stored !== null && kept !== null) return 'either';
  return kept === null ? 'store' : 'log';
}

/** The differences as problems, in words. */
export function differenceProblems({ differences }: Differences, blamed: Blamed): Problem[] {
  return differences.map((one): Problem => {
    if (one.kind === 'unreadable') return leafProblem(one.index);
    const { kind, stream, revision } = one;
    const parts = kind === 'altered' || kind === 'moved' ? one.parts.join(', ') : '';
    const to = kind === 'moved' ? whither(stream, revision, one.to) : '';
    const happened = { altered: `${parts} altered`, removed: 'removed', added: 'added', moved: `moved ${to}` }[kind];
    const as = kind === 'moved' && parts !== '' ? `, ${parts} altered` : '';
    return { kind, stream, revision, says: `${happened}${as}${whose[blamed]}` };
  });
}

/** A leaf of the log at that index that is not a valid entry, or not the next one. */
export function leafProblem(index: number): Problem {
  const says = `leaf ${index} of the log names no event, or one before it is missing`;
  return { kind: 'unreadable', stream: null, revision: null, says };
}

const whose: Readonly<Record<Blamed, string>> = {
  store: '',
  log: ' in what the log keeps; the stored event is what was signed',
  either: ' in the store or in what the log keeps; neither is what was signed',
};

function whither(stream: string, revision: number, to: { stream: string; revision: number }): string {
  if (to.stream === stream && to.revision === revision) return 'to another place in the order of all events';
  return `to revision ${to.revision} of ${to.stream}`;
}

/** Problems for tiles that do not match the log's own leaves. */
export function tileProblems(wrong: readonly WrongTile[]): Problem[] {
  return wrong.flatMap(({ path, leaves }): Problem[] => {
    if (leaves.length === 0) return [tileProblem(null, null, `tile ${path} of the log is altered or missing`)];
    return leaves.map(({ entry, at }) =>
      tileProblem(
        entry?.stream ?? null,
        entry?.revision ?? null,
        `tile ${path} of the log has another hash for leaf ${at}`,
      ),
    );
  });
}

function tileProblem(stream: string | null, revision: number | null, says: string): Problem {
  return { kind: 'tile', stream, revision, says };
}

/** A tree that does not match what was signed. */
export function treeProblem(of: string, { after, by }: Departure, size: number): Problem {
  if (by.size > size) {
    const says = `${of} end after ${size}, and the checkpoint at ${by.where} is of ${by.size}: the newest were taken away`;
    return { kind: 'tree', stream: null, revision: null, says };
  }
  const from = after === 0 ? 'from the first one on' : `from leaf ${after} on`;
  const says = `${of} up to leaf ${by.size} are not what the checkpoint at ${by.where} says: they depart from it ${from}`;
  return { kind: 'tree', stream: null, revision: null, says };
}

/** Stored events that are hidden from readers of their stream, so that the folded state is not what is proven. */
export function hiddenProblem({ stream, first, last, why }: HiddenEvents): Problem {
  const how = {
    tombstoned: 'the stream was deleted for good',
    deleted: 'the stream was deleted',
    truncated: 'the stream was truncated ($tb, $maxCount or $maxAge)',
  }[why];
  const upTo = last === first ? '' : ` up to revision ${last}`;
  const says = `hidden${upTo} from everybody who reads the stream: ${how}`;
  return { kind: 'hidden', stream, revision: first, says };
}

/** A signed tree that a larger signed tree does not begin with. */
export function contradiction(where: string): Problem {
  const says = `the checkpoint at ${where} is of another history than a later one: the log signed both`;
  return { kind: 'tree', stream: null, revision: null, says };
}

/**
 * The last line, with the verdict: that something is wrong, or what is proven and since when; then what is not proven,
 * and how to prove it.
 */
export function lastLine(findings: Findings): string {
  const { problems, beyond, proven, checkpoints, unwitnessed } = findings;
  const wrong = problems.length + beyond;
  const subject = findings.isOverEvents ? 'events are, byte for byte and in their order,' : 'leaves of the log are';
  const proof =
    proven === 0
      ? 'nothing'
      : `${countInWords(findings)} ${subject} what ${checkpoints} signed ${checkpoints === 1 ? 'checkpoint says' : 'checkpoints say'}${fromWords(findings)}${witnessedInWords(findings)}`;
  const found = `WRONG: ${wrong} ${wrong === 1 ? 'thing' : 'things'}, named above`;
  const few = `NOT WITNESSED: no checkpoint that holds has the signatures of ${unwitnessed} of the trusted witnesses, as was demanded`;
  const soFar =
    wrong > 0 ? `${found}; as far as signed checkpoints hold` : unwitnessed > 0 ? `${few}; by the log alone` : 'PROVEN';
  const verdict = `${soFar}: ${proof}`;
  return `${verdict}. NOT PROVEN: ${openQuestions(findings).join('; ')}.`;
}

function countInWords({ proven, absent }: Findings): string {
  return absent === 0 ? `the first ${proven}` : `${proven - absent} of the first ${proven}`;
}

function witnessedInWords({ witnessed }: Findings): string {
  return witnessed === 0 ? '' : `, and enough witnesses up to ${witnessed}`;
}

function openQuestions(findings: Findings): string[] {
  const { isOverEvents, isOverEntries, isSelfNamed, uncovered, proven, keys } = findings;
  const open: string[] = [];
  if (!isOverEvents) open.push('what is stored, since only the log was read');
  if (!isOverEvents && !isOverEntries) open.push('which events the leaves are of, since no entries were read');
  const what = isOverEvents ? 'events' : 'leaves';
  if (findings.building !== null)
    open.push(
      `that the database keeps the log: it has ${findings.building} leaves, and is being built again from the events, or was cut`,
    );
  if (uncovered === 1) open.push(`the last of the ${what}, which no checkpoint covers as it is`);
  if (uncovered > 1) open.push(`the last ${uncovered} ${what}, which no checkpoint covers as they are`);
  if (isSelfNamed && keys.length > 0)
    open.push(`that ${keys.join(' and ')} is the log's key: the log itself says so (--key)`);
  open.push(...unvouchedWords(findings, proven));
  return open;
}
