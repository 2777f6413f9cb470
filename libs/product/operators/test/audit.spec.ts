/**
 * The auditors' view of streams (docs/decisions/operators.md, docs/decisions/proof.md): over HTTP, of what is stored.
 */
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationKind } from '@app/conversations';
import { encodeEvent, EventStore, FoldedStates, streamName, type ReceivedEvent } from '@app/event-store';
import { instantOf } from '@app/kernel';
import { type OperatorClient, operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { byOperator, conversationOf, expectProblem, missingId, partOf, quiet, say, sql } from '@app/testing/journeys';
import { until } from '@app/testing/until';

let deployment: Deployment;
let auditor: OperatorClient;
let user: TestClient;
let conversationId: string;
let stream: string;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'error' } });
  auditor = await operatorOf(deployment, ['audit']);
  user = await deployment.newUser();
  conversationId = await conversationOf(user);
  stream = streamName(conversationKind, conversationId);
  await say(user, conversationId);
  await quiet(deployment);
});
afterAll(() => deployment?.stop());

interface Event {
  readonly seq: number;
  readonly id: string;
  readonly payload: { readonly at: string };
  readonly dataSha256: string;
  readonly metadataSha256: string;
}
interface Events {
  readonly data: readonly Event[];
  readonly nextCursor: string | null;
  readonly at: {
    readonly seq: number;
    readonly state: Record<string, unknown>;
    readonly stoppedAt: number | null;
  } | null;
  readonly and: { readonly seq: number; readonly state: Record<string, unknown> } | null;
  readonly differences:
    readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[] | null;
}
interface Verification {
  readonly checkpoint: { readonly size: number; readonly holds: boolean } | null;
  readonly proven: number;
  readonly pending: number;
  readonly faulty: number;
  readonly faults: readonly { readonly kind: string; readonly revision: number }[];
}

const store = () => partOf(deployment, EventStore);
const rawEvents = (name = stream): Promise<ReceivedEvent[]> => store().readStreamRaw(name, 0, 1_000);
const events = async (query = '', name = stream) => (await auditor.get<Events>(`/streams/${name}/events${query}`)).body;
const verification = async (name = stream) => (await auditor.get<Verification>(`/streams/${name}/verify`)).body;

/** More than the event store caches in memory: 80 MB. */
const longEvents = 1_600;
const eventBytes = 50_000;
const inAppend = 10;

async function appendLong(): Promise<string> {
  const long = `long-${randomUUID()}`;
  const event = { type: 'long.event', at: instantOf(0), text: 'x'.repeat(eventBytes) };
  const { cause } = byOperator(user);
  for (let revision = -1; revision < longEvents - 1; revision += inAppend) {
    const batch = Array.from({ length: inAppend }, () => encodeEvent({ category: 'long' }, event, cause));
    await store().append(long, batch, revision);
  }
  return long;
}

describe('the events of a stream', () => {
  it('are shown with their words open, page by page, with the hashes of their stored bytes', async () => {
    const raw = await rawEvents();
    const opened = await store().readStream(stream, 0, 1_000);
    expect(raw.some(({ data }) => data.includes('"sealed":'))).toBe(true);
    const seen: Event[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Events = await events(`?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.data);
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(
      raw.map(({ revision, position, id, type, data, metadata }, n) => ({
        seq: revision + 1,
        revision,
        position,
        id,
        type,
        payload: opened[n]?.payload,
        metadata: opened[n]?.metadata,
        dataSha256: hash('sha256', data, 'hex'),
        metadataSha256: hash('sha256', metadata, 'hex'),
      })),
    );
    expectProblem(await auditor.get(`/streams/operator-log/events?cursor=x`), 'invalid_cursor');
  });

  it('come to the state that the decider goes by, at every point', async () => {
    const { state, revision } = await partOf(deployment, FoldedStates).fresh(conversationKind, conversationId);
    const last = revision + 1;
    const known: unknown = JSON.parse(JSON.stringify(state));
    expect((await events(`?limit=1&at=${last}`)).at).toEqual({ seq: last, state: known, stoppedAt: null });
    expect((await events('?limit=1&at=999999')).at).toEqual({ seq: last, state: known, stoppedAt: null });
    const [first] = await rawEvents();
    const opened = (JSON.parse(String(first?.data)) as { at: string }).at;
    const before = new Date(Date.parse(opened) - 1).toISOString();
    const span = await events(`?limit=1&at=${before}&and=${encodeURIComponent('2999-01-01T00:00:00+01:00')}`);
    expect([span.at?.seq, span.and]).toEqual([0, { seq: last, state: known, stoppedAt: null }]);
    const expected = JSON.parse(JSON.stringify(conversationKind.decider.initialState)) as unknown;
    expect(span.at?.state).toEqual(expected);
    expect(span.differences?.length).toBeGreaterThan(0);
    expect((await events(`?limit=1&at=2&and=2`)).differences).toEqual([]);
  });

  it('come to a state up to the first that no decider can fold', async () => {
    const strange = `deployment-${randomUUID()}`;
    const event = (type: string) => ({ type, at: instantOf(0), control: 'runs', reason: 'a test' });
    const types = ['deployment.paused', 'deployment.rested', 'deployment.resumed'];
    const encoded = types.map((type) => encodeEvent({ category: 'deployment' }, event(type), byOperator(user).cause));
    await store().append(strange, encoded, -1);
    const { at } = await events('?at=3', strange);
    expect(at).toMatchObject({ seq: 1, stoppedAt: 1, state: { runs: { reason: 'a test' } } });
    expect((await events('?at=1', strange)).at).toMatchObject({ seq: 1, stoppedAt: null });
  });

  it('are not asked for by anything else', async () => {
    const wrong = (query: string) => auditor.get(`/streams/${stream}/events${query}`);
    expectProblem(await wrong('?at=yesterday'), 'invalid_input', { at: ['/at'] });
    expectProblem(await wrong('?at=1&and=-1'), 'invalid_input', { at: ['/and'] });
    expectProblem(await wrong('?and=1'), 'invalid_input', { at: ['/and'] });
    expectProblem(await wrong('?limit=0'), 'invalid_input', { at: ['/limit'] });
    const unknown = [streamName(conversationKind, missingId), '$ce-conversation', '%24all', 'x', 'user-%00', 'a-b%2Fc'];
    for (const name of unknown)
      for (const what of ['events', 'verify', 'export'])
        expectProblem(await auditor.get(`/streams/${name}/${what}`), 'not_found');
  });
});

describe('a stream held against the log', () => {
  const proven = async (name: string): Promise<Verification> => {
    await sql(deployment, `SELECT pg_notify('parley_checkpoint_wanted', '')`);
    return until('a checkpoint', async () => {
      const found = await verification(name);
      return found.checkpoint !== null && found.pending === 0 ? found : null;
    });
  };

  it('is proven up to the newest checkpoint, event by event', async () => {
    const { length } = await rawEvents();
    const found = await proven(stream);
    expect(found).toMatchObject({ proven: length, pending: 0, faulty: 0, faults: [], checkpoint: { holds: true } });
  });

  it('names each event that was altered or removed in PostgreSQL, and one that the log does not know', async () => {
    const id = await conversationOf(user);
    const victim = streamName(conversationKind, id);
    await say(user, id);
    await quiet(deployment);
    // The event store caches its newest events, and the log's newest tile is kept as leaves.
    await appendLong();
    const { length: all } = await rawEvents(victim);
    await until(
      'the log of all of that',
      async () => ((await proven(victim)).checkpoint?.size ?? 0) > longEvents || null,
    );
    const of = `stream = '${victim}' AND revision`;
    await sql(deployment, `UPDATE event_store.events SET data = data || ' '::bytea WHERE ${of} = 1`);
    await sql(deployment, `DELETE FROM event_store.events WHERE ${of} = ${all - 1}`);
    await sql(deployment, `DELETE FROM transparency_leaves WHERE ${of} = 2`);
    const named = ({ faults }: Verification) => faults.map(({ kind, revision }) => `${kind} ${revision}`);
    const found = await verification(victim);
    expect(named(found)).toEqual(['altered 1', 'added 2', `missing ${all - 1}`]);
    expect([found.proven, found.faulty, found.checkpoint?.holds]).toEqual([all - 3, 3, true]);
    // Altering the log's entry as well does not help.
    const altered = `sha256((SELECT data FROM event_store.events WHERE ${of} = 1))`;
    await sql(deployment, `UPDATE transparency_leaves SET data_sha256 = ${altered} WHERE ${of} = 1`);
    expect(named(await verification(victim))[0]).toBe('unproven 1');
  });

  it('is read to its end, whatever revision the log says', async () => {
    const id = await conversationOf(user);
    const victim = streamName(conversationKind, id);
    await proven(victim);
    const far = 2 ** 50;
    const first = `stream = '${victim}' AND revision = 0`;
    await sql(deployment, `UPDATE transparency_leaves SET revision = ${far} WHERE ${first}`);
    const { faults } = await verification(victim);
    expect(faults.map(({ kind, revision }) => [kind, revision])).toEqual([
      ['added', 0],
      ['missing', far],
    ]);
  });
});

describe('a stream that is exported', () => {
  it('is what is stored, byte by byte', async () => {
    const headers = { authorization: `Bearer ${auditor.token}` };
    const answer = await fetch(`${auditor.baseUrl}/operator/v1/streams/${stream}/export`, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const lines = (await answer.text()).split('\n');
    expect(lines.pop()).toBe('');
    const raw = await rawEvents();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      raw.map(({ revision, position, id, type, data, metadata }) => {
        const bytes = { data: data.toString('base64'), metadata: metadata.toString('base64') };
        return { stream, revision, position, id, type, ...bytes };
      }),
    );
  });

  it('is read as fast as it is taken, however long it is', async () => {
    const long = await appendLong();
    const reads = jest.spyOn(store(), 'readRemaining');
    const headers = { authorization: `Bearer ${auditor.token}` };
    const request = httpGet(`${auditor.baseUrl}/operator/v1/streams/${long}/export`, { headers });
    const [answer] = (await once(request, 'response')) as [IncomingMessage]; // reason: what Node says of this event
    await once(answer, 'readable');
    await sleep(1_000);
    // A bounded number of pages is in flight: those read ahead, and the buffers of both sockets.
    expect(reads.mock.calls.length).toBeLessThan(20);
    let lines = 0;
    for await (const chunk of answer) lines += String(chunk).split('\n').length - 1;
    expect([lines, reads.mock.calls.length]).toEqual([longEvents, longEvents / 32]);
    reads.mockRestore();
  });
});
