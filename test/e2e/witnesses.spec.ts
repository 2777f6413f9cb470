/**
 * The log's checkpoints are signed by independent witnesses, each at its own pace; anything that is not a signature of theirs is rejected.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogIdentity } from '@app/audit';
import { EventStore } from '@app/event-store';
import { Metrics } from '@app/runtime';
import { startDeployment, type Deployment } from '@app/testing/deployment';
import { partOf, sql } from '@app/testing/journeys';
import { freePorts } from '@app/testing/processes';
import { until } from '@app/testing/until';
import {
  checkpointText,
  cosign,
  noteText,
  openCheckpoint,
  parseNote,
  parseVerifierKey,
  signatureLine,
  signatureOf,
  signingKey,
  type TrustedCheckpoint,
  type VerifierKey,
  verifierKeyText,
} from '@app/transparency';
import { openWitness, witnessServer, type Witness } from '@app/witness';

/** A witness run by the product, with a fixed port and folder. */
interface Peer {
  readonly key: VerifierKey;
  readonly address: string;
  start(log: VerifierKey): Promise<void>;
  stop(): Promise<void>;
}

/** The log's seed; its holder can sign two histories. */
const seed = randomBytes(32);
const liar = signingKey('witness', 'liar.example', Buffer.alloc(32, 9));
let folder: string;
let peers: readonly [Peer, Peer];
let hanging: Server;
let lying: Server;
let lie: RequestListener;
let deployment: Deployment;
let log: VerifierKey;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-witnesses-'));
  const [one = 0, other = 0, hangs = 0, lieAt = 0] = await freePorts(4);
  peers = [await peerAt('w1.example', one), await peerAt('w2.example', other)];
  hanging = await serverAt(hangs, () => undefined);
  lie = (_, response) => response.writeHead(500).end();
  lying = await serverAt(lieAt, (request, response) => lie(request, response));
  const silent = verifierKeyText(signingKey('witness', 'silent.example', Buffer.alloc(32, 8)));
  const witnesses = [
    `${silent} http://127.0.0.1:${hangs}`,
    ...peers.map(({ address }) => address),
    `${verifierKeyText(liar)} http://127.0.0.1:${lieAt}/`,
  ];
  deployment = await startDeployment({
    mode: 'in-process',
    env: {
      AUDIT_SIGNING_KEY: seed.toString('base64'),
      WITNESSES: witnesses.join(', '),
      WITNESSES_NEEDED: '2',
      LOG_LEVEL: 'silent',
    },
  });
  await grow();
  log = await until('the key of the log', async () => {
    const answer = await fetch(`${deployment.baseUrls[0]}/transparency/key`);
    return answer.status === 404 ? null : keyOf((await answer.text()).trim());
  });
});
afterAll(async () => {
  await deployment?.stop();
  for (const peer of peers ?? []) await peer.stop();
  for (const server of [hanging, lying]) server?.closeAllConnections();
  for (const server of [hanging, lying]) server?.close();
  await rm(folder, { recursive: true, force: true });
});

function keyOf(text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key === null) throw new Error(`no key: ${text}`);
  return key;
}

async function peerAt(name: string, port: number): Promise<Peer> {
  const options = { folder: join(folder, name), name, onNews: () => undefined };
  const first = await openWitness({ ...options, logs: [] });
  await first.close();
  let running: { witness: Witness; server: ReturnType<typeof witnessServer> } | null = null;
  return {
    key: keyOf(first.key),
    address: `${first.key} http://127.0.0.1:${port}`,
    start: async (of) => {
      const witness = await openWitness({ ...options, logs: [of] });
      const server = witnessServer(witness, options.onNews);
      await server.listen({ host: '127.0.0.1', port });
      running = { witness, server };
    },
    stop: async () => {
      await running?.server.close();
      await running?.witness.close();
      running = null;
    },
  };
}

async function serverAt(port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The checkpoint that is served to everyone; undefined while there is none. */
async function newest(): Promise<{ size: number; note: string } | undefined> {
  const answer = await fetch(`${deployment.baseUrls[0]}/transparency/checkpoint`);
  const note = await answer.text();
  return answer.status === 404 ? undefined : { note, size: Number(note.split('\n')[1]) };
}

/** The signers of an earlier checkpoint, as recorded in the log's own stream. */
async function signersOf(size: number): Promise<string[]> {
  const events = await partOf(deployment, EventStore).readStream('audit-checkpoints', 0, 1_000);
  const lines = events.filter(({ type, payload }) => type === 'checkpoint.cosigned' && payload['size'] === size);
  return lines.map(({ payload: { witness } }) => (typeof witness === 'string' ? (witness.split('+')[0] ?? '') : ''));
}

/** Appends something and has a checkpoint made of it. @returns its size */
async function grow(): Promise<number> {
  const before = (await newest())?.size ?? 0;
  await deployment.newUser();
  return until('a larger checkpoint', async () => {
    await sql(deployment, "SELECT pg_notify('parley_checkpoint_wanted', '')");
    const { size = 0 } = (await newest()) ?? {};
    return size > before ? size : null;
  });
}

/** Opens a note as a client that trusts the log and both witnesses. */
function opened(note: string): TrustedCheckpoint {
  const witnesses = [...peers.map(({ key }) => key), liar];
  const checkpoint = openCheckpoint(note, { log: [log], witnesses, needed: 2 });
  if (typeof checkpoint === 'string') throw new Error(checkpoint);
  return checkpoint;
}

async function untilWitnessed(size: number, names: readonly string[]): Promise<TrustedCheckpoint> {
  return until(`${names.join(' and ')} at ${size}`, async () => {
    const served = await newest();
    const trusted = served?.size === size ? opened(served.note) : null;
    const signers = trusted?.cosignatures.map(({ witness }) => witness).sort();
    return JSON.stringify(signers) === JSON.stringify(names) ? trusted : null;
  });
}

const metrics = (): Promise<string> => partOf(deployment, Metrics).registry.metrics();

it('is signed by no witness that is away, which delays no checkpoint', async () => {
  for (let round = 0; round < 3; round += 1) {
    const size = await grow();
    expect([opened((await newest())!.note).cosignatures, await signersOf(size)]).toEqual([[], []]);
  }
});

it('is signed by both as soon as they are there, while others hang and fail', async () => {
  for (const peer of peers) await peer.start(log);
  await untilWitnessed((await newest())!.size, ['w1.example', 'w2.example']);
  const since = performance.now();
  const size = await grow();
  const { isWitnessed } = await untilWitnessed(size, ['w1.example', 'w2.example']);
  expect(isWitnessed).toBe(true);
  // The log waits 5 s for a witness that hangs.
  expect(performance.now() - since).toBeLessThan(5_000);
});

it('says in metrics which of them answers, and how old what they signed is', async () => {
  const text = await until('the metrics', async () => {
    const shown = await metrics();
    return shown.includes('parley_witness_up{witness="silent.example"} 0') ? shown : null;
  });
  for (const [name, up] of [
    ['w1', 1],
    ['w2', 1],
    ['liar', 0],
  ] as const)
    expect(text).toContain(`parley_witness_up{witness="${name}.example"} ${up}`);
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')
        .at(-1),
    );
  expect(value('parley_transparency_log_size')).toBeGreaterThan(0);
  expect(value('parley_witness_signed_age_seconds{witness="silent.example"}')).toBeGreaterThan(0);
  expect(value('parley_checkpoint_witnessed_age_seconds')).toBeGreaterThanOrEqual(0);
});

it('that comes back signs the newest, and not what it missed', async () => {
  await peers[0].stop();
  const missed = await grow();
  await untilWitnessed(missed, ['w2.example']);
  const last = await grow();
  await peers[0].start(log);
  await untilWitnessed(last, ['w1.example', 'w2.example']);
  expect(await signersOf(missed)).toEqual(['w2.example']);
});

it('shows a log that forks: the witness refuses the other tree of the same size, and everybody sees both checkpoints', async () => {
  const size = await grow();
  await untilWitnessed(size, ['w1.example', 'w2.example']);
  const text = checkpointText({ origin: log.name, size, root: randomBytes(32) });
  const forked = noteText({ text, signatures: [signatureOf(signingKey('log', log.name, seed), text)] });
  const url = peers[0].address.split(' ')[1];
  const refused = await fetch(`${url}/add-checkpoint`, { method: 'POST', body: `old ${size}\n\n${forked}` });
  expect(refused.status).toBe(422);
  const shown = await (await fetch(`${url}/${createHash('sha256').update(log.name).digest('hex')}/fork`)).text();
  const [signed, other] = shown
    .split(/^===== .*\n/m)
    .slice(1)
    .map(opened);
  expect([signed?.size, signed?.cosignatures.length]).toEqual([size, 1]);
  expect([other?.size, other?.cosignatures.length]).toEqual([size, 0]);
  expect(other?.root).not.toEqual(signed?.root);
  // The history that the witness saw continues.
  await untilWitnessed(await grow(), ['w1.example', 'w2.example']);
});

it('is taken from whoever has the key, once it answers as it should', async () => {
  lie = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const note = parseNote(text.slice(text.indexOf('\n\n') + 2));
      const signers = [signingKey('witness', 'stranger.example', Buffer.alloc(32, 7)), liar];
      response.end(signers.map((key) => signatureLine(cosign(key, note?.text ?? '', 1_800_000_000))).join(''));
    });
  };
  await untilWitnessed(await grow(), ['liar.example', 'w1.example', 'w2.example']);
});

it('holds the log where a witness has a larger checkpoint that the log signed, and not at the bare word of a witness', async () => {
  const size = 1_000_000;
  const text = checkpointText({ origin: log.name, size, root: randomBytes(32) });
  const witnessed = (key: ReturnType<typeof signingKey>): string => {
    const note = noteText({ text, signatures: [signatureOf(key, text)] });
    return note + signatureLine(cosign(liar, text, 1_800_000_000));
  };
  const says = (checkpoint: string) => {
    const asked = { offers: 0, looks: 0 };
    lie = (request, response) => {
      asked[request.method === 'POST' ? 'offers' : 'looks'] += 1;
      if (request.method === 'POST') response.writeHead(409).end(`${size}\n`);
      else if (request.url?.endsWith('/checkpoint') === true) response.end(checkpoint);
      else response.writeHead(404).end();
    };
    return asked;
  };
  const hold = () => partOf(deployment, LogIdentity).hold();
  const asked = says(witnessed(signingKey('log', log.name, randomBytes(32))));
  await grow();
  // The checkpoint, the fork, and the same again after the next offer.
  await until('it was asked twice', async () => (asked.offers >= 2 && asked.looks >= 3 ? true : null));
  expect(await hold()).toBeNull();
  says(witnessed(signingKey('log', log.name, seed)));
  const held = await until('the log is held', hold);
  expect(held).toMatchObject({ why: 'witnessed', says: expect.stringContaining(`a checkpoint of ${size} events`) });
});
