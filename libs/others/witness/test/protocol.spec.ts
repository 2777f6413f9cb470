/** The protocol case by case, over HTTP. Source: C2SP tlog-witness. */
import { createHash } from 'node:crypto';
import { TestLog } from '@app/testing/logs';
import {
  cosignatureBy,
  isNoteSignedBy,
  noteText,
  parseNote,
  signatureOf,
  signingKey,
  toBase64,
} from '@app/transparency';
import { keyOf, serveWitness, type ServedWitness } from './served';

let log: TestLog;
let served: ServedWitness;
beforeEach(async () => {
  log = TestLog.create();
  served = await serveWitness({ logs: [log.verifierKey] });
});
afterEach(() => served.close());

/** Returns when the witness saw the note, by its signature lines; null when it did not sign it. */
function seenAt(note: string, lines: string): number | null {
  const parsed = parseNote(note + lines);
  return parsed && (cosignatureBy(parsed, keyOf(served.witness.key))?.seconds ?? null);
}

const hashOf = (origin: string): string => createHash('sha256').update(origin).digest('hex');
const bare = (body: string): string => body.slice(0, body.indexOf('\n\n') + 2);

describe('200: what grew is signed, with the time', () => {
  it('the first checkpoint, of any size, without a proof', async () => {
    const before = Math.floor(Date.now() / 1000);
    const answer = await served.submit(log.submission(0, 21));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/^— witness\.example\/w1 \S+\n$/);
    expect(seenAt(log.note(21), answer.body)).toBeGreaterThanOrEqual(before);
    expect(seenAt(log.note(22), answer.body)).toBeNull();
  });

  it.each([
    [1, 2],
    [3, 8],
    [8, 8],
    [8, 300],
    [255, 257],
  ])('from %d to %d leaves', async (old, size) => {
    await served.submit(log.submission(0, old));
    const answer = await served.submit(log.submission(old, size));
    expect(answer.status).toBe(200);
    expect(seenAt(log.note(size), answer.body)).not.toBeNull();
  });

  it('a tree without leaves, and what grows from it', async () => {
    expect((await served.submit(log.submission(0, 0))).status).toBe(200);
    expect((await served.submit(log.submission(0, 5))).status).toBe(200);
    expect((await served.submit(log.submission(0, 6))).body).toBe('5\n');
  });

  it('whatever others signed below it', async () => {
    const stranger = signingKey('log', 'stranger.example', Buffer.alloc(32, 7));
    const namesake = TestLog.create(log.origin);
    const { text, signatures } = parseNote(log.note(4))!;
    const others = [signatureOf(stranger, text), signatureOf(namesake.key, 'another text\n')];
    const all = [...others, ...Array.from({ length: 90 }, () => signatures).flat()];
    const answer = await served.submit(log.submission(0, 4, [], noteText({ text, signatures: all })));
    expect(answer.status).toBe(200);
    expect((await served.get(`/${hashOf(log.origin)}/checkpoint`)).body).toBe(log.note(4) + answer.body);
  });

  it('extension lines with it', async () => {
    const note = log.note(4, log.root(4), 'an extension\n');
    const answer = await served.submit(log.submission(0, 4, [], note));
    expect(seenAt(note, answer.body)).not.toBeNull();
    expect(seenAt(log.note(4), answer.body)).toBeNull();
  });

  it('never with an earlier time than before, whatever the clock says', async () => {
    let ms = 2_000_000_000_000;
    const moved = await serveWitness({ logs: [log.verifierKey], now: () => ms });
    const first = await moved.submit(log.submission(0, 4));
    ms -= 3_600_000;
    const second = await moved.submit(log.submission(4, 5));
    const key = keyOf(moved.witness.key);
    const times = [log.note(4) + first.body, log.note(5) + second.body].map((note) =>
      cosignatureBy(parseNote(note)!, key),
    );
    expect(times.map((time) => time?.seconds)).toEqual([2_000_000_000, 2_000_000_000]);
    await moved.close();
  });

  it('by any key of the log', async () => {
    const changed = log.withKey();
    const both = await serveWitness({ logs: [log.verifierKey, changed.verifierKey] });
    expect((await both.submit(log.submission(0, 4))).status).toBe(200);
    expect((await both.submit(changed.submission(4, 9))).status).toBe(200);
    await both.close();
  });
});

describe('400: what is no submission', () => {
  it.each<[string, (body: string) => string]>([
    ['nothing', () => ''],
    ['no old size', (body) => body.slice(body.indexOf('\n') + 1)],
    ['a size with a leading zero', (body) => body.replace('old 3', 'old 03')],
    ['a size with a sign', (body) => body.replace('old 3', 'old +3')],
    ['two spaces', (body) => body.replace('old 3', 'old  3')],
    ['a size that no number holds', (body) => body.replace('old 3', 'old 99999999999999999999')],
    ['a hash that is none', (body) => body.replace('\n', '\nnone\n')],
    ['a short hash', (body) => body.replace('\n', `\n${toBase64(Buffer.alloc(31))}\n`)],
    ['64 hashes', (body) => body.replace('\n', `\n${`${toBase64(Buffer.alloc(32))}\n`.repeat(62)}`)],
    ['no empty line', (body) => body.replace('\n\n', '\n')],
    ['no checkpoint', bare],
    ['a note without signatures', (body) => body.slice(0, body.indexOf('\n—'))],
    ['a checkpoint without a root', (body) => body.replace(/\n.{43}=\n\n—/, '\n\n—')],
    ['a last line that does not end', (body) => body.slice(0, -1)],
    ['lines that end as elsewhere', (body) => body.replaceAll('\n', '\r\n')],
  ])('%s', async (_, change) => {
    await served.submit(log.submission(0, 3));
    const body = log.submission(3, 5);
    expect((await served.submit(change(body))).status).toBe(400);
    expect((await served.submit(body)).status).toBe(200);
  });

  it('bytes that are no text', async () => {
    expect((await served.submit(Buffer.from([0xff, 0xfe]))).status).toBe(400);
  });

  it('an old size that is larger than the checkpoint', async () => {
    await served.submit(log.submission(0, 9));
    expect((await served.submit(log.submission(9, 8, []))).status).toBe(400);
  });

  it('413 for a body that is far too long', async () => {
    expect((await served.submit('x'.repeat(300 * 1024))).status).toBe(413);
  });
});

describe('403 and 404: what no known log signed', () => {
  it('404 for another origin', async () => {
    expect((await served.submit(TestLog.create().submission(0, 4))).status).toBe(404);
  });

  it('403 for a key that is not the log’s', async () => {
    expect((await served.submit(log.withKey().submission(0, 4))).status).toBe(403);
  });

  it('403 where a line stands under the name of the log’s key that it did not make, even beside one that it made', async () => {
    const [note, other] = [parseNote(log.note(4))!, parseNote(log.note(5))!];
    const forged = noteText({ text: note.text, signatures: [...note.signatures, ...other.signatures] });
    expect((await served.submit(log.submission(0, 4, [], forged))).status).toBe(403);
  });

  it('before anything that a submission says of sizes', async () => {
    await served.submit(log.submission(0, 9));
    expect((await served.submit(log.withKey().submission(4, 5))).status).toBe(403);
  });
});

describe('409: another size was signed last', () => {
  it('says which', async () => {
    await served.submit(log.submission(0, 9));
    for (const [old, size] of [
      [0, 12],
      [5, 12],
      [5, 9],
      [0, 4],
      [10, 12],
    ] as const) {
      const answer = await served.submit(log.submission(old, size));
      expect(answer).toEqual({ status: 409, type: 'text/x.tlog.size', body: '9\n' });
    }
  });

  it('0 where none was', async () => {
    expect(await served.submit(log.submission(3, 9))).toMatchObject({ status: 409, body: '0\n' });
  });
});

describe('422: what did not grow from what was signed', () => {
  it('a tree without leaves that has another root', async () => {
    const note = log.note(0, log.root(1));
    expect((await served.submit(log.submission(0, 0, [], note))).status).toBe(422);
  });

  it('a proof where there is nothing to prove', async () => {
    expect((await served.submit(log.submission(0, 8, log.path(4, 8)))).status).toBe(422);
    await served.submit(log.submission(0, 8));
    expect((await served.submit(log.submission(8, 8, log.path(4, 8)))).status).toBe(422);
    expect(served.errors).toEqual([]);
  });

  it.each<[string, (path: Uint8Array[]) => Uint8Array[]]>([
    ['no proof', () => []],
    ['a proof that is too short', (path) => path.slice(1)],
    ['a proof that is too long', (path) => [...path, path[0]!]],
    ['a proof in another order', (path) => [...path].reverse()],
    ['another proof', (path) => path.map((hash) => hash.map((byte) => byte ^ 1))],
  ])('%s', async (_, change) => {
    await served.submit(log.submission(0, 5));
    expect((await served.submit(log.submission(5, 11, change(log.path(5, 11))))).status).toBe(422);
    expect((await served.submit(log.submission(5, 11))).status).toBe(200);
  });
});

describe('what everybody may read', () => {
  it('the checkpoint that was signed last, with the signatures of both', async () => {
    const path = `/${hashOf(log.origin)}/checkpoint`;
    expect((await served.get(path)).status).toBe(404);
    await served.submit(log.submission(0, 3));
    const { body: line } = await served.submit(log.submission(3, 7));
    await served.submit(log.submission(7, 9, []));
    const { status, body } = await served.get(path);
    expect({ status, body }).toEqual({ status: 200, body: log.note(7) + line });
    expect(isNoteSignedBy(parseNote(body)!, log.key)).toBe(true);
    expect((await served.get(`/${hashOf('another')}/checkpoint`)).status).toBe(404);
  });

  it('its key, and that it lives', async () => {
    expect(await served.get('/key')).toEqual({ status: 200, body: `${served.witness.key}\n` });
    expect(keyOf(served.witness.key)).toMatchObject({ kind: 'witness', name: 'witness.example/w1' });
    expect((await served.get('/healthz')).status).toBe(200);
    expect((await served.get('/add-checkpoint')).status).toBe(404);
  });
});
