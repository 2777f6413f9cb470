/** A witness's answer is accepted only if it is its signature over the checkpoint that it was offered. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { TestLog } from '@app/testing/logs';
import { cosign, cosignatureBy, noteText, parseNote, signatureLine, signingKey } from '@app/transparency';
import { offerCheckpoint, type WitnessAnswer, WitnessTrouble } from '../src/witnesses/witness-call';

const key = signingKey('witness', 'w.example', Buffer.alloc(32, 9));
const other = signingKey('witness', 'w.example', Buffer.alloc(32, 10));
const now = Math.floor(Date.now() / 1_000);
const log = TestLog.create();
const note = log.note(9);
const { text } = parseNote(note)!;

let answer: RequestListener;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function offer(signal = new AbortController().signal): Promise<WitnessAnswer> {
  return offerCheckpoint({ key, url }, { old: 4, path: log.path(4, 9), note }, signal);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // Reason for the assertion: a request without an encoding gives bytes.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

it('is offered the old size, the proof and the note, and its line is taken', async () => {
  let body = '';
  answer = (request, response) =>
    void bodyOf(request).then((sent) => {
      body = `${request.method} ${request.url} ${sent}`;
      response.end([other, key].map((one) => signatureLine(cosign(one, text, now))).join(''));
    });
  const taken = await offer();
  expect(body).toBe(`POST /add-checkpoint ${log.submission(4, 9)}`);
  if (!('line' in taken)) throw new Error('it was not taken');
  expect(cosignatureBy(parseNote(note + taken.line)!, key)).toEqual({ witness: 'w.example', seconds: now });
});

it('says which size it signed last', async () => {
  answer = (_, response) => response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('7\n');
  expect(await offer()).toEqual({ signedLast: 7 });
});

const line = signatureLine(cosign(key, text, now));
it.each<[string, number, string, Record<string, string>?]>([
  ['the signature of another key', 200, signatureLine(cosign(other, text, now))],
  ['a signature of another checkpoint', 200, signatureLine(cosign(key, text.replace('9', '8'), now))],
  ['another signature under its name and id', 200, signatureLine({ ...cosign(other, text, now), keyId: key.id })],
  ['a signature without a time', 200, signatureLine(cosign(key, text, 0))],
  ['both of that', 200, line + signatureLine({ ...cosign(other, text, now), keyId: key.id })],
  ['a line that does not end', 200, line.trimEnd()],
  ['nothing', 200, ''],
  ['a whole note', 200, noteText({ text, signatures: [cosign(key, text, now)] })],
  ['more than anybody reads', 200, line.repeat(1_000)],
  ['another address', 307, '', { location: 'http://127.0.0.1:1/add-checkpoint' }],
  ['a size that is none', 409, 'seven\n'],
  ['a failure', 500, line],
])('%s is not taken', async (_, status, body, headers = {}) => {
  answer = (__, response) => response.writeHead(status, headers).end(body);
  await expect(offer()).rejects.toThrow(WitnessTrouble);
});

it.each([
  [422, 'no\n', 'contradiction'],
  [409, 'seven\n', 'contradiction'],
  [400, '', 'unknown'],
  [403, '', 'unknown'],
  [404, '', 'unknown'],
  [410, '', 'unknown'],
  [408, '', null],
  [429, '', null],
  [500, '', null],
  [503, '', null],
  [200, '', null],
])('%d %j is a refusal: %s', async (status, body, refusal) => {
  answer = (_, response) => response.writeHead(status).end(body);
  await expect(offer()).rejects.toMatchObject({ refusal });
});

it('is waited for 5 seconds, for its headers as for its body, and no longer than the process lives', async () => {
  const waits: RequestListener[] = [() => undefined, (_, response) => response.write('\u2014 ')];
  for (const wait of waits) {
    answer = wait;
    const since = performance.now();
    await expect(offer()).rejects.toThrow('does not answer');
    expect(performance.now() - since).toBeGreaterThan(4_900);
    const stopping = new AbortController();
    const going = offer(stopping.signal);
    stopping.abort();
    await expect(going).rejects.toThrow('does not answer');
  }
});
