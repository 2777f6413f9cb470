/** Certificates of erasure that hold, and that a verifier must refuse: one table for our verifiers in TypeScript and in Python. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestLog } from '@app/testing/logs';
import { debianProgram, installedWithinMs } from '@app/testing/programs';
import {
  entryBytes,
  erasureText,
  noteText,
  parseVerifierKey,
  signatureOf,
  textOf,
  toBase64,
  verifyErasure,
  type ErasureStatement,
  type LogEntry,
} from '@app/transparency';

const userId = '5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11';
const hex = 'c86066149fd3cf01ec7449cd3e91a293a620f963a8cf3d4a3b9087b3622ba83e';
const types = ['erasure.requested', 'erasure.keys_destroyed', 'erasure.purged'];
const entry = (revision: number, type: string): LogEntry => ({
  stream: `erasure-${userId}`,
  revision,
  id: `0190a000-0000-7000-8000-00000000000${revision}`,
  type,
  dataSha256: hex,
  metadataSha256: hex,
});
const entries = types.map((type, revision) => entry(revision, type));
const [before, size] = [4, 11];
/** The steps of the erasure are leaves 5 to 7. */
const history = Array.from({ length: size }, (_, n) => {
  const step = entries[n - 5];
  return step === undefined ? `entry ${n}` : (textOf(entryBytes(step)) ?? '');
});
const log = TestLog.holding(history, 'parley/erasures');
const other = TestLog.holding(history, 'parley/others');
const forked = log.forkedAt(2);

const statement: ErasureStatement = {
  log: log.origin,
  userId,
  requestedAt: '2026-03-01T10:00:00.000Z',
  keysDestroyedAt: '2026-03-01T10:00:00.400Z',
  purgedAt: '2026-03-01T10:00:01.000Z',
  certifiedAt: '2026-03-01T10:00:02.000Z',
  keys: { user: 1, conversations: 3, identities: 1 },
  operationsInFlight: 0,
  purged: { snapshots: 0, artifacts: 2 },
  keyTable: 'rewritten',
  closedEvents: 41,
  before: log.note(before),
  after: log.note(size),
  consistency: log.path(before, size).map(toBase64),
  events: entries.map((one, n) => ({ entry: one, index: 5 + n, path: log.inclusion(5 + n, size).map(toBase64) })),
};

function signed(said: unknown, by = log): string {
  // Reason for the assertion: it is what a forger would sign.
  const text = erasureText(said as ErasureStatement);
  return noteText({ text, signatures: [signatureOf(by.key, text)] });
}

interface Case {
  readonly kind: 'erasure';
  readonly name: string;
  readonly holds: boolean;
  readonly note: string;
  readonly keys: readonly string[];
}

const caseOf = (name: string, holds: boolean, note: string, keys = [log.verifierKey]): Case => ({
  kind: 'erasure',
  name,
  holds,
  note,
  keys,
});
const with_ = (change: object) => signed({ ...statement, ...change });
const from = (earlier: number) =>
  with_({ before: log.note(earlier), consistency: log.path(earlier, size).map(toBase64) });
const eventsWith = (at: number, change: object) =>
  with_({ events: statement.events.map((event, n) => (n === at ? { ...event, ...change } : event)) });

const good: Case[] = [
  caseOf('a certificate', true, signed(statement)),
  caseOf('one without a checkpoint from before', true, with_({ before: null, consistency: [] })),
  caseOf('one whose earlier checkpoint is the last one before the destruction', true, from(6)),
  caseOf('one that an earlier key of the log signed', true, signed(statement), [
    log.withKey().verifierKey,
    log.verifierKey,
  ]),
];

const bad: Case[] = [
  caseOf('without a key', false, signed(statement), []),
  caseOf('under another key of the log', false, signed(statement), [log.withKey().verifierKey]),
  caseOf('under the key of another log', false, signed(statement), [other.verifierKey]),
  caseOf('signed by another log', false, signed(statement, other), [log.verifierKey, other.verifierKey]),
  caseOf('a checkpoint in its place', false, log.note(size)),
  caseOf('altered after it was signed', false, signed(statement).replace('"closedEvents":41', '"closedEvents":42')),
  caseOf('with a line more', false, signed(statement).replace('parley-erasure/1\n', 'parley-erasure/1\nx\n')),
  caseOf('of another version', false, signed(statement).replace('parley-erasure/1', 'parley-erasure/2')),
  ...(['before', 'after'] as const).flatMap((which) => [
    caseOf(
      `${which}: a checkpoint of another log`,
      false,
      with_({ [which]: other.note(which === 'before' ? before : size) }),
    ),
    caseOf(
      `${which}: a checkpoint that nobody signed`,
      false,
      with_({ [which]: (statement[which] ?? '').replace(/\n— .*\n$/, '\n') }),
    ),
    caseOf(`${which}: no checkpoint`, false, with_({ [which]: 'x' })),
  ]),
  caseOf('before: a checkpoint of another history', false, with_({ before: forked.note(before) })),
  caseOf('before: a larger tree', false, with_({ before: log.note(size), after: log.note(before) })),
  ...[7, size].map((earlier) => caseOf(`before: from after the destruction, of size ${earlier}`, false, from(earlier))),
  caseOf('after: null', false, with_({ after: null })),
  caseOf('a proof of consistency that lacks a node', false, with_({ consistency: statement.consistency.slice(1) })),
  caseOf('a proof of consistency that is none', false, with_({ consistency: ['x'] })),
  caseOf('no proof of consistency', false, with_({ consistency: null })),
  caseOf('no key that was destroyed', false, with_({ keys: { ...statement.keys, user: 0 } })),
  caseOf('keys that are not counted', false, with_({ keys: {} })),
  caseOf('a negative count', false, with_({ closedEvents: -1 })),
  caseOf('a count that is a text', false, with_({ closedEvents: '41' })),
  caseOf('another user', false, with_({ userId: userId.replace('5', '6') })),
  ...types.flatMap((type, n) => [
    caseOf(`${type}: left out`, false, with_({ events: statement.events.filter((_, at) => at !== n) })),
    caseOf(`${type}: another index`, false, eventsWith(n, { index: 4 + n })),
    caseOf(`${type}: an index that is a text`, false, eventsWith(n, { index: String(5 + n) })),
    caseOf(`${type}: another event`, false, eventsWith(n, { entry: { ...entries[n], id: 'x' } })),
    caseOf(`${type}: a path that is none`, false, eventsWith(n, { path: ['x'] })),
    caseOf(`${type}: no path`, false, eventsWith(n, { path: [] })),
  ]),
  caseOf('a statement that is a list', false, signed([statement])),
  caseOf('a statement that is nothing', false, signed(null)),
];

const cases = [...good, ...bad];
const expected = good.map(({ name }) => name);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-erasures-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('names each case once', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

it('is accepted by ours in TypeScript as it should be', () => {
  const accepted = cases.filter(({ note, keys }) => {
    const policy = { log: keys.flatMap((key) => parseVerifierKey(key) ?? []), witnesses: [], needed: 0 };
    return verifyErasure(note, policy).holds;
  });
  expect(accepted.map(({ name }) => name)).toEqual(expected);
});

it('is refused without a witness that is demanded', () => {
  const key = parseVerifierKey(log.verifierKey);
  if (key === null) throw new Error('it is no key');
  const { holds, problems } = verifyErasure(signed(statement), { log: [key], witnesses: [], needed: 1 });
  expect([holds, problems]).toEqual([false, ['too few witnesses signed the checkpoint from after it']]);
});

it(
  'is accepted by ours in Python as it should be',
  async () => {
    const [table, answer] = [join(folder, 'cases.json'), join(folder, 'certificate.json')];
    await writeFile(table, JSON.stringify(cases));
    await writeFile(answer, JSON.stringify({ statement, note: signed(statement) }));
    const python = await debianProgram('python3');
    const verify = (...args: readonly string[]) =>
      promisify(execFile)(python, ['-B', join(__dirname, 'verify.py'), ...args]);
    expect((await verify('table', table)).stdout.trim().split('\n')).toEqual(expected);
    const { stdout } = await verify('erasure', answer, '--key', log.verifierKey);
    expect(stdout.split('\n')[0]).toBe(`HOLDS: ${log.origin} erased ${userId} on ${statement.keysDestroyedAt}`);
    for (const change of [{ closedEvents: 42 }, { keys: { ...statement.keys, user: true } }]) {
      await writeFile(answer, JSON.stringify({ statement: { ...statement, ...change }, note: signed(statement) }));
      await expect(verify('erasure', answer, '--key', log.verifierKey)).rejects.toMatchObject({
        code: 1,
        stdout: 'DOES NOT HOLD: the file has a statement that is not the one in its note\n',
      });
    }
  },
  installedWithinMs,
);

it('is no receipt, which the verifier of receipts says with the commands that verify it', async () => {
  const file = join(folder, 'no-receipt.json');
  await writeFile(file, JSON.stringify({ statement, note: signed(statement) }));
  const script = join(__dirname, '..', '..', 'scripts', 'verify-receipt.mjs');
  const refused: unknown = await promisify(execFile)(process.execPath, [script, file]).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(String(refused)).toContain('is a certificate of erasure, and no receipt: python3 test/transparency/verify.py');
});
