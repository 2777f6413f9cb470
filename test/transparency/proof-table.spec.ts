/**
 * One table of proofs for three verifiers: ours in TypeScript, ours in Python, and the independent one in Go. All accept the same proofs.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileGo, debianProgram, installedWithinMs } from '@app/testing/programs';
import {
  fromBase64,
  isConsistent,
  isIncluded,
  leafHash,
  openCheckpoint,
  parsePath,
  parseVerifierKey,
  type Hash,
  type VerifierKey,
} from '@app/transparency';
import { proofTable, type ProofCase } from './proof-table';

const cases = proofTable();
const expected = cases.filter(({ holds }) => holds).map(({ name }) => name);

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-table-'));
  file = join(folder, 'cases.json');
  await writeFile(file, JSON.stringify(cases));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function accepted(program: string, args: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(program, [...args, 'table', file]);
  return stdout.trim().split('\n');
}

it('names each case once, and most of them do not hold', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(expected.length).toBeGreaterThan(60);
  expect(cases.length - expected.length).toBeGreaterThan(1_000);
});

it('is accepted by ours in TypeScript as it should be', () => {
  // Through JSON, because the others read it too.
  const read = JSON.parse(JSON.stringify(cases)) as ProofCase[];
  expect(read.filter(isAccepted).map(({ name }) => name)).toEqual(expected);
});

it(
  'is accepted by ours in Python as it should be',
  async () => {
    const script = join(__dirname, 'verify.py');
    expect(await accepted(await debianProgram('python3'), ['-B', script])).toEqual(expected);
  },
  installedWithinMs,
);

it(
  'a verdict of the one in Python that could not be written, or that needs a key which is none, is no verdict',
  async () => {
    const python = await debianProgram('python3');
    const ended = (line: string) =>
      promisify(execFile)('/bin/bash', [
        '-c',
        `set -o pipefail; "$0" -B "$1" ${line}`,
        python,
        join(__dirname, 'verify.py'),
        file,
      ])
        .then(({ stderr }) => ({ code: 0, stderr }))
        .catch(({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }));
    const noRoom = 'the output could not be written: [Errno 28] No space left on device\n';
    expect(await ended('table "$2" > /dev/full')).toEqual({ code: 2, stderr: noRoom });
    expect(await ended('table "$2" | true')).toEqual({ code: 141, stderr: '' });
    expect(await ended('receipt "$2" --key nonsense')).toEqual({
      code: 2,
      stderr: 'a key that is given is no key: nonsense\n',
    });
  },
  installedWithinMs,
);

it(
  'is accepted by the one in Go as it should be',
  async () => {
    expect(await accepted(await compileGo(join(__dirname, 'verify.go'), folder), [])).toEqual(expected);
  },
  installedWithinMs,
);

function isAccepted(one: ProofCase): boolean {
  switch (one.kind) {
    case 'checkpoint': {
      const policy = { log: keysIn(one.keys), witnesses: keysIn(one.witnesses), needed: one.needed };
      const opened = openCheckpoint(one.note, policy);
      return typeof opened !== 'string' && opened.isWitnessed;
    }
    case 'inclusion': {
      const path = pathIn(one.path);
      if (path === null || typeof one.index !== 'number' || typeof one.size !== 'number') return false;
      return isIncluded(leafHash(bytesIn(one.entry)), one.index, one.size, path, bytesIn(one.root));
    }
    case 'consistency': {
      const path = pathIn(one.path);
      if (path === null || typeof one.oldSize !== 'number' || typeof one.newSize !== 'number') return false;
      const [older, newer] = [
        { size: one.oldSize, root: bytesIn(one.oldRoot) },
        { size: one.newSize, root: bytesIn(one.newRoot) },
      ];
      return isConsistent(older, newer, path);
    }
  }
}

function keysIn(texts: readonly string[]): VerifierKey[] {
  return texts.flatMap((text) => parseVerifierKey(text) ?? []);
}

function pathIn(path: unknown): Hash[] | null {
  const isTexts = Array.isArray(path) && path.every((item) => typeof item === 'string');
  return isTexts ? parsePath(path) : null;
}

function bytesIn(text: string): Uint8Array {
  const bytes = fromBase64(text);
  if (bytes === null) throw new Error(`no base64: ${text}`);
  return bytes;
}
