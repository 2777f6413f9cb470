import { claimOf, elsewhereKey, keptOf, logKey, otherKey, witnessKey } from '@app/testing/transparency';
import { verifierKeyText } from '@app/transparency';
import type { StoredBytes } from '../log/covered-events';
import type { Claim, Trust } from './claims';
import type { KeptLog } from './kept-log';
import { lastLine, type Findings } from './report';
import { verifyLog } from './verify-log';

const streams = ['conversation-a', 'wallet-b', 'user-c'];
const idOf = (index: number): string => `0190a000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** Events of three streams, in turn. */
const day: readonly StoredBytes[] = Array.from({ length: 700 }, (_, index) => ({
  stream: streams[index % 3] ?? '',
  revision: Math.floor(index / 3),
  position: index * 10,
  id: idOf(index),
  type: 'thing.happened',
  data: Buffer.from(`{"n":${index}}`),
  metadata: Buffer.from('{"actor":"user"}'),
}));
const own = { stream: 'audit-checkpoints', revision: 0, position: 6_995, id: idOf(9_999), type: 'log.opened' };

const trust: Trust = { log: [logKey], witnesses: [], needed: 0 };
let claims: readonly Claim[];

beforeAll(async () => {
  claims = [claimOf(day, 100), claimOf(day, 256), claimOf(day, 690)];
});

async function* each(events: readonly StoredBytes[]): AsyncGenerator<StoredBytes> {
  yield* events;
}

interface Given {
  readonly stored?: readonly StoredBytes[] | null;
  readonly kept?: KeptLog;
  readonly claims?: readonly Claim[];
  readonly trust?: Trust;
  readonly ownKeys?: readonly string[];
}

async function verify({ stored = day, kept = keptOf(day), ...given }: Given): Promise<Findings> {
  const subject = {
    kept,
    stored: stored && each(stored),
    claims: given.claims ?? claims,
    ownKeys: given.ownKeys ?? [],
  };
  return verifyLog(subject, given.trust ?? trust, () => undefined);
}

const told = ({ problems }: Findings): string[] =>
  problems.map(({ stream, revision, says }) => (stream === null ? says : `${revision} of ${stream}: ${says}`));

const without = (index: number): StoredBytes[] => day.toSpliced(index, 1);
const changed = (index: number, change: Partial<StoredBytes>): StoredBytes[] =>
  day.map((event, at) => (at === index ? { ...event, ...change } : event));

describe('a database that is still building the log again from the events', () => {
  it('is nothing wrong: the events are held against the checkpoints themselves', async () => {
    const found = await verify({ kept: keptOf(day.slice(0, 300)) });
    expect([told(found), found.proven, found.building]).toEqual([[], 690, 300]);
    expect(lastLine(found)).toContain('that the database keeps the log: it has 300 leaves');
  });

  it('and nothing wrong after its first leaf', async () => {
    const found = await verify({ kept: keptOf(day.slice(0, 1)) });
    expect([told(found), found.proven, found.building]).toEqual([[], 690, 1]);
  });

  it('is no excuse for events that are not what was signed', async () => {
    const found = await verify({ kept: keptOf(day.slice(0, 300)), stored: without(500) });
    expect(told(found).length).toBeGreaterThan(0);
    const cut = await verify({ kept: keptOf(day.slice(0, 300)), stored: day.slice(0, 300) });
    expect(told(cut).length).toBeGreaterThan(0);
  });
});

describe('events that were scavenged', () => {
  it('are named, and what is left is proven by what the log keeps of them', async () => {
    const found = await verify({ stored: day.filter((_, index) => index % 100 !== 5) });
    expect(told(found)).toHaveLength(7);
    expect(found).toMatchObject({ proven: 690, absent: 7, uncovered: 10 });
    expect(lastLine(found)).toMatch(/^WRONG: 7 things, named above; .*hold: 683 of the first 690 events are, /);
  });

  it('prove nothing where the log itself was built without them', async () => {
    const left = day.filter((_, index) => index % 100 !== 5);
    const found = await verify({ stored: left, kept: keptOf(left) });
    expect(found.proven).toBe(0);
    expect(told(found).length).toBeGreaterThan(0);
  });
});

describe('streams that do not show what is stored', () => {
  it('are named, by the revisions that nobody is shown', async () => {
    async function* hidden() {
      yield { stream: 'wallet-b', first: 0, last: 4, why: 'truncated' as const };
      yield { stream: 'user-c', first: 2, last: 2, why: 'deleted' as const };
    }
    const subject = { kept: keptOf(day), stored: each(day), hidden: hidden(), claims, ownKeys: [] };
    const found = await verifyLog(subject, trust, () => undefined);
    expect(told(found)).toEqual([
      '0 of wallet-b: hidden up to revision 4 from everybody who reads the stream: the stream was truncated ($tb, $maxCount or $maxAge)',
      '2 of user-c: hidden from everybody who reads the stream: the stream was deleted',
    ]);
  });
});

describe('a store as the log signed it', () => {
  it('is proven up to the newest checkpoint', async () => {
    const found = await verify({});
    expect(told(found)).toEqual([]);
    expect(found).toMatchObject({ proven: 690, checkpoints: 3, uncovered: 10, witnessed: 0, beyond: 0 });
    expect(lastLine(found)).toBe(
      'PROVEN: the first 690 events are, byte for byte and in their order, what 3 signed checkpoints say, ' +
        'the first of them that of 100 (checkpoint of 100). NOT PROVEN: the last 10 events, which no checkpoint covers as they are; ' +
        "that nobody with the log's key wrote it all again, or took the newest events away with their checkpoints: nobody outside " +
        'vouches for it; ask a witness (--ask <its URL> --witness <its key>), or give a checkpoint that you kept (--known <file>).',
    );
  });

  it("may have more events by now, the server's and the checkpoints' own among them", async () => {
    const later = { ...day[0]!, revision: 900, position: 7_010, id: idOf(5_000) };
    const found = await verify({ stored: [...day, { ...own, data: Buffer.of(), metadata: Buffer.of() }, later] });
    expect([told(found), found.uncovered]).toEqual([[], 11]);
  });

  it('is proven by witnesses as far as they signed', async () => {
    const witnessed = claimOf(day, 256, { witnesses: [witnessKey] });
    const found = await verify({
      claims: [witnessed, claims[2]!],
      trust: { ...trust, witnesses: [witnessKey], needed: 1 },
    });
    expect([told(found), found.proven, found.witnessed]).toEqual([[], 690, 256]);
    expect(lastLine(found)).toMatch(
      /and enough witnesses up to 256\. NOT PROVEN: the last 10 events.*that what comes after them was not written again, and that nothing after the 256 that enough witnesses vouch for/,
    );
  });
});

describe('a store and a log that were cut alike', () => {
  const outside = (size: number, where = 'kept.txt'): Claim => ({ ...claimOf(day, size), where, isOutside: true });
  const cut = day.slice(0, 256);
  const alike = { stored: cut, kept: keptOf(cut), claims: [] as readonly Claim[] };
  const own = (): readonly Claim[] => claims.slice(0, 2);

  it('are proven by themselves, since a checkpoint, and nobody outside vouches for it', async () => {
    const found = await verify({ ...alike, claims: own() });
    expect([told(found), found.proven, found.outside]).toEqual([[], 256, 0]);
    expect(lastLine(found)).toMatch(
      /^PROVEN: .*, the first of them that of 100 \(.*\)\. NOT PROVEN: .*nobody outside vouches for it; ask a witness \(--ask.*--known/,
    );
  });

  it.each([null, cut])('are not proven once a checkpoint from outside is ahead', async (stored) => {
    const found = await verify({ ...alike, stored, claims: [...own(), outside(690)] });
    const what = stored === null ? 'the leaves that the log keeps' : 'the stored events';
    expect(told(found)[0]).toBe(
      `${what} end after 256, and the checkpoint at kept.txt is of 690: the newest were taken away`,
    );
    expect([found.proven, found.ahead?.size]).toEqual([256, 690]);
    expect(lastLine(found)).toMatch(
      /^WRONG: \d things?, named above; as far as signed checkpoints hold: the first 256 /,
    );
  });

  it('are vouched for as far as a checkpoint from outside says the same', async () => {
    const found = await verify({ claims: [...claims, outside(690, 'the witness at w')] });
    expect([told(found), found.outside, found.ahead]).toEqual([[], 690, null]);
    expect(lastLine(found)).toMatch(
      /that nothing after the 690 that the witness at w vouches for was taken away with its checkpoints\.$/,
    );
    expect(lastLine(found)).not.toContain('nobody outside');
  });

  it('are not vouched for by whoever answers as a witness of which no key is named', async () => {
    const asked = { ...outside(690, 'the witness at w'), isOfUnknown: true };
    const found = await verify({ claims: [...claims, asked] });
    expect([told(found), found.outside, found.outsideWhere, found.unknown]).toEqual([[], 0, null, 'the witness at w']);
    expect(lastLine(found)).toMatch(
      /that the witness at w is one: nobody named its key \(--witness <key>\).*nobody outside vouches for it\.$/,
    );
    const ahead = await verify({ ...alike, stored: null, claims: [...own(), asked] });
    expect(lastLine(ahead)).toMatch(/^WRONG: /);
  });

  it('are another history than the one that a checkpoint from outside says', async () => {
    const other = { ...claimOf(changed(5, { data: Buffer.of() }), 256), where: 'kept.txt', isOutside: true };
    const found = await verify({ claims: [...claims, other] });
    expect(told(found)).toEqual([
      'the checkpoint at kept.txt is of another history than a later one: the log signed both',
    ]);
    expect(lastLine(found)).toMatch(/^WRONG: /);
  });
});

describe('checkpoints of a log that this one is said to be copied from', () => {
  const ownKeys = [verifierKeyText(elsewhereKey), verifierKeyText(logKey)];
  const former = (events: readonly StoredBytes[], size: number): Claim => ({
    ...claimOf(events, size, { key: elsewhereKey }),
    where: 'former',
    isFormer: true,
  });
  const selfNamed: Trust = { log: [], witnesses: [], needed: 0 };
  const forged = changed(50, { data: Buffer.from('{"n":51}') });
  const rewritten = { stored: forged, kept: keptOf(forged), ownKeys };

  it.each([
    ['to whoever gives the key of the log', trust],
    ['to whoever takes the keys from the log itself', selfNamed],
  ])('prove nothing by themselves, %s: whoever writes the stream can name any key there', async (_, given) => {
    const found = await verify({ ...rewritten, claims: [former(forged, 700)], trust: given });
    expect([told(found), found.proven, found.checkpoints, found.from]).toEqual([[], 0, 0, null]);
  });

  it('do not reach further than what the log signed itself', async () => {
    const found = await verify({ ownKeys, claims: [former(day, 100), claims[1]!, former(day, 690)] });
    expect([told(found), found.proven, found.checkpoints, found.from?.size]).toEqual([[], 256, 1, 256]);
  });

  it('do not hide that a smaller tree of the log is another history', async () => {
    const found = await verify({ ...rewritten, claims: [claims[0]!, former(forged, 700)] });
    expect(told(found)).toContain(
      'the checkpoint at checkpoint of 100 is of another history than a later one: the log signed both',
    );
    expect(found.proven).toBe(0);
  });

  it('prove what they say to whoever trusts their key as well', async () => {
    const found = await verify({
      ownKeys,
      claims: [former(day, 690)],
      trust: { ...trust, log: [logKey, elsewhereKey] },
    });
    expect([told(found), found.proven, found.checkpoints]).toEqual([[], 690, 1]);
  });

  it('cannot contradict events whose words were sealed since, and have to be signed all the same', async () => {
    const before = { ...former(forged, 500), isOfOtherLeaves: true };
    const found = await verify({ ownKeys, claims: [before, claims[2]!] });
    expect([told(found), found.proven, found.checkpoints]).toEqual([[], 690, 1]);
    const altered = { ...before, note: before.note.replace('500', '501') };
    expect(told(await verify({ ownKeys, claims: [altered, claims[2]!] }))).toEqual([
      expect.stringMatching(/^former is/),
    ]);
  });

  it('contradict events that are not what they say', async () => {
    const found = await verify({ ownKeys, claims: [former(forged, 100), claims[2]!] });
    expect(told(found)).toEqual([
      'the checkpoint at former is of another history than a later one: the log signed both',
    ]);
    expect(found.proven).toBe(690);
  });
});

describe('what happened to a stored event', () => {
  it.each([
    ['data', { data: Buffer.from('{"n":40 }') }],
    ['metadata', { metadata: Buffer.from('{"actor":"usar"}') }],
    ['type', { type: 'thing.happenes' }],
    ['id', { id: idOf(4_000) }],
    ['id, type, data', { id: idOf(4_000), type: 'x', data: Buffer.of() }],
  ])('is told: %s altered', async (parts, change) => {
    const found = await verify({ stored: changed(41, change) });
    expect(told(found)).toEqual([`13 of user-c: ${parts} altered`]);
    expect([found.proven, found.absent]).toEqual([690, 1]);
  });

  it('is told with what is proven besides', async () => {
    const found = await verify({ stored: changed(300, { data: Buffer.of() }) });
    expect([told(found), found.proven, found.checkpoints]).toEqual([['100 of conversation-a: data altered'], 690, 3]);
    expect(lastLine(found)).toMatch(
      /^WRONG: 1 thing, named above; as far as signed checkpoints hold: 689 of the first 690 events .*\. NOT PROVEN: the last /,
    );
  });

  it('is told of one that was removed, the last one as well', async () => {
    expect(told(await verify({ stored: without(41) }))).toEqual(['13 of user-c: removed']);
    expect(told(await verify({ stored: without(699) }))).toEqual(['233 of conversation-a: removed']);
  });

  it('is told of many that were removed together', async () => {
    const found = await verify({ stored: [...day.slice(0, 10), ...day.slice(400)] });
    expect(found.problems).toHaveLength(390);
    expect(found.problems.every(({ kind }) => kind === 'removed')).toBe(true);
  });

  it('is told of one that was added', async () => {
    const added = { ...day[0]!, revision: 900, position: 405, id: idOf(5_000) };
    expect(told(await verify({ stored: day.toSpliced(41, 0, added) }))).toEqual(['900 of conversation-a: added']);
  });

  it('is told of one that was moved', async () => {
    const moved = day.toSpliced(41, 1).toSpliced(80, 0, day[41]!);
    expect(told(await verify({ stored: moved }))).toEqual([
      '13 of user-c: moved to another place in the order of all events',
    ]);
    expect(told(await verify({ stored: changed(41, { stream: 'user-x' }) }))).toEqual([
      '13 of user-c: moved to revision 13 of user-x',
    ]);
    expect(told(await verify({ stored: changed(41, { revision: 14, data: Buffer.of() }) }))).toEqual([
      '13 of user-c: moved to revision 14 of user-c, data altered',
    ]);
  });

  it('is told of an empty store', async () => {
    const found = await verify({ stored: [] });
    expect([found.problems.length, found.proven]).toEqual([700, 0]);
  });
});

describe('what happened to the log itself', () => {
  it('is told where its entries are not what was signed', async () => {
    const found = await verify({ kept: { ...keptOf(changed(41, { data: Buffer.of() })), tile: keptOf(day).tile } });
    expect(told(found)).toEqual([
      '13 of user-c: data altered in what the log keeps; the stored event is what was signed',
      'the leaves that the log keeps up to leaf 100 are not what the checkpoint at checkpoint of 100 says: they depart from it from the first one on',
      '13 of user-c: tile 0/000 of the log has another hash for leaf 41',
      'tile 1/000.p/2 of the log is altered or missing',
    ]);
    expect(found.proven).toBe(690);
  });

  it('is told where store, entries and tiles were altered alike', async () => {
    const altered = changed(300, { data: Buffer.of() });
    expect(told(await verify({ stored: altered, kept: keptOf(altered) }))).toEqual([
      'the stored events up to leaf 690 are not what the checkpoint at checkpoint of 690 says: they depart from it from leaf 256 on',
      'the leaves that the log keeps up to leaf 690 are not what the checkpoint at checkpoint of 690 says: they depart from it from leaf 256 on',
    ]);
  });

  it('is told where it is shorter than what it signed', async () => {
    const short = day.slice(0, 600);
    const found = await verify({ stored: short, kept: keptOf(short) });
    expect([found.proven, found.problems.length]).toEqual([256, 2]);
  });

  it('is told where it signed two histories', async () => {
    const fork = claimOf(changed(3, { type: 'x' }), 200);
    const found = await verify({ claims: [...claims, fork] });
    expect(told(found)).toEqual([
      'the checkpoint at checkpoint of 200 is of another history than a later one: the log signed both',
    ]);
    expect(found.proven).toBe(690);
  });

  it('is told where an entry is none', async () => {
    const kept = keptOf(day);
    const unreadable = {
      ...kept,
      async *leaves() {
        for await (const leaf of kept.leaves()) yield leaf.at === 9 ? { ...leaf, entry: null } : leaf;
      },
    };
    expect(told(await verify({ stored: null, kept: unreadable }))).toEqual([
      'leaf 9 of the log names no event, or one before it is missing',
    ]);
  });
});

describe('a checkpoint', () => {
  it('is told where its key is not trusted', async () => {
    const found = await verify({ claims: [claimOf(day, 256, { key: otherKey })] });
    expect(told(found)).toEqual(['checkpoint of 256 is not signed by a trusted key of the log']);
    expect(found.proven).toBe(0);
    expect(lastLine(found)).toMatch(
      /^WRONG: 1 thing, named above; as far as signed checkpoints hold: nothing\. NOT PROVEN: /,
    );
  });

  it.each([
    ['is no signed note', (note: string) => note.slice(0, -3)],
    ['is not signed by a trusted key of the log', (note: string) => note.replace('\n256\n', '\n257\n')],
  ])('%s when it was altered', async (says, alter) => {
    const claim = claims[1]!;
    const altered = { ...claim, fixed: null, note: alter(claim.note) };
    expect(told(await verify({ claims: [altered] }))).toEqual([`checkpoint of 256 ${says}`]);
  });

  it('is told where it is not what was decided before', async () => {
    const claim = { ...claims[1]!, fixed: { size: 256, root: 'AAAA' } };
    expect(told(await verify({ claims: [claim] }))).toEqual([
      'checkpoint of 256 is not what the log had decided before it signed',
    ]);
  });

  it('is told where a cosignature does not hold, or is missing', async () => {
    const one = claimOf(day, 256, { witnesses: [witnessKey] });
    const line =
      claimOf(day, 100, { witnesses: [witnessKey] })
        .note.split('\n')
        .at(-2) ?? '';
    const forged = { ...one, note: `${claims[1]!.note}${line}\n` };
    expect(told(await verify({ claims: [forged] }))).toEqual([
      'checkpoint of 256 has a cosignature of witness.test/one that does not hold',
    ]);
    expect(told(await verify({ claims: [{ ...one, note: claims[1]!.note }] }))).toEqual([
      'checkpoint of 256 lacks the cosignature of witness.test/one that it is said to have',
    ]);
  });
});

it('looks at a log alone, and says so', async () => {
  const found = await verify({ stored: null });
  expect([told(found), found.proven, found.uncovered]).toEqual([[], 690, 10]);
  expect(lastLine(found)).toMatch(
    /^PROVEN: the first 690 leaves of the log are what 3 signed checkpoints say, the first of them that of 100 \(checkpoint of 100\)\. NOT PROVEN: what is stored, since only the log was read;/,
  );
});
