import { verifierKeyText, type VerifierKey } from '@app/transparency';
import { isCovered, wasCovered, type StoredBytes } from '../log/covered-events';
import { align, type Unmatched } from './alignment';
import { judge, selfNamed, type Claim, type Judged, type SignedTree, type Trust } from './claims';
import { differencesIn } from './differences';
import type { HiddenEvents } from './hidden-from-streams';
import type { KeptLog } from './kept-log';
import { KeptTree, RebuiltTree } from './rebuilt-tree';
import { leafOfEvent, textOfHash, type Leaf } from './leaf';
import {
  blame,
  contradiction,
  differenceProblems,
  hiddenProblem,
  leafProblem,
  tileProblems,
  treeProblem,
  type Findings,
  type Problem,
} from './report';
import { vouchingOf } from './vouching';

/** The data to verify. */
export interface Subject {
  readonly kept: KeptLog;
  /** Every event of the store, in order, with its stored bytes; null to verify only the log. */
  readonly stored: AsyncIterable<StoredBytes> | null;
  /** Events that reads of single streams do not show; null if streams cannot be read. */
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
 * Hashes every event again, rebuilds the tree, and compares both with what the log keeps and with everything that it
 * ever signed. Keeps in memory a window of the events and the root of each checkpoint. Throws Unavailable.
 */
export async function verifyLog(subject: Subject, trust: Trust, onProgress: OnProgress): Promise<Findings> {
  const isSelfNamed = trust.log.length === 0;
  const own = { ...subject, claims: subject.claims.filter(({ isFormer }) => isFormer !== true) };
  const keys = isSelfNamed ? keysOf(own) : trust.log;
  // Anyone who can write the checkpoints' stream can name any key there, so a former log's key is trusted only if the
  // auditor gave it.
  const { signed, problems } = judgeAll(subject.claims, { ...trust, log: keys }, formerKeys(subject));
  const kept = new KeptTree(subject.kept, signed);
  const isOverEvents = subject.stored !== null;
  const walk = isOverEvents
    ? await compare(subject, kept, new RebuiltTree(signed), onProgress)
    : await walkLog(subject, kept, onProgress);
  const { holds, absent } = walk;
  const hidden = await hiddenProblems(subject);
  const witnessed = signed.findLast(({ size, isWitnessed }) => isWitnessed && size <= holds);
  return {
    problems: [...problems, ...walk.problems, ...hidden.problems, ...tileProblems(kept.wrong)],
    beyond: walk.beyond + hidden.beyond,
    checkpoints: signed.filter(({ size, isFormer }) => size <= holds && !isFormer).length,
    proven: holds,
    witnessed: witnessed?.size ?? 0,
    unwitnessed: witnessed === undefined ? trust.needed : 0,
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

/** The keys named by the log; each must have signed one of the checkpoints. */
function keysOf({ claims, ownKeys }: Pick<Subject, 'claims' | 'ownKeys'>): VerifierKey[] {
  const known = new Map<string, VerifierKey>();
  for (const { note } of claims) {
    const open = ownKeys.filter((text) => !known.has(text));
    if (open.length === 0) break;
    for (const key of selfNamed(note, open)) known.set(verifierKeyText(key), key);
  }
  return [...known.values()];
}

/** The keys of the logs that this one was copied from; the trees that they signed must match the events too. */
function formerKeys({ claims, ownKeys }: Subject): VerifierKey[] {
  return keysOf({ claims: claims.filter(({ isFormer }) => isFormer === true), ownKeys });
}

function judgeAll(
  claims: readonly Claim[],
  policy: Trust,
  former: readonly VerifierKey[],
): { signed: SignedTree[]; problems: Problem[] } {
  const judged = claims.map((claim) => {
    const found = claim.isFormer === true ? judgeFormer(claim, policy, former) : judge(claim, policy);
    return { claim, ...found, ...(claim.isOfOtherLeaves === true && { tree: null }) };
  });
  const problems = judged.flatMap(({ claim, problems: found }) =>
    found.map((says): Problem => ({ kind: 'checkpoint', ...placeIn(claim.where), says: `${claim.where} ${says}` })),
  );
  const trees = judged.flatMap(({ tree }) => tree ?? []);
  return { signed: trees.sort((one, other) => one.size - other.size), problems };
}

/** Judges a former log's checkpoint: a proof only if its key is trusted; its witnesses vouch only for that log. */
function judgeFormer(claim: Claim, policy: Trust, former: readonly VerifierKey[]): Judged {
  const trusted = judge(claim, policy);
  const isFormer = trusted.tree === null;
  const { tree, problems } = isFormer ? judge(claim, { ...policy, log: former }) : trusted;
  return { tree: tree && { ...tree, isWitnessed: false, isFormer }, problems };
}

/** Stream and revision, if the text names an event of the checkpoints' own stream. */
function placeIn(where: string): { readonly stream: string | null; readonly revision: number | null } {
  const [, revision, stream = null] = /^revision (\d+) of (\S+)$/.exec(where) ?? [];
  return { stream, revision: revision === undefined ? null : Number(revision) };
}

/** The result of going through the leaves. */
interface Walk {
  /** Over the stored events or, if only the log is verified, over its leaves. */
  readonly tree: RebuiltTree;
  /** The size of the largest signed tree that matches the events or the log's leaves of them. */
  readonly holds: number;
  /** Number of those events that are not stored unchanged. */
  readonly absent: number;
  /** Number of leaves that the log keeps, if they match what was signed but are not all of it; else null. */
  readonly building: number | null;
  readonly problems: readonly Problem[];
  readonly beyond: number;
}

/** Problems for each stream that hides events from reads. */
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
  // The log's leaves derive from the events, so leaves that are not built yet are no problem.
  const isBehind = kept.tree.isShort && (stored === null || kept.tree.holds > tree.holds);
  const ofLog = isBehind ? null : kept.tree.departure();
  const named = differenceProblems(differencesIn(unmatched, subject.kept.coveredUpTo), blame(stored, ofLog));
  // If the log's own leaves match what was signed, the differences from them are the complete answer.
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
 * Proven up to the largest signed tree that the stored events match or, if that reaches further, the log's leaves
 * match: events that are stored as these leaves say are proven, whatever happened to the others.
 */
function provenBy(stored: RebuiltTree, kept: RebuiltTree, unmatched: Unmatched): Pick<Walk, 'holds' | 'absent'> {
  if (kept.holds <= stored.holds) return { holds: stored.holds, absent: 0 };
  const absent = unmatched.kept.filter(({ at }) => at < kept.holds).length + unmatched.keptBeyond;
  // A store that has none of the events proves nothing.
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

/** The leaves that an older version made of the server's own events; read only once such an event appears. */
async function systemLeaves(kept: KeptLog): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { hash, entry } of kept.leaves())
    if (entry !== null && wasCovered(entry)) found.add(textOfHash(hash));
  return found;
}
