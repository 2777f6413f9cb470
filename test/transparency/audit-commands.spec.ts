/** `parley audit verify` and `parley audit export`, on a deployment's stores and on exports of them. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectEventStore } from '@app/event-store';
import { operatorOf } from '@app/testing/client';
import { sql } from '@app/testing/journeys';
import { StrictS3 } from '@app/testing/objects';
import { otherKey, witnessKey } from '@app/testing/transparency';
import {
  checkpointText,
  noteText,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  signatureOf,
  signingKey,
  verifierKeyText,
  type VerifierKey,
} from '@app/transparency';
import { openWitness, witnessServer } from '@app/witness';
import { jsonOf, type CommandOutcome } from '../deployment/cli';
import { type LoggedDeployment, startLogged } from './logged-deployment';

const startedWithinMs = 300_000;
const altered = 'not all of it holds: what does not is named above';

let logged: LoggedDeployment;
beforeAll(async () => {
  logged = await startLogged(20);
}, startedWithinMs);
afterAll(() => logged.stop());

const verify = (...args: string[]): Promise<CommandOutcome> => logged.run(['audit', 'verify', ...args]);
const lastOf = ({ stdout }: CommandOutcome): string => stdout.trim().split('\n').at(-1) ?? '';
const linesOf = ({ stdout }: CommandOutcome): string[] => stdout.trim().split('\n');

async function exportTo(to: string, env: Record<string, string> = {}) {
  return jsonOf<{ size: number; before: number; files: number }>(
    await logged.run(['audit', 'export', '--to', to, '--json'], env),
  );
}

interface Row {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
}

/** An event in the middle of the covered ones. */
async function anEvent(): Promise<Row> {
  const [row] = await sql<Row>(
    logged.deployment,
    'SELECT position, stream, revision FROM transparency_leaves WHERE index = (SELECT size / 2 FROM transparency_log)',
  );
  if (row === undefined) throw new Error('the log is empty');
  return row;
}

/** Changes one byte of the event's data, runs `run`, and changes it back. */
async function whileAltered<Value>({ position }: Row, run: () => Promise<Value>): Promise<Value> {
  const flip = () =>
    sql(
      logged.deployment,
      'UPDATE event_store.events SET data = set_byte(data, 5, get_byte(data, 5) # 1) WHERE global_position = $1',
      [position],
    );
  await flip();
  try {
    return await run();
  } finally {
    await flip();
  }
}

describe('beside the stores', () => {
  it('proves every event, says by whose key, and ends with 0', async () => {
    const outcome = await verify();
    expect([outcome.code, lastOf(outcome)]).toEqual([
      0,
      expect.stringMatching(
        /^PROVEN: the first \d+ events are, byte for byte .*, the first of them that of \d+ \(revision \d+ of audit-checkpoints\)\. NOT PROVEN: .*that \S+ is the log's key.*nobody outside vouches for it; ask a witness \(--ask/,
      ),
    ]);
    const byKey = await verify('--key', logged.key);
    expect([byKey.code, lastOf(byKey)]).toEqual([0, expect.not.stringContaining("is the log's key")]);
  });

  it('takes the key of its own secrets without being told', async () => {
    const own = { AUDIT_SIGNING_KEY: logged.seed.toString('base64') };
    expect(lastOf(await logged.run(['audit', 'verify'], own))).not.toContain("is the log's key");
  });

  it('names the event that was altered, and ends with 1', async () => {
    const event = await anEvent();
    const outcome = await whileAltered(event, () => verify());
    expect([outcome.code, outcome.stderr.trim().split('\n').at(-1)]).toEqual([1, altered]);
    expect(linesOf(outcome)[0]).toBe(`revision ${event.revision} of ${event.stream}: data altered`);
    expect(lastOf(outcome)).toMatch(
      /^WRONG: 1 thing, named above; as far as signed checkpoints hold: (\d+ of )?the first \d+ /,
    );
    expect((await verify()).code).toBe(0);
  });

  it('believes no key but those that are given', async () => {
    const outcome = await verify('--key', verifierKeyText(otherKey));
    expect([outcome.code, lastOf(outcome)]).toEqual([1, expect.stringMatching(/^WRONG: .* hold: nothing\. /)]);
  });

  it('wants as many witnesses as it is told to', async () => {
    const outcome = await verify('--witness', verifierKeyText(witnessKey));
    expect([outcome.code, lastOf(outcome)]).toEqual([
      1,
      expect.stringMatching(
        /^NOT WITNESSED: no checkpoint that holds has the signatures of 1 of the trusted witnesses/,
      ),
    ]);
  });

  it('ends with 2 for what is no key, no number or two logs at once', async () => {
    const wrong = [
      ['--key', 'x'],
      ['--needed', 'x'],
      ['--url', 'x'],
      ['--from', 'a', '--url', 'https://b.example'],
    ];
    for (const args of wrong) expect([args, (await verify(...args)).code]).toEqual([args, 2]);
  });
});

describe('asked together with others', () => {
  const log = (): VerifierKey => keyOf(logged.key);

  it('is vouched for by what a witness signed, and not proven where the witness is ahead', async () => {
    const folder = join(logged.folder, 'witness');
    const witness = await openWitness({ folder, name: 'w.test', logs: [log()], onNews: () => undefined });
    const server = witnessServer(witness, () => undefined);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    try {
      const nothing = await verify('--ask', url);
      expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('has signed nothing of parley/')]);
      const newest = await fetch(`${logged.deployment.baseUrls[0]}/transparency/checkpoint`).then((one) => one.text());
      expect((await witness.add(`old 0\n\n${newest}`)).status).toBe(200);
      const byAnybody = await verify('--ask', url, '--key', logged.key);
      expect([byAnybody.code, lastOf(byAnybody)]).toEqual([
        0,
        expect.stringContaining(`that the witness at ${url} is one: nobody named its key`),
      ]);
      const byWitness = await verify('--ask', url, '--key', logged.key, '--witness', witness.key);
      expect([byWitness.code, lastOf(byWitness)]).toEqual([
        0,
        expect.stringContaining(`that the witness at ${url} vouches for was taken away`),
      ]);
      expect((await verify('--ask', url, '--witness', witness.key)).code).toBe(0);
      const others = await verify('--needed', '2', '--witness', witness.key);
      expect([others.code, others.stderr]).toEqual([
        1,
        expect.stringContaining('2 witnesses are needed, and 1 is named'),
      ]);
      const noNote = join(logged.folder, 'no-note');
      await writeFile(noNote, 'hello');
      const notKept = await verify('--known', noNote);
      expect([notKept.code, notKept.stdout, notKept.stderr]).toEqual([
        1,
        '',
        expect.stringContaining(`${noNote} is no checkpoint`),
      ]);
      // Signed by the log for a larger tree, as if the newest events had been cut from tables and checkpoints alike.
      const { origin, size } = parseCheckpoint(parseNote(newest)!.text)!;
      const text = checkpointText({ origin, size: size + 64, root: new Uint8Array(32) });
      const key = signingKey('log', origin, logged.seed);
      const ahead = noteText({ text, signatures: [signatureOf(key, text)] });
      const known = join(logged.folder, 'ahead');
      await writeFile(known, ahead);
      const byKnown = await verify('--known', known, '--key', logged.key);
      expect([byKnown.code, lastOf(byKnown)]).toEqual([1, expect.stringMatching(/^WRONG: \d things?, /)]);
      expect(linesOf(byKnown)[0]).toMatch(
        /^the stored events end after \d+, and the checkpoint at .* is of \d+: the newest/,
      );
    } finally {
      await server.close();
      await witness.close();
    }
    const gone = await verify('--ask', url);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/cannot be asked: .* does not answer/)]);
    expect(await verify('--ask')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('WITNESSES is empty') as string,
    });
  });
});

function keyOf(text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key === null) throw new Error(`no key: ${text}`);
  return key;
}

describe('an export', () => {
  let log: string;
  beforeAll(async () => {
    log = join(logged.folder, 'log');
    await exportTo(log);
  });

  it('is a log by itself', async () => {
    const outcome = await verify('--from', log, '--key', logged.key);
    expect([outcome.code, lastOf(outcome)]).toEqual([
      0,
      expect.stringMatching(/^PROVEN: the first \d+ leaves of the log are .* NOT PROVEN: what is stored/),
    ]);
  });

  it('takes what is new only, and stays the beginning of what comes', async () => {
    const known = join(logged.folder, 'known');
    await writeFile(known, await readFile(join(log, 'checkpoint')));
    const partial = await readdir(join(log, 'tile', '0'));
    await logged.goOn();
    const { size, before, files } = await exportTo(log);
    expect(size).toBeGreaterThan(before);
    expect(files).toBeLessThan(10);
    // Partial tiles that the tree has outgrown are removed.
    const now = await readdir(join(log, 'tile', '0'));
    expect([partial, now]).toEqual([
      ['000', '001.p'],
      ['000', '001.p'],
    ]);
    expect(await readdir(join(log, 'tile', '0', '001.p'))).toEqual([String(size % 256)]);
    expect((await verify('--from', log, '--key', logged.key, '--known', known, '--stores')).code).toBe(0);
    expect(await exportTo(log)).toMatchObject({ before: size, size, files: 0 });
    // The export writes a removed file again.
    const [lost, kept] = [join(log, 'tile', 'entries', '000'), await readFile(join(log, 'tile', 'entries', '000'))];
    await rm(lost);
    expect(await exportTo(log)).toMatchObject({ before: size, size, files: 1 });
    expect(await readFile(lost)).toEqual(kept);
  });

  it.each([
    ['a tile', join('tile', '0', '000')],
    ['entries', join('tile', 'entries', '000')],
    ['the checkpoint', 'checkpoint'],
  ])('is refused when %s was altered', async (_, path) => {
    const file = join(log, path);
    const bytes = await readFile(file);
    await writeFile(file, bytes.with(60, (bytes[60] ?? 0) ^ 1));
    expect((await verify('--from', log, '--key', logged.key)).code).toBe(1);
    await writeFile(file, bytes);
  });

  it('names the event where the store and its own log were altered alike', async () => {
    const event = await anEvent();
    const outcomes = await whileAltered(event, async () => {
      await relogged(event);
      return [await verify(), await verify('--from', log, '--stores', '--key', logged.key)] as const;
    });
    await relogged(event);
    const [beside, byExport] = outcomes;
    expect([beside.code, beside.stdout]).toEqual([1, expect.stringContaining('the stored events up to leaf')]);
    expect([byExport.code, linesOf(byExport)[0]]).toEqual([
      1,
      `revision ${event.revision} of ${event.stream}: data altered`,
    ]);
    expect((await verify()).code).toBe(0);
  });

  it('is not mixed with the log of others', async () => {
    const note = await readFile(join(log, 'checkpoint'), 'utf8');
    const other = join(logged.folder, 'other');
    await exportTo(other);
    await writeFile(join(other, 'checkpoint'), note.replace(/^parley\/\S+/, 'parley/another'));
    const { code, stderr } = await logged.run(['audit', 'export', '--to', other]);
    expect([code, stderr.trim()]).toEqual([1, 'what is there is of another log, “parley/another”']);
  });

  it('goes to a bucket as well', async () => {
    const server = await StrictS3.start();
    const { accessKeyId, secretAccessKey } = StrictS3.credentials;
    const env = { S3_ENDPOINT: server.endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
    const place = `s3://${StrictS3.bucket}/logs/parley`;
    try {
      const { size } = await exportTo(place, env);
      expect(await exportTo(place, env)).toMatchObject({ size, before: size });
      const outcome = await logged.run(['audit', 'verify', '--from', place, '--key', logged.key], env);
      expect([outcome.code, lastOf(outcome)]).toEqual([0, expect.stringContaining(`the first ${size} leaves`)]);
    } finally {
      await server.stop();
    }
  });
});

describe('the log of a service', () => {
  const served = async (scopes: readonly string[] | null, ...args: string[]): Promise<CommandOutcome> => {
    const [url = ''] = logged.deployment.baseUrls;
    const token = scopes === null ? {} : { PARLEY_OPERATOR_TOKEN: (await operatorOf(logged.deployment, scopes)).token };
    return logged.run(['audit', 'verify', '--url', url, ...args], token);
  };

  it('is proven by its hashes to everybody, and by its entries to an auditor', async () => {
    const [open, audited] = [await served(null), await served(['audit'])];
    expect([open.code, lastOf(open)]).toEqual([
      0,
      expect.stringMatching(
        /^PROVEN: the first \d+ leaves .*which events the leaves are of, since no entries were read/,
      ),
    ]);
    expect([audited.code, lastOf(audited)]).toEqual([0, expect.not.stringContaining('which events the leaves are of')]);
  });

  it('is held against the events that are stored here, whom it names where it has entries', async () => {
    const event = await anEvent();
    const [open, audited] = await whileAltered(event, async () => [
      await served(null, '--stores'),
      await served(['audit'], '--stores'),
    ]);
    expect([open.code, audited.code]).toEqual([1, 1]);
    expect(linesOf(audited)[0]).toBe(`revision ${event.revision} of ${event.stream}: data altered`);
    expect(open.stdout).toContain(`revision ${event.revision} of ${event.stream}: added`);
  });

  it('is not read by who may not', async () => {
    const { code, stderr } = await served(['runs']);
    expect([code, stderr.trim()]).toEqual([
      1,
      expect.stringMatching(/tile\/entries\/000 answered 403: .* needs the scope audit$/),
    ]);
  });
});

// A tombstone is permanent, so this comes last.
describe('stores in which single streams were tombstoned', () => {
  it('names what they hide, and proves the events, which are all stored', async () => {
    const streams = ['audit-checkpoints', 'deployment-main', 'operator-log'];
    const operator = await operatorOf(logged.deployment, ['deployment']);
    await operator.post('/deployment/controls/withdrawals/pause', { reason: 'a test' });
    const admin = connectEventStore(logged.deployment.eventStoreUrl);
    for (const stream of streams) await admin.tombstoneStream(stream);
    await admin.dispose();
    const outcome = await verify();
    expect([outcome.code, outcome.stderr.trim().split('\n').at(-1)]).toEqual([1, altered]);
    const lines = linesOf(outcome);
    expect(lines.slice(0, 3).map((line) => line.replace(/ up to revision \d+/, ''))).toEqual(
      streams.map(
        (stream) =>
          `revision 0 of ${stream}: hidden from everybody who reads the stream: the stream was deleted for good`,
      ),
    );
    expect(lastOf(outcome)).toMatch(/^WRONG: 3 things, named above; as far as signed checkpoints hold: the first \d+ /);
  });
});

/** Updates the log's tables to match the event's stored bytes. */
async function relogged({ position }: Row): Promise<void> {
  await sql(
    logged.deployment,
    `UPDATE transparency_leaves AS leaf SET data_sha256 = sha256(data) FROM event_store.events
      WHERE position = $1 AND global_position = $1`,
    [position],
  );
}
