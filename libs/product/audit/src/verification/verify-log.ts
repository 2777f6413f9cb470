import { verifierKeyText, type VerifierKey } from '@app/transparency';
import { isCovered, wasCovered, type StoredBytes } from '../covered-events';
import { align, type Unmatched } from './alignment';
import { judge, selfNamed, type Claim, type Judged, type SignedTree, type Trust } from './claims';
import { differencesIn } from './differences';
import type { HiddenEvents } from './hidden-events';
import type { KeptLog } from './kept-log';
import { KeptTree } from './kept-tree';
import { leafOfEvent, textOfHash, type Leaf } from './leaf';
import { RebuiltTree } from './rebuilt-tree';
import {
  blame,
  contradiction,
  differenceProblems,
  hiddenProblem,
  leafProblem,
  tileProblems,
  treeProblem,
  witnessProblem,
  type Findings,
  type Problem,
} from './report';
import { vouchingOf } from './vouching';

/** What is verified. */
export interface Subject {
  readonly kept: KeptLog;
  /** Every event of the store, in its order, with the bytes that are stored; null to look at the log alone. */
  readonly stored: AsyncIterable<StoredBytes> | null;
  /** What reads of single streams do not show of them; null where they cannot be read. */
  readonly hidden?: AsyncIterable<HiddenEvents> | null;
  /** Checkpoints, wherever they were found. */
  readonly claims: readonly Claim[];
  /** Public keys that the log itself names. */
  readonly ownKeys: readonly string[];
}

type OnProgress = (leaves: number) => void;

const namedMax = 1_000;
const theLog = 'the leaves that the log keeps';
const theEvents = 'the stored events';

/**
 * Hashes every event again, builds the tree again, and compares both with what the log keeps and with everything that it ever signed.
 * Holds a window of the events at a time, and of each checkpoint its root. Throws Unavailable.
 */
export async function verifyLog(subject: Subject, trust: Trust, onProgress: OnProgress): Promise<Findings> {
  const isSelfNamed = trust.log.length === 0;
  const own = { ...subject, claims: subject.claims.filter(({ isFormer }) => isFormer !== true) };
  const keys = isSelfNamed ? keysOf(own) : trust.log;
  // Whoever can write the stream of the checkpoints can name any key there: a former log's key is trusted where the auditor gave it.
  const { signed, problems } = judgeAll(subject.claims, { ...trust, log: keys }, formerKeys(subject));
  const kept = new KeptTree(subject.kept, signed);
  const isOverEvents = subject.stored !== null;
  const walk = isOverEvents
    ? await compare(subject, kept, new RebuiltTree(signed), onProgress)
    : await walkLog(subject, kept, onProgress);
  const { holds, absent } = walk;
  const hidden = await hiddenProblems(subject);
  const witnessed = signed.findLast(({ size, isWitnessed }) => isWitnessed && size <= holds);
  const unwitnessed = trust.needed > 0 && witnessed === undefined ? [witnessProblem(trust.needed)] : [];
  return {
    problems: [...problems, ...walk.problems, ...hidden.problems, ...tileProblems(kept.wrong), ...unwitnessed],
    beyond: walk.beyond + hidden.beyond,
    checkpoints: signed.filter(({ size, isFormer }) => size <= holds && !isFormer).length,
    proven: holds,
    witnessed: witnessed?.size ?? 0,
    absent,
    building: walk.building,
    uncovered: Math.max(0, walk.tree.size + absent - holds),
    ...vouchingOf(signed, holds, walk.tree.size + absent),
    isOverEvents,
    isOverEntries: subject.kept.hasEntries,
    keys: keys.map(verifierKeyText),
    isSelfNamed,
  };
}

/** As the checkpoints name them: each must have signed one of them. */
function keysOf({ claims, ownKeys }: Pick<Subject, 'claims' | 'ownKeys'>): VerifierKey[] {
  const known = new Map<string, VerifierKey>();
  for (const { note } of claims) {
    const open = ownKeys.filter((text) => !known.has(text));
    if (open.length === 0) break;
    for (const key of selfNamed(note, open)) known.set(verifierKeyText(key), key);
  }
  return [...known.values()];
}

/** The keys of the logs that this one was copied from: what they signed has to be what the events are, whoever they were. */
function formerKeys({ claims, ownKeys }: Subject): VerifierKey[] {
  return keysOf({ claims: claims.filter(({ isFormer }) => isFormer === true), ownKeys });
}

function judgeAll(
  claims: readonly Claim[],
  policy: Trust,
  former: readonly VerifierKey[],
): { signed: SignedTree[]; problems: Problem[] } {
  const judged = claims.map((claim) => {
    return { claim, ...(claim.isFormer === true ? judgeFormer(claim, policy, former) : judge(claim, policy)) };
  });
  const problems = judged.flatMap(({ claim, problems: found }) =>
    found.map((says): Problem => ({ kind: 'checkpoint', ...placeIn(claim.where), says: `${claim.where} ${says}` })),
  );
  const trees = judged.flatMap(({ tree }) => tree ?? []);
  return { signed: trees.sort((one, other) => one.size - other.size), problems };
}

/** A checkpoint of a log that this one was copied from: a proof only where the auditor trusts its key. Witnesses of that log vouch for it alone. */
function judgeFormer(claim: Claim, policy: Trust, former: readonly VerifierKey[]): Judged {
  const trusted = judge(claim, policy);
  const isFormer = trusted.tree === null;
  const { tree, problems } = isFormer ? judge(claim, { ...policy, log: former }) : trusted;
  return { tree: tree && { ...tree, isWitnessed: false, isFormer }, problems };
}

/** The event of the checkpoints' own stream, where it is one. */
function placeIn(where: string): { readonly stream: string | null; readonly revision: number | null } {
  const [, revision, stream = null] = /^revision (\d+) of (\S+)$/.exec(where) ?? [];
  return { stream, revision: revision === undefined ? null : Number(revision) };
}

/** What going through the leaves came to. */
interface Walk {
  /** Over the stored events or, where they are not looked at, over what the log keeps. */
  readonly tree: RebuiltTree;
  /** The size of the largest signed tree that the events, or what the log keeps of them, come to. */
  readonly holds: number;
  /** How many of those events are not stored as they were. */
  readonly absent: number;
  /** Leaves that the log keeps, where they are what was signed and not all of it. */
  readonly building: number | null;
  readonly problems: readonly Problem[];
  readonly beyond: number;
}

/** Each stream of which reads do not show everything. */
async function hiddenProblems({ hidden = null }: Subject): Promise<Pick<Walk, 'problems' | 'beyond'>> {
  const problems: Problem[] = [];
  let beyond = 0;
  for await (const one of hidden ?? []) {
    if (problems.length < namedMax) problems.push(hiddenProblem(one));
    else beyond += 1;
  }
  return { problems, beyond };
}

async function walkLog({ kept }: Subject, tree: KeptTree, onProgress: OnProgress): Promise<Walk> {
  const problems: Problem[] = [];
  let [beyond, next] = [0, 0];
  for await (const { at, entry } of tree.leaves()) {
    const isWrong = at !== next || (kept.hasEntries && entry === null);
    next = at + 1;
    onProgress(next);
    if (!isWrong) continue;
    if (problems.length < namedMax) problems.push(leafProblem(at));
    else beyond += 1;
  }
  const { holds } = tree.tree;
  const found = [...problems, ...treeProblems(theLog, tree.tree)];
  return { tree: tree.tree, holds, absent: 0, building: null, problems: found, beyond };
}

async function compare(subject: Subject, kept: KeptTree, tree: RebuiltTree, onProgress: OnProgress): Promise<Walk> {
  const unmatched = await align(kept.leaves(), storedLeaves(subject, tree, onProgress));
  const stored = tree.departure();
  // What the log keeps follows from the events: that it is not there yet is nothing wrong.
  const isBehind = kept.tree.isShort && (stored === null || kept.tree.holds > tree.holds);
  const ofLog = isBehind ? null : kept.tree.departure();
  const named = differenceProblems(differencesIn(unmatched, subject.kept.coveredUpTo), blame(stored, ofLog));
  // Where the log's own leaves are what was signed, the differences from them say it all.
  const ofStore = named.length === 0 || ofLog !== null || stored === null ? treeProblems(theEvents, tree) : [];
  const ofLeaves = ofLog === null ? [] : [treeProblem(theLog, ofLog, kept.tree.size)];
  return {
    tree,
    ...provenBy(tree, kept.tree, unmatched),
    building: isBehind ? kept.tree.size : null,
    problems: [...named, ...ofStore, ...ofLeaves],
    beyond: unmatched.beyond,
  };
}

/**
 * As far as the stored events come to what was signed or, where that is further, the leaves that the log keeps of them: those that are
 * stored as these leaves say are proven, whatever became of the others.
 */
function provenBy(stored: RebuiltTree, kept: RebuiltTree, unmatched: Unmatched): Pick<Walk, 'holds' | 'absent'> {
  if (kept.holds <= stored.holds) return { holds: stored.holds, absent: 0 };
  const absent = unmatched.kept.filter(({ at }) => at < kept.holds).length + unmatched.keptBeyond;
  // Of a store that has none of them, nothing is proven.
  return absent < kept.holds ? { holds: kept.holds, absent } : { holds: stored.holds, absent: 0 };
}

function treeProblems(what: string, tree: RebuiltTree): Problem[] {
  const departure = tree.departure();
  const departs = departure === null ? [] : [treeProblem(what, departure, tree.size)];
  return [...tree.contradictions().map(({ where }) => contradiction(where)), ...departs];
}

async function* storedLeaves(subject: Subject, tree: RebuiltTree, onProgress: OnProgress): AsyncGenerator<Leaf> {
  let older: ReadonlySet<string> | null = null;
  for await (const event of subject.stored ?? []) {
    if (!isCovered(event) && !wasCovered(event)) continue;
    const leaf = leafOfEvent(event);
    if (!isCovered(event)) {
      older ??= await systemLeaves(subject.kept);
      if (!older.has(textOfHash(leaf.hash))) continue;
    }
    tree.add(leaf.hash);
    onProgress(tree.size);
    yield leaf;
  }
}

/** The leaves that an older version made of the server's own events; asked for once there is such an event. */
async function systemLeaves(kept: KeptLog): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { hash, entry } of kept.leaves())
    if (entry !== null && wasCovered(entry)) found.add(textOfHash(hash));
  return found;
}
