/**
 * Proofs that hold, and proofs that a verifier must refuse: one table for our verifiers in TypeScript and Python and for the one in Go
 * (docs/audit.md, "Proofs to refuse").
 */
import { TestLog } from '@app/testing/logs';
import { otherKey, witnessKey } from '@app/testing/transparency';
import {
  cosign,
  noteText,
  parseNote,
  signatureLine,
  signatureOf,
  signingKey,
  toBase64,
  utf8,
  verifierKeyText,
} from '@app/transparency';

interface Case {
  readonly name: string;
  readonly holds: boolean;
}
export interface InclusionCase extends Case {
  readonly kind: 'inclusion';
  readonly entry: string;
  readonly index: unknown;
  readonly size: unknown;
  readonly path: unknown;
  readonly root: string;
}
export interface ConsistencyCase extends Case {
  readonly kind: 'consistency';
  readonly oldSize: unknown;
  readonly oldRoot: string;
  readonly newSize: unknown;
  readonly newRoot: string;
  readonly path: unknown;
}
export interface CheckpointCase extends Case {
  readonly kind: 'checkpoint';
  readonly note: string;
  readonly keys: readonly string[];
  readonly witnesses: readonly string[];
  readonly needed: number;
}
export type ProofCase = InclusionCase | ConsistencyCase | CheckpointCase;

const log = TestLog.create('parley/table');
const sizes = [1, 2, 3, 7, 8, 9, 21];
const texts = (hashes: readonly Uint8Array[]): string[] => hashes.map(toBase64);
const junk = toBase64(new Uint8Array(32).fill(7));

export function proofTable(): ProofCase[] {
  return [...inclusions(), ...consistencies(), ...checkpoints()];
}

function inclusions(): InclusionCase[] {
  const whole = (index: number, size: number): InclusionCase => ({
    kind: 'inclusion',
    name: `leaf ${index} of ${size}`,
    holds: true,
    entry: toBase64(utf8(`entry ${index}`)),
    index,
    size,
    path: texts(log.inclusion(index, size)),
    root: toBase64(log.root(size)),
  });
  const all = sizes.flatMap((size) => Array.from({ length: size }, (_, index) => whole(index, size)));
  return [...all, ...all.flatMap(badInclusions)];
}

function badInclusions(whole: InclusionCase): InclusionCase[] {
  const { name, index, size, path } = whole as InclusionCase & { index: number; size: number; path: string[] };
  const bad = (what: string, changes: Partial<InclusionCase>): InclusionCase => ({
    ...whole,
    ...changes,
    name: `${name}: ${what}`,
    holds: false,
  });
  return [
    bad('a negative index', { index: index === 0 ? -1 : -index }),
    bad('an index counted from the end', { index: index - size }),
    bad('an index beyond the tree', { index: size }),
    bad('an index far beyond the tree', { index: index + 2 ** 40 }),
    bad('an index that is no number', { index: String(index) }),
    bad('an index that is a fraction', { index: index + 0.5 }),
    bad('an index that is a list', { index: [index] }),
    bad('no index', { index: null }),
    ...(size === 1 ? [] : [bad('the index of another leaf', { index: (index + 1) % size })]),
    bad('another entry', { entry: toBase64(utf8('entry x')) }),
    bad('the hash of the entry in its place', { entry: junk }),
    bad('a surplus node at the leaf', { path: [junk, ...path] }),
    bad('a surplus node at the root', { path: [...path, junk] }),
    bad('64 nodes', { path: [...path, ...Array.from({ length: 64 }, () => junk)] }),
    ...(path.length === 0 ? [] : [bad('a node too few', { path: path.slice(1) }), bad('no nodes', { path: [] })]),
    ...(path.length === 0 ? [] : [bad('another node', { path: path.with(0, junk) })]),
    bad('a node of 31 bytes', { path: [...path.slice(1), toBase64(new Uint8Array(31))] }),
    bad('a node that is no base64', { path: [...path.slice(1), `${junk.slice(0, -2)}-=`] }),
    bad('a node that is null', { path: [...path.slice(1), null] }),
    bad('no path', { path: null }),
    bad('a path that is a text', { path: path.join('') || junk }),
    bad('another root', { root: junk }),
    bad('a size of nothing', { size: 0 }),
    bad('a negative size', { size: -size }),
  ];
}

function consistencies(): ConsistencyCase[] {
  const pairs = sizes.flatMap((newer) =>
    sizes.filter((older) => older <= newer).map((older) => [older, newer] as const),
  );
  const all = pairs.map(([older, newer]): ConsistencyCase => ({
    kind: 'consistency',
    name: `${older} to ${newer}`,
    holds: true,
    oldSize: older,
    oldRoot: toBase64(log.root(older)),
    newSize: newer,
    newRoot: toBase64(log.root(newer)),
    path: texts(log.path(older, newer)),
  }));
  return [...all, ...all.flatMap(badConsistencies)];
}

function badConsistencies(whole: ConsistencyCase): ConsistencyCase[] {
  const { name, oldSize, newSize, path } = whole as ConsistencyCase & {
    oldSize: number;
    newSize: number;
    path: string[];
  };
  const bad = (what: string, changes: Partial<ConsistencyCase>): ConsistencyCase => ({
    ...whole,
    ...changes,
    name: `${name}: ${what}`,
    holds: false,
  });
  const forked = log.forkedAt(0);
  return [
    bad('a surplus node first', { path: [junk, ...path] }),
    bad('a surplus node last', { path: [...path, junk] }),
    bad('64 nodes', { path: [...path, ...Array.from({ length: 64 }, () => junk)] }),
    ...(path.length === 0 ? [] : [bad('a node too few', { path: path.slice(0, -1) }), bad('no nodes', { path: [] })]),
    ...(path.length === 0 ? [] : [bad('another node', { path: path.with(-1, junk) })]),
    bad('a node of 31 bytes', { path: [...path.slice(1), toBase64(new Uint8Array(31))] }),
    bad('no path', { path: null }),
    bad('another old root', { oldRoot: junk }),
    bad('another new root', { newRoot: junk }),
    bad('a fork', { newRoot: toBase64(forked.root(newSize)), path: texts(forked.path(oldSize, newSize)) }),
    bad('a negative old size', { oldSize: -oldSize }),
    bad('an old size that is a text', { oldSize: String(oldSize) }),
    bad('a smaller new size', { newSize: oldSize - 1 }),
    bad('a new size that is a fraction', { newSize: newSize + 0.5 }),
  ];
}

const size = 9;
const text = parseNote(log.note(size))!.text;
const cosigned = signatureLine(cosign(witnessKey, text, 1_790_000_000));
const note = log.note(size) + cosigned;

function checkpoints(): CheckpointCase[] {
  const keys = [log.verifierKey];
  const witnesses = [verifierKeyText(witnessKey)];
  const good = { kind: 'checkpoint', name: 'a checkpoint', holds: true, note, keys, witnesses, needed: 1 } as const;
  const bad = (name: string, changed: string): CheckpointCase => ({ ...good, name, note: changed, holds: false });
  const resigned = (changed: string): string =>
    noteText({ text: changed, signatures: [signatureOf(log.key, changed)] }) +
    signatureLine(cosign(witnessKey, changed, 1_790_000_000));
  const namesake = signingKey('witness', witnessKey.name, new Uint8Array(32).fill(8));
  const forged = { ...cosign(namesake, text, 1_790_000_000), keyId: witnessKey.id };
  return [
    good,
    { ...good, name: 'a checkpoint with lines of others', note: note + signatureLine(signatureOf(otherKey, text)) },
    bad('another size', note.replace(`\n${size}\n`, `\n${size + 1}\n`)),
    bad('a size with a zero before', resigned(text.replace(`\n${size}\n`, `\n0${size}\n`))),
    bad('a negative size', resigned(text.replace(`\n${size}\n`, `\n-${size}\n`))),
    bad('a size with a sign', resigned(text.replace(`\n${size}\n`, `\n+${size}\n`))),
    bad('a root of 31 bytes', resigned(text.replace(/\n[^\n]+\n$/, `\n${toBase64(new Uint8Array(31))}\n`))),
    bad('an extension line', resigned(`${text}more\n`)),
    bad('another origin', resigned(text.replace('parley/table', 'parley/other'))),
    bad('no signature of the log', `${text}\n${cosigned}`),
    bad('a signature of another key of that name', log.withKey().note(size) + cosigned),
    bad(
      'another signature under the id of the key',
      noteText({ text, signatures: [{ ...signatureOf(otherKey, text), name: log.key.name, keyId: log.key.id }] }) +
        cosigned,
    ),
    bad('no signatures', text),
    bad('a line that is no signature', `${note}nothing\n`),
    bad('a last line that does not end', note.slice(0, -1)),
    bad('lines that end as on Windows', note.replaceAll('\n', '\r\n')),
    bad('no cosignature', log.note(size)),
    bad(
      'a cosignature of another text',
      log.note(size) + signatureLine(cosign(witnessKey, `${text}x\n`, 1_790_000_000)),
    ),
    bad('a cosignature of a namesake', log.note(size) + signatureLine(cosign(namesake, text, 1_790_000_000))),
    bad('another cosignature under the id of the witness', log.note(size) + signatureLine(forged)),
    bad(
      'a signature without a time by the witness',
      log.note(size) + signatureLine({ ...signatureOf(witnessKey, text) }),
    ),
    {
      ...good,
      name: 'fewer witnesses than needed',
      witnesses: [...witnesses, verifierKeyText(namesake)],
      needed: 2,
      holds: false,
    },
  ];
}
