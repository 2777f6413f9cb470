/**
 * A caller that demands a key of the log, or witnesses, gets `holds: true` only if every event is proven under them. A generated matrix
 * plays every way in which a proof can be absent or malformed against every demand.
 */
import { seededRandom } from '@app/testing/journeys';
import { toBase64 } from '@app/transparency';
import { lineOf, namesake, policiesFor, proven, textOf, witness, type Proven, type WholeProof } from '../test/proven';
import { journeys, received } from '../test/histories';
import { verifyReceipt } from './receipt-verifier';

type Demand = keyof ReturnType<typeof policiesFor>;
const demands: readonly Demand[] = ['nothing', 'log', 'both', 'witness'];

/** The demands under which a receipt with this fault may still hold. */
const heldUnder = {
  /** Something is missing. */
  absent: ['nothing'],
  /** Something is present that is no proof. */
  malformed: [],
  unsigned: ['nothing', 'witness'],
  unwitnessed: ['nothing', 'log'],
} as const satisfies Record<string, readonly Demand[]>;
type Effect = keyof typeof heldUnder;

type Inclusion = WholeProof['inclusions'][number];

/** Faults of one event's proof. */
const ofEvent: readonly (readonly [string, Effect, (whole: Inclusion, size: number) => unknown])[] = [
  ['null', 'absent', () => null],
  ['no index', 'malformed', ({ path }) => ({ path })],
  ['no path', 'malformed', ({ index }) => ({ index })],
  ['a path of null', 'malformed', ({ index }) => ({ index, path: null })],
  ['an empty object', 'malformed', () => ({})],
  ['a list', 'malformed', () => []],
  ['false', 'malformed', () => false],
  ['a negative index', 'malformed', ({ index, path }) => ({ index: -index, path })],
  ['a negative index, counted from the end', 'malformed', ({ index, path }, size) => ({ index: index - size, path })],
  ['an index beyond the tree', 'malformed', ({ path }, size) => ({ index: size, path })],
  ['an index of the next power of two', 'malformed', ({ index, path }) => ({ index: index + 32, path })],
  ['an index that is too large to be exact', 'malformed', ({ path }) => ({ index: 2 ** 53, path })],
  ['an index that is a fraction', 'malformed', ({ index, path }) => ({ index: index + 0.5, path })],
  ['an index that is a text', 'malformed', ({ index, path }) => ({ index: String(index), path })],
  ['the index of the leaf before', 'malformed', ({ index, path }) => ({ index: index - 1, path })],
  ['the index of the leaf after', 'malformed', ({ index, path }) => ({ index: index + 1, path })],
  ['no nodes', 'malformed', ({ index }) => ({ index, path: [] })],
  ['a node too few', 'malformed', ({ index, path }) => ({ index, path: path.slice(1) })],
  ['a surplus node at the leaf', 'malformed', ({ index, path }) => ({ index, path: [path[0], ...path] })],
  ['a surplus node at the root', 'malformed', ({ index, path }) => ({ index, path: [...path, path[0]] })],
  ['64 nodes', 'malformed', ({ index, path }) => ({ index, path: Array.from({ length: 64 }, () => path[0]) })],
  ['nodes in another order', 'malformed', ({ index, path }) => ({ index, path: path.toReversed() })],
  ['a node of 31 bytes', 'malformed', ({ index, path }) => ({ index, path: path.with(0, shortened(path[0])) })],
  ['a node that is no base64', 'malformed', ({ index, path }) => ({ index, path: path.with(0, `${path[0]} `) })],
  ['a node of null', 'malformed', ({ index, path }) => ({ index, path: [null, ...path.slice(1)] })],
  ['a surplus member', 'malformed', (whole) => ({ ...whole, size: 1 })],
];

/** Faults of the parts that all events share. */
const ofProof: readonly (readonly [string, Effect, (whole: WholeProof, given: Proven) => unknown])[] = [
  ['null', 'absent', () => null],
  ['left out', 'malformed', () => undefined],
  ['without a checkpoint', 'absent', nothingProven],
  ['false', 'malformed', () => false],
  ['an empty text', 'malformed', () => ''],
  ['a list', 'malformed', () => []],
  ['an empty object', 'malformed', () => ({})],
  ['inclusions without a checkpoint', 'malformed', (whole) => ({ ...whole, checkpoint: null })],
  ['no inclusions', 'malformed', (whole) => ({ ...whole, inclusions: [] })],
  ['inclusions of null', 'malformed', (whole) => ({ ...whole, inclusions: null })],
  ['an inclusion too few', 'malformed', (whole) => ({ ...whole, inclusions: whole.inclusions.slice(1) })],
  ['a surplus inclusion', 'malformed', (whole) => ({ ...whole, inclusions: [...whole.inclusions, null] })],
  [
    'complete, which it is not',
    'malformed',
    (whole) => ({ ...whole, inclusions: whole.inclusions.with(0, null as never) }),
  ],
  ['incomplete, which it is not', 'malformed', (whole) => ({ ...whole, complete: false })],
  ['complete as a text', 'malformed', (whole) => ({ ...whole, complete: 'true' })],
  ['a surplus member', 'malformed', (whole) => ({ ...whole, note: '' })],
  ['an empty checkpoint', 'malformed', (whole) => ({ ...whole, checkpoint: '' })],
  ['a checkpoint that is a list', 'malformed', (whole) => ({ ...whole, checkpoint: [whole.checkpoint] })],
  ['a checkpoint without signatures', 'malformed', (whole) => ({ ...whole, checkpoint: textOf(whole.checkpoint) })],
  [
    'a checkpoint with a line that is none',
    'malformed',
    (whole) => ({ ...whole, checkpoint: `${whole.checkpoint}-\n` }),
  ],
  ['a checkpoint of a smaller tree', 'malformed', (whole, { log, size }) => ofTree(whole, log.note(size - 1))],
  ['a checkpoint of a larger tree', 'malformed', (whole, { log, size }) => ofTree(whole, log.note(size + 1))],
  ['a checkpoint of no leaves', 'malformed', (whole, { log }) => ofTree(whole, log.note(0))],
  [
    'another size over the same root',
    'malformed',
    (whole, { log, size }) => ofTree(whole, log.note(2 * size + 9, log.root(size))),
  ],
  ['another root', 'malformed', (whole, { log, size }) => ofTree(whole, log.note(size, log.root(size - 1)))],
  ['an extension line', 'malformed', (whole, { log, size }) => ofTree(whole, log.note(size, log.root(size), 'more\n'))],
  ['signed by another key of that name', 'unsigned', (whole, { log, size }) => ofTree(whole, log.withKey().note(size))],
  ['signed by the witness alone', 'unsigned', (whole) => ({ ...whole, checkpoint: onlyWitness(whole.checkpoint) })],
  ['not signed by the witness', 'unwitnessed', (whole, { log, size }) => ({ ...whole, checkpoint: log.note(size) })],
  [
    'signed by a namesake of the witness',
    'unwitnessed',
    (whole, { log, size }) => cosigned(whole, log.note(size), namesake),
  ],
];

function shortened(node = ''): string {
  return toBase64(Buffer.from(node, 'base64').subarray(1));
}

function nothingProven({ inclusions }: WholeProof): unknown {
  return { checkpoint: null, inclusions: inclusions.map(() => null), complete: false };
}

function ofTree(whole: WholeProof, note: string): unknown {
  return { ...whole, checkpoint: note + lineOf(note) };
}

function cosigned(whole: WholeProof, note: string, by: typeof witness): unknown {
  return { ...whole, checkpoint: note + lineOf(note, by) };
}

function onlyWitness(checkpoint: string): string {
  return `${textOf(checkpoint)}\n${lineOf(checkpoint)}`;
}

/** Nine events for the full figures; a decision and its opening suffice for a table, since each event is verified by itself. */
const full = process.env['FIGURES'] === 'full';
const given = proven(received((full ? journeys.settled() : journeys.denied()).events));
const { receipt, size } = given;
const whole = receipt.proof;
const policies = policiesFor(given);
const count = whole.inclusions.length;

/** Through JSON, as a reader gets it. */
const reportOf = (proof: unknown, demand: Demand) =>
  verifyReceipt(JSON.parse(JSON.stringify({ ...receipt, proof })), policies[demand]);

/** A proof in which these events have another inclusion. */
const withInclusions = (changed: ReadonlyMap<number, unknown>): unknown => {
  const inclusions = whole.inclusions.map((one, nth) => (changed.has(nth) ? changed.get(nth) : one));
  return { ...whole, inclusions, complete: inclusions.every((one) => one !== null) };
};

const worse = (one: Effect, other: Effect): Effect =>
  one === 'malformed' || other === 'malformed' ? 'malformed' : one;

it('holds where everything that is demanded is there, and lists what was not demanded as not checked', () => {
  for (const demand of demands) {
    const report = reportOf(whole, demand);
    expect([demand, report.holds, report.problems, report.unproven]).toEqual([demand, true, [], []]);
    const notAsked = { nothing: ['signature', 'witnesses'], log: ['witnesses'], both: [], witness: ['signature'] };
    expect([demand, report.unchecked.map(({ aspect }) => aspect)]).toEqual([demand, notAsked[demand]]);
    for (const aspect of notAsked[demand])
      expect([demand, report.proven.map((one) => one.aspect)]).not.toEqual([demand, expect.arrayContaining([aspect])]);
  }
});

it.each(demands)('demanding %s: each fault of one event, alone and with one of another', (demand) => {
  const random = seededRandom(Number(process.env['SEED'] ?? 38));
  const wrong: string[] = [];
  for (let nth = 0; nth < count; nth += 1)
    for (const [name, effect, fault] of ofEvent) {
      const changed = new Map([[nth, fault(whole.inclusions[nth]!, size)]]);
      const isHeld = (heldUnder[effect] as readonly Demand[]).includes(demand);
      if (!isJudged(withInclusions(changed), demand, isHeld)) wrong.push(`${nth}: ${name}`);
      const [otherName, otherEffect, otherFault] = ofEvent[Math.floor(random() * ofEvent.length)]!;
      const other = (nth + 1 + Math.floor(random() * (count - 1))) % count;
      changed.set(other, otherFault(whole.inclusions[other]!, size));
      const areHeld = (heldUnder[worse(effect, otherEffect)] as readonly Demand[]).includes(demand);
      if (!isJudged(withInclusions(changed), demand, areHeld)) wrong.push(`${nth}: ${name}, ${other}: ${otherName}`);
    }
  expect(wrong).toEqual([]);
});

/** Whether the verdict is as expected, and a receipt that does not hold has problems with their places. */
function isJudged(proof: unknown, demand: Demand, isHeld: boolean): boolean {
  const { holds, problems } = reportOf(proof, demand);
  return holds === isHeld && holds === (problems.length === 0) && problems.every(({ path }) => path !== '');
}

it.each(demands)('demanding %s: each set of events whose inclusion is null', (demand) => {
  const wrong: unknown[] = [];
  for (let set = 0; set < 2 ** count; set += 1) {
    const missing = Array.from({ length: count }, (_, nth) => nth).filter((nth) => (set >> nth) % 2 === 1);
    const report = reportOf(withInclusions(new Map(missing.map((nth) => [nth, null]))), demand);
    const named = missing.map((nth) => `/proof/inclusions/${nth}`);
    const isDemanded = demand !== 'nothing';
    const paths = report.problems.map(({ path, stream }) => (stream === null ? 'no stream' : path));
    const listed = report.unproven.filter(({ aspect }) => aspect === 'inclusion').length;
    const isRight = isDemanded
      ? report.holds === (missing.length === 0) && String(paths) === String(named)
      : report.holds && listed === missing.length;
    if (!isRight) wrong.push({ missing, report });
  }
  expect(wrong).toEqual([]);
});

it.each(ofProof)('a proof that is %s: %s', (_, effect, fault) => {
  for (const demand of demands) {
    const report = reportOf(fault(whole, given), demand);
    const isHeld = (heldUnder[effect] as readonly Demand[]).includes(demand);
    expect([demand, report.holds]).toEqual([demand, isHeld]);
    expect([demand, report.problems.length > 0]).toEqual([demand, !isHeld]);
    // A claim that a reader has not demanded is never shown as proven by others.
    if (demand === 'nothing') expect(report.proven.map((one) => one.aspect)).not.toContain('signature');
  }
});

it('a cosignature of other bytes under the name of a trusted witness is wrong, demanded or not', () => {
  const note = given.log.note(size);
  const forged = { ...whole, checkpoint: note + lineOf(note, witness, 'another text\n') };
  const policy = policies.both!;
  for (const needed of [0, 1]) {
    const report = verifyReceipt({ ...receipt, proof: forged }, { ...policy, needed });
    expect([needed, report.holds]).toEqual([needed, false]);
    expect(report.problems[0]).toMatchObject({ path: '/proof/checkpoint' });
  }
});

it('more witnesses than are known never signed', () => {
  for (const needed of [2, NaN, Infinity, -1, 0.5, -0.5])
    expect([needed, verifyReceipt(receipt, { ...policies.both!, needed }).holds]).toEqual([needed, false]);
});
