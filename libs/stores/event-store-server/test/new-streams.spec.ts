/** A stream that a request begins is not read first: the insert makes sure that it is new. Answers do not depend on what is in memory. */
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import fc from 'fast-check';
import type { ProposedEvent } from '../src/event';
import { openWriterSession, type WriterSession } from '../src/storage/session';
import type { WriteRequest, WriteResult } from '../src/writing/request';
import { Writer } from '../src/writing/writer';

const runs = 100;

/** A writer on a database of its own, with the names of the statements that it has run. */
class Probe {
  readonly statements: string[] = [];
  readonly writer = new Writer(
    { committed: () => undefined, fanOut: () => undefined, reloaded: () => undefined },
    () => undefined,
  );

  private constructor(
    private readonly database: TestDatabase,
    private readonly session: WriterSession,
  ) {
    const query = session.db.query.bind(session.db);
    // `as`: the writer calls the overload with a named statement.
    session.db.query = ((statement: { name: string; text: string }) => {
      this.statements.push(statement.name);
      return query(statement);
    }) as typeof session.db.query;
  }

  static async open(): Promise<Probe> {
    const database = await createTestDatabase();
    const probe = new Probe(database, await openWriterSession(database.url, () => undefined));
    await probe.forget();
    return probe;
  }

  /** Leaves the writer without a head in memory, as after a start. */
  async forget(): Promise<void> {
    await this.writer.attach(this.session);
    this.statements.length = 0;
  }

  /** Returns the answers to requests submitted together. */
  submit(...requests: readonly WriteRequest[]): Promise<WriteResult[]> {
    return Promise.all(
      requests.map((request) => new Promise<WriteResult>((resolve) => this.writer.submit(request, resolve))),
    );
  }

  async close(): Promise<void> {
    this.session.destroy();
    await this.database.drop();
  }
}

const probes: Probe[] = [];
afterEach(async () => {
  for (const probe of probes.splice(0)) await probe.close();
});

async function openProbe(): Promise<Probe> {
  const probe = await Probe.open();
  probes.push(probe);
  return probe;
}

function event(id: string = randomUUID(), data = '{}'): ProposedEvent {
  return { id, type: 't', isJson: true, data: Buffer.from(data), metadata: Buffer.alloc(0) };
}

function begin(stream: string, ...events: readonly ProposedEvent[]): WriteRequest {
  return { kind: 'append', stream, expected: 'no_stream', deadlineMs: Infinity, events, bytes: 0 };
}

test('new streams cost one statement, however many begin together', async () => {
  const probe = await openProbe();
  const requests = Array.from({ length: 20 }, (_, number) => begin(`s${number}`, event(), event()));
  const results = await probe.submit(...requests);
  expect(results.map(({ kind }) => kind)).toEqual(requests.map(() => 'written'));
  expect(probe.statements).toEqual(['insert_events']);
});

test('a stream that was not new after all is looked up, and answers as ever', async () => {
  const probe = await openProbe();
  const [first, second] = [event(), event()];
  const withMetadata = begin('$$settled', event(randomUUID(), '{"$maxCount":1}'));
  await probe.submit(begin('old', first, second), withMetadata, {
    kind: 'tombstone',
    stream: 'over',
    expected: 'any',
    deadlineMs: Infinity,
  });
  await probe.forget();
  const results = await probe.submit(
    begin('old', first, second),
    begin('old', event()),
    begin('over', event()),
    begin('settled', event()),
    begin('new', event()),
  );
  expect(results).toEqual([
    { kind: 'written', revision: 1, position: 2 },
    { kind: 'wrong-expected-version', stream: 'old', expected: 'no_stream', current: 1 },
    { kind: 'stream-deleted', stream: 'over' },
    { kind: 'written', revision: 0, position: 5 },
    { kind: 'written', revision: 0, position: 6 },
  ]);
  expect(probe.statements).toEqual(['insert_events', 'load_heads', 'load_ids_at', 'insert_events']);
  expect(probe.writer.knownHead('settled')).toMatchObject({ last: 0, metaLast: 0, metadata: { maxCount: 1 } });
});

const names = fc.constantFrom('a', 'b', '$$a', '$$b');
const ids = fc.constantFrom(...Array.from({ length: 8 }, () => randomUUID()));
const expectations = fc.oneof(
  { weight: 3, arbitrary: fc.constant('no_stream' as const) },
  { weight: 2, arbitrary: fc.constantFrom('any' as const, 'stream_exists' as const) },
  { weight: 2, arbitrary: fc.nat(3) },
);
const data = fc.constantFrom('{}', '{"$maxCount":1}', '{"$tb":2}');
const appends: fc.Arbitrary<WriteRequest> = fc
  .record({ stream: names, expected: expectations, of: fc.array(fc.tuple(ids, data), { maxLength: 2 }) })
  .map(({ stream, expected, of }) => {
    const events = of.map(([id, text]) => event(id, text));
    return { kind: 'append', stream, expected, deadlineMs: Infinity, events, bytes: 0 };
  });
const ends: fc.Arbitrary<WriteRequest> = fc.record({
  kind: fc.constantFrom('delete' as const, 'tombstone' as const),
  stream: fc.constantFrom('a', 'b'),
  expected: expectations,
  deadlineMs: fc.constant(Infinity),
});
const groups = fc.array(
  fc.array(fc.oneof({ weight: 6, arbitrary: appends }, { weight: 1, arbitrary: ends }), { minLength: 1, maxLength: 3 }),
  { maxLength: 8 },
);

test('a writer that remembers nothing answers what one that remembers all does', async () => {
  const [remembering, forgetting] = [await openProbe(), await openProbe()];
  let run = 0;
  await fc.assert(
    fc.asyncProperty(groups, async (history) => {
      run += 1;
      for (const group of history) {
        const own = group.map((request) => ofRun(request, run));
        await forgetting.forget();
        expect(await forgetting.submit(...own)).toEqual(await remembering.submit(...own));
      }
    }),
    { numRuns: runs },
  );
}, 120_000);

/** Each run has streams and ids of its own. */
function ofRun(request: WriteRequest, run: number): WriteRequest {
  const stream = `${request.stream}-${run}`;
  if (request.kind !== 'append') return { ...request, stream };
  const id = (of: string): string => `${run.toString(16).padStart(8, '0')}${of.slice(8)}`;
  return { ...request, stream, events: request.events.map((one) => ({ ...one, id: id(one.id) })) };
}
