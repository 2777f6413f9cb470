/**
 * A successor asks its witnesses first: one that has seen more is named, with what to do, and only an explicit option
 * overrides it; where it is not known what one has seen, nothing does.
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readConfiguration, type Configuration } from '@app/settings';
import { witnessKey } from '@app/testing/transparency';
import { checkpointText, cosign, noteText, signatureLine, signatureOf, verifierKeyText } from '@app/transparency';
import type { CheckpointsState, SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import { LogKeys } from '../signing/log-keys';
import { PlanResumption, PlanResumptionHandler } from './plan-resumption';

const text = checkpointText({ origin: 'log', size: 10, root: new Uint8Array(32) });
const cosigned = signatureLine(cosign(witnessKey, text, 1));
const newest = {
  size: 10,
  note: `${text}\n— log AAAAAAAA\n`,
  cosignatures: [],
} as Partial<SignedCheckpoint> as SignedCheckpoint; // witnesses are shown nothing else

let server: Server;
let answer = { status: 200, body: '' };
/** The answer to the second offer of a plan; null: the same as to the first. */
let then: typeof answer | null = null;
let asked: string[] = [];
/** The checkpoint that the witness shows as its last one. */
let shown: string | null = null;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        const found = request.url?.endsWith('/checkpoint') === true ? shown : null;
        response.writeHead(found === null ? 404 : 200).end(found ?? '');
        return;
      }
      asked.push(body);
      const { status, body: text } = (asked.length > 1 ? then : null) ?? answer;
      response.writeHead(status).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
  then = null;
  shown = null;
});

/** @param seed of the log's key: one byte, repeated */
function configuration(seed = 1): Configuration {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const WITNESSES = `${verifierKeyText(witnessKey)} http://127.0.0.1:${port}`;
  const AUDIT_SIGNING_KEY = Buffer.alloc(32, seed).toString('base64');
  return readConfiguration({ PARLEY_MODE: 'sandbox', WITNESSES, WITNESSES_NEEDED: '1', AUDIT_SIGNING_KEY });
}

/** Those of AUDIT_SIGNING_KEY, for which no database is read. */
function keysOf(seed: number): LogKeys {
  return new LogKeys({} as never, configuration(seed));
}

/** A checkpoint of so many events under the witness's line, signed by the log or by another key under its name. */
async function checkpointOf(size: number, by: 'log' | 'stranger'): Promise<string> {
  const larger = checkpointText({ origin: 'log', size, root: new Uint8Array(32) });
  const key = await keysOf(by === 'log' ? 1 : 2).of('log');
  return noteText({ text: larger, signatures: [signatureOf(key, larger), cosign(witnessKey, larger, 1)] });
}

async function planned(as: 'copy' | 'successor', despite = false, signed: readonly SignedCheckpoint[] = [newest]) {
  const hold = { id: 'h1', why: 'restored', since: null, says: 'it was restored' };
  const handler = new PlanResumptionHandler(
    { hold: async () => hold } as never, // the handler calls nothing else of it
    { current: async () => ({ origin: 'log', keys: [], signed }) as Partial<CheckpointsState> } as never,
    { tree: () => ({ consistencyPath: async () => [new Uint8Array(32)] }) } as never,
    configuration(),
    keysOf(1),
  );
  return handler.execute(new PlanResumption(as, despite));
}

const messageOf = (result: Awaited<ReturnType<typeof planned>>): string =>
  !result.ok && result.refusal.kind === 'invalid_input' ? (result.refusal.issues[0]?.message ?? '') : 'accepted';

it('goes on where the witness has seen no more than there is, and signs that the log grew from there', async () => {
  answer = { status: 409, body: '7\n' };
  then = { status: 200, body: cosigned };
  expect(await planned('successor')).toMatchObject({ ok: true, value: { as: 'successor', hold: 'h1', above: 7 } });
  const proof = `${Buffer.alloc(32).toString('base64')}\n`;
  expect(asked).toEqual([`old 10\n\n${newest.note}`, `old 7\n${proof}\n${newest.note}`]);
});

it('goes on where the witness has seen nothing', async () => {
  answer = { status: 409, body: '0\n' };
  expect(await planned('successor')).toMatchObject({ ok: true, value: { above: 0 } });
});

it('refuses where the witness has seen another, smaller tree, and goes on beyond it when it is told to', async () => {
  answer = { status: 409, body: '7\n' };
  then = { status: 422, body: 'no' };
  expect(messageOf(await planned('successor'))).toContain('contradicts: it has seen another tree of 7 events.');
  asked = [];
  expect(await planned('successor', true)).toMatchObject({ ok: true, value: { above: 7 } });
});

it('refuses where the witness names another size each time', async () => {
  answer = { status: 409, body: '7\n' };
  expect(messageOf(await planned('successor'))).toContain('it names another size each time');
});

it('refuses where the witness has seen more, and goes on beyond it when it is told to', async () => {
  answer = { status: 409, body: '25\n' };
  shown = await checkpointOf(25, 'log');
  const refused = messageOf(await planned('successor'));
  expect(refused).toContain(`Witness ${witnessKey.name} has seen 25 events of the log, and 10 are signed here.`);
  expect(refused).toContain('Restore a copy that is as new, or resume as a copy');
  expect(await planned('successor', true)).toMatchObject({ ok: true, value: { above: 25 } });
});

it.each([
  ['shows nothing', () => null],
  ['shows what another key signed', () => checkpointOf(Number.MAX_SAFE_INTEGER, 'stranger')],
  ['shows a smaller one', () => checkpointOf(25, 'log')],
])('never goes on beyond a size that the witness merely claims: it %s', async (_, found) => {
  answer = { status: 409, body: `${Number.MAX_SAFE_INTEGER}\n` };
  shown = await found();
  const refused = messageOf(await planned('successor', true));
  expect(refused).toContain(`Witness ${witnessKey.name} claims to have seen ${Number.MAX_SAFE_INTEGER} events`);
  expect(refused).toContain('Without that witness in WITNESSES the log goes on');
});

it('refuses where the witness has seen another tree', async () => {
  answer = { status: 409, body: '10\n' };
  expect(messageOf(await planned('successor'))).toContain('contradicts: it has seen another tree of 10 events');
  asked = [];
  expect(await planned('successor', true)).toMatchObject({ ok: true, value: { above: 10 } });
});

it.each([false, true])(
  'refuses where it is not known what the witness has seen, told to go on or not: %s',
  async (despite) => {
    answer = { status: 500, body: 'no' };
    const refused = messageOf(await planned('successor', despite));
    expect(refused).toContain(`Witness ${witnessKey.name} does not say what it has seen (status 500: “no”)`);
    expect(refused).toContain('Where it is not known what a witness has seen');
    expect(messageOf(await planned('successor', despite, []))).toContain('cannot be asked');
  },
);

it('asks nobody for a copy, which gets a name of its own', async () => {
  answer = { status: 409, body: '25\n' };
  expect(await planned('copy')).toMatchObject({ ok: true, value: { as: 'copy', above: 0 } });
  expect(asked).toEqual([]);
});
