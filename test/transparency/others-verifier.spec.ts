/**
 * An exported log is verified with independent software: `verify.go` is a short program on Debian's golang.org/x/mod/sumdb/note and
 * sumdb/tlog. It refuses every altered log.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileGo, debianProgram, installedWithinMs } from '@app/testing/programs';
import { otherKey, witnessKey } from '@app/testing/transparency';
import {
  checkpointText,
  cosign,
  noteText,
  parseCheckpoint,
  parseNote,
  signatureLine,
  signatureOf,
  signingKey,
  tileWidth,
  verifierKeyText,
} from '@app/transparency';
import { type LoggedDeployment, startLogged } from './logged-deployment';

const startedWithinMs = 300_000;

let compiled: string;
let program: string;
let logged: LoggedDeployment;
/** An export, and the checkpoint from before its last part. */
let log: string;
let earlier: string;

beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'parley-others-'));
  program = await compileGo(join(__dirname, 'verify.go'), compiled);
}, installedWithinMs);

beforeAll(async () => {
  logged = await startLogged(19);
  [log, earlier] = [join(logged.folder, 'log'), join(logged.folder, 'earlier')];
  await exported();
  await cp(join(log, 'checkpoint'), earlier);
  await logged.goOn();
  await exported();
}, startedWithinMs);

afterAll(async () => {
  await logged.stop();
  await rm(compiled, { recursive: true, force: true });
});

async function exported(): Promise<void> {
  const { code, stderr } = await logged.run(['audit', 'export', '--to', log]);
  if (code !== 0) throw new Error(stderr);
}

interface Ended {
  readonly code: number;
  readonly says: string;
}

async function verified(args: { folder?: string; key?: string; earlier?: string; witness?: string }): Promise<Ended> {
  const { folder = log, key = logged.key, earlier: before = earlier, witness } = args;
  const given = [folder, key, before, ...(witness === undefined ? [] : [witness])];
  return promisify(execFile)(program, given).then(
    ({ stdout }) => ({ code: 0, says: stdout.trim() }),
    (failed: { code: number; stderr: string }) => ({ code: failed.code, says: failed.stderr.trim() }),
  );
}

/** A copy of the export with one file altered. */
async function withFile(path: string, alter: (bytes: Buffer) => Buffer): Promise<string> {
  const folder = await mkdtemp(join(logged.folder, 'altered-'));
  await cp(log, folder, { recursive: true });
  await writeFile(join(folder, path), alter(await readFile(join(folder, path))));
  return folder;
}

const flipped =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    const place = at < 0 ? bytes.length + at : at;
    return Buffer.from(bytes.map((byte, index) => (index === place ? byte ^ 1 : byte)));
  };

/** The checkpoint in a file. */
async function checkpointIn(file: string) {
  const note = await readFile(file, 'utf8');
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? '');
  if (checkpoint === null) throw new Error(`${file} is no checkpoint`);
  return { note, ...checkpoint };
}

it('verifies the checkpoint, every entry, and the consistency with an earlier checkpoint', async () => {
  const [{ size: before }, { size }] = [await checkpointIn(earlier), await checkpointIn(join(log, 'checkpoint'))];
  expect(before).toBeLessThan(size);
  expect(size).toBeGreaterThan(tileWidth);
  expect(await verified({})).toEqual({
    code: 0,
    says: `verified: ${size} entries of ${size}, consistent with ${before}`,
  });
  expect(await verified({ earlier: '-' })).toMatchObject({ code: 0 });
});

it('verifies cosignatures by their specification', async () => {
  const text = checkpointText(await checkpointIn(join(log, 'checkpoint')));
  const line = signatureLine(cosign(witnessKey, text, 1_772_359_200));
  const witness = verifierKeyText(witnessKey);
  const folder = await withFile('checkpoint', (note) => Buffer.concat([note, Buffer.from(line)]));
  expect(await verified({ folder, witness })).toMatchObject({ code: 0 });
  expect(await verified({ witness })).toMatchObject({
    code: 1,
    says: expect.stringContaining('did not sign') as string,
  });
  const other = signatureLine(cosign(witnessKey, `${text}x\n`, 1_772_359_200));
  const forged = await withFile('checkpoint', (note) => Buffer.concat([note, Buffer.from(other)]));
  expect(await verified({ folder: forged, witness })).toMatchObject({ code: 1 });
});

it.each([
  ['the size in the checkpoint', 'checkpoint', 50],
  ['the signature', 'checkpoint', -4],
  ['the first hash', 'tile/0/000', 0],
  ['a hash in the middle', 'tile/0/000', 4_000],
  ['the tile above', 'tile/1/000.p/1', 5],
  ['the first entry', 'tile/entries/000', 9],
  ['an entry in the middle', 'tile/entries/000', 20_000],
])('refuses the log when %s was altered', async (_, path, at) => {
  expect(await verified({ folder: await withFile(path, flipped(at)) })).toMatchObject({ code: 1 });
});

it('refuses a log that does not begin with what it signed before', async () => {
  const { origin, size, root } = await checkpointIn(earlier);
  const key = signingKey('log', origin, logged.seed);
  const other = checkpointText({ origin, size, root: flipped(3)(Buffer.from(root)) });
  const forged = join(logged.folder, 'forged');
  await writeFile(forged, noteText({ text: other, signatures: [signatureOf(key, other)] }));
  expect(await verified({ earlier: forged })).toMatchObject({
    code: 1,
    says: expect.stringContaining(`does not begin with the ${size} leaves`) as string,
  });
});

it('refuses another key', async () => {
  expect(await verified({ key: verifierKeyText(otherKey) })).toMatchObject({ code: 1 });
});

describe('ours in Python, written from docs/audit.md alone', () => {
  const python = async (...args: string[]): Promise<Ended> => {
    const given = ['-B', join(__dirname, 'verify.py'), ...args];
    return promisify(execFile)(await debianProgram('python3'), given).then(
      ({ stdout }) => ({ code: 0, says: stdout.trim() }),
      (failed: { code: number; stdout: string }) => ({ code: failed.code, says: failed.stdout.trim() }),
    );
  };
  const key = (): string[] => ['--key', logged.key];

  it('verifies the checkpoint, every entry, every tile and an earlier checkpoint', async () => {
    const { size, origin } = await checkpointIn(join(log, 'checkpoint'));
    expect(await python('export', log, ...key(), '--known', earlier)).toEqual({
      code: 0,
      says: `HOLDS: ${size} entries of ${origin}, consistent with 1 earlier checkpoint`,
    });
  });

  it.each([
    ['the size in the checkpoint', 'checkpoint', 50],
    ['the signature', 'checkpoint', -4],
    ['a hash in the middle', 'tile/0/000', 4_000],
    ['the tile above', 'tile/1/000.p/1', 5],
    ['an entry in the middle', 'tile/entries/000', 20_000],
  ])('refuses the log when %s was altered', async (_, path, at) => {
    const folder = await withFile(path, flipped(at));
    expect(await python('export', folder, ...key())).toMatchObject({
      code: 1,
      says: expect.stringMatching(/^DOES NOT HOLD: /) as string,
    });
  });

  it('refuses another key, and a log that ends before a checkpoint that was kept', async () => {
    expect(await python('export', log, '--key', verifierKeyText(otherKey))).toMatchObject({ code: 1 });
    const { origin, size } = await checkpointIn(join(log, 'checkpoint'));
    const signer = signingKey('log', origin, logged.seed);
    const text = checkpointText({ origin, size: size + 1, root: new Uint8Array(32) });
    const ahead = join(logged.folder, 'ahead');
    await writeFile(ahead, noteText({ text, signatures: [signatureOf(signer, text)] }));
    expect(await python('export', log, ...key(), '--known', ahead)).toMatchObject({
      code: 1,
      says: expect.stringContaining('the newest were taken away') as string,
    });
  });
});
