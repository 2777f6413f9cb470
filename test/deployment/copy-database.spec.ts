import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationOf, defined, holdings, start, untilEnded } from '@app/testing/journeys';
import { TestClient } from '@app/testing/client';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { jsonOf, parley } from './cli';

const startedWithinMs = 120_000;
/** A text that jsonb, bytea, escapes and nulls could spoil in the copy. */
const awkwardText = 'repeat after me: "quoted", (a, b), back\\slash, \u{1f511} and\nanother line';

let folder: string;
let baseUrl: string;
let ports: Record<string, string>;
let database: TestDatabase;
let service: TestProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-copy-'));
  const [port, managementPort] = await freePorts(2);
  ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), LOG_LEVEL: 'warn' };
  baseUrl = `http://127.0.0.1:${port}`;
  database = await createTestDatabase();
  service = standalone({});
  await service.start();
}, startedWithinMs);

afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function standalone(env: Record<string, string>): TestProcess {
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl);
  return new TestProcess({ app: 'standalone', cwd: folder, env: { ...ports, ...env }, ready });
}

it(
  'copies a whole deployment into another PostgreSQL, where it goes on',
  async () => {
    // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
    const access = JSON.parse(await readFile(join(folder, '.parley', 'sandbox.json'), 'utf8')) as Record<
      string,
      string
    >;
    const user = new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', access['userId'] ?? '');
    await user.post('/wallet');
    const conversationId = await conversationOf(user, 'A title');
    const { body: run } = await start(user, conversationId, awkwardText);
    await untilEnded(user, run.runId);
    const automation = await defined(user);
    const look = async () => [
      await holdings(user),
      (await user.get(`/conversations/${conversationId}/events`)).body,
      (await user.get(`/automations/${automation.id}`)).body,
      (await user.get('/agent-runs')).body,
    ];
    const before = await look();

    // The URL contains a password, so it must not be an argument.
    const target = join(folder, 'target');
    await writeFile(target, `${database.url}\n`);
    const copy = ['copy-database', '--to-file', target, '--json'];
    expect(await parley({}, copy, folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    expect(await service.stop()).toBe(0);
    const { tables, rows } = jsonOf<{ tables: { table: string; rows: number }[]; rows: number }>(
      await parley({}, copy, folder),
    );
    expect(rows).toBeGreaterThan(20);
    expect(tables).toContainEqual({ table: 'event_store.events', rows: expect.any(Number) });
    const again = await parley({}, copy, folder);
    expect(again).toMatchObject({ code: 1, stderr: 'the target holds events already: name an empty database\n' });

    service = standalone({ DATABASE_URL: database.url });
    await service.start();
    expect(await look()).toEqual(before);
    const { body: next } = await start(user, conversationId, 'help');
    expect(await untilEnded(user, next.runId)).toMatchObject({ status: 'completed' });
  },
  5 * startedWithinMs,
);
