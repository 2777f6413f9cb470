/** `npm run verify-receipt` for a person and a script: the verdict first, on stdout, then the findings; the exit code follows. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianProgram } from '@app/testing/programs';
import { verifierKeyText } from '@app/transparency';
import { journeys, received } from './histories';
import { proven, witness } from './proven';
import { erasedWords, receiptWith, sealed } from './sealed-events';

const script = join(__dirname, '..', '..', '..', '..', 'scripts', 'verify-receipt.mjs');
const { receipt, log } = proven(received(journeys.settled().events));
const byLog = ['--key', log.verifierKey];
const byBoth = [...byLog, '--witness', verifierKeyText(witness)];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-verdicts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Said {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: string;
}

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Said> {
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, errors]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => said!.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors!.push(chunk));
  const code = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (status) => resolve(status ?? -1)),
  );
  const text = (chunks: Buffer[] | undefined): string => Buffer.concat(chunks ?? []).toString('utf8');
  return { code, lines: text(said).split('\n'), errors: text(errors) };
}

const kept = async (document: unknown): Promise<string> => keptText(JSON.stringify(document));

async function keptText(text: string | Uint8Array): Promise<string> {
  const file = join(folder, 'receipt.json');
  await writeFile(file, text);
  return file;
}

const verified = async (document: unknown, ...args: string[]): Promise<Said> =>
  run(process.execPath, [script, await kept(document), ...args]);

const uncovered = {
  ...receipt,
  proof: { ...receipt.proof, complete: false, inclusions: receipt.proof.inclusions.with(1, null as never) },
};

it('a receipt that holds: the verdict, then what is proven and what was not checked, and 0', async () => {
  const { code, lines } = await verified(receipt, ...byBoth);
  expect([code, lines[0]]).toEqual([
    0,
    `HOLDS: approval ${receipt.approval.id} is approved, by 9 events, all of them in the log.`,
  ]);
  expect(lines.filter((line) => /^ {2}(wrong|not)/.test(line))).toEqual([]);
  const { lines: few } = await verified(receipt, ...byLog);
  expect(few.filter((line) => line.startsWith('  not checked'))).toHaveLength(1);
  const { code: without, lines: unkeyed } = await verified(receipt);
  expect([without, unkeyed[0]]).toEqual([
    0,
    expect.stringMatching(/^HOLDS AS FAR AS IT WAS CHECKED: .* not checked\.$/),
  ]);
});

it('one without its words: it does not hold, unless that is accepted, and then the verdict says so', async () => {
  const { receipt: less, log: other } = proven(receiptWith(journeys.denied().events.map(sealed).map(erasedWords)));
  const keys = ['--key', other.verifierKey, '--witness', verifierKeyText(witness)];
  const { code, lines } = await verified(less, ...keys);
  expect([code, lines[0], lines[1]]).toEqual([
    1,
    'DOES NOT HOLD: 2 things are wrong.',
    expect.stringMatching(
      /^ {2}wrong {7}\/events\/0\/revealed .*lacks the words of input, summary, terms: they were erased/,
    ),
  ]);
  const accepted = await verified(less, ...keys, '--accept-erased');
  expect([accepted.code, accepted.lines[0]]).toEqual([
    0,
    `HOLDS APART FROM ERASED WORDS: approval ${less.approval.id} is denied, by 2 events, all of them in the log.`,
  ]);
  expect(accepted.lines.filter((line) => line.startsWith('  not proven'))).toHaveLength(3);
  expect((await verified(less, '--accept-erased')).lines[0]).toMatch(
    /^HOLDS AS FAR AS IT WAS CHECKED APART FROM ERASED WORDS: /,
  );
});

it('one that does not: the verdict first as well, then each thing that is wrong, and 1', async () => {
  const { stream, revision } = receipt.events[1]!;
  const { code, lines } = await verified(uncovered, ...byBoth);
  expect([code, ...lines.slice(0, 2)]).toEqual([
    1,
    'DOES NOT HOLD: 1 thing is wrong.',
    `  wrong       /proof/inclusions/1 (event ${revision} of ${stream}) is missing: the checkpoint does not cover the event yet; get the receipt again`,
  ]);
  expect((await verified({ ...receipt, proof: null }, ...byLog)).lines[0]).toMatch(/^DOES NOT HOLD/);
  expect((await verified([], ...byLog)).lines[0]).toMatch(/^DOES NOT HOLD/);
});

it('nothing to verify: 2, and no verdict', async () => {
  const wrong: readonly (readonly [args: readonly string[], words: RegExp])[] = [
    [['--key', 'x'], /./],
    [['--witness', verifierKeyText(witness)], /^--witness needs --key/],
    [['--needed', '1'], /^--needed 1 is more than the witnesses named by --witness: 0\nusage: /],
    [['--needed', 'all'], /^--needed must be a whole number/],
    [['--needed', ''], /^--needed must be a whole number/],
    [['--other'], /^there is an option that is none of these/],
  ];
  for (const [args, words] of wrong)
    expect(await verified(receipt, ...args)).toMatchObject({
      code: 2,
      lines: [''],
      errors: expect.stringMatching(words) as string,
    });
  const nowhere = await run(process.execPath, [script, join(folder, 'nowhere.json')]);
  expect(nowhere).toMatchObject({ code: 2, lines: [''] });
});

it('a text that parsers read differently does not hold, whatever ours makes of it', async () => {
  const text = JSON.stringify(receipt).replace('{', '{"approval":{"status":"denied"},');
  const { code, lines } = await run(process.execPath, [script, await keptText(text), ...byBoth]);
  expect([code, ...lines]).toEqual([
    1,
    'DOES NOT HOLD: 1 thing is wrong.',
    '  wrong       the document has a member twice',
    '',
  ]);
});

it('a file that is no text, no JSON or larger than a receipt is not verified, nor read to its end', async () => {
  const inFile = async (text: string | Uint8Array): Promise<Said> =>
    run(process.execPath, [script, await keptText(text), ...byBoth]);
  expect(await inFile('{')).toMatchObject({ code: 2, lines: [''] });
  expect(await inFile(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: 2, lines: [''] });
  const endless = await run(process.execPath, [script, '/dev/zero', ...byBoth]);
  expect(endless).toMatchObject({
    code: 2,
    lines: [''],
    errors: '/dev/zero cannot be read: it is larger than 64 MB: no receipt is\n',
  });
});

it('a signal ends it while it waits for its input', async () => {
  const pipe = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const child = spawn(process.execPath, [script, pipe, ...byBoth], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
  const written = await open(pipe, 'w'); // once it reads
  child.kill('SIGTERM');
  // Otherwise the end of its input, some time later, ends it.
  const later = setTimeout(() => void written.close(), 5_000);
  expect(await ended).toBe('SIGTERM');
  clearTimeout(later);
  await written.close();
});

it('no text of a receipt moves the cursor or makes a line of its own', async () => {
  const hostile = '\u001b[2J\u009b1A\r\nHOLDS: all is well\u202e';
  const { code, lines } = await verified({ ...receipt, [hostile]: hostile });
  expect([code, lines[0], lines.length > 2]).toEqual([1, 'DOES NOT HOLD: 1 thing is wrong.', true]);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines.filter((line) => line.startsWith('HOLDS'))).toEqual([]);
});

it('on a terminal the verdict is green or red, and plain where no colours are wanted', async () => {
  const python = await debianProgram('python3');
  const pty = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  const onTerminal = async (document: unknown, env: NodeJS.ProcessEnv = {}): Promise<Said> =>
    run(python, ['-c', pty, process.execPath, script, await kept(document), ...byBoth], { TERM: 'xterm', ...env });
  const [held, broken] = [await onTerminal(receipt), await onTerminal(uncovered)];
  expect([held.code, held.lines[0]]).toEqual([0, expect.stringMatching(/^\u001b\[1;32mHOLDS: .*\u001b\[0m\r$/)]);
  expect([broken.code, broken.lines[0]]).toEqual([
    1,
    expect.stringMatching(/^\u001b\[1;31mDOES NOT HOLD: .*\u001b\[0m\r$/),
  ]);
  expect((await onTerminal(receipt, { NO_COLOR: '1' })).lines[0]).toMatch(/^HOLDS/);
});
