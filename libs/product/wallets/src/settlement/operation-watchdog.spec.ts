import { Logger } from '@nestjs/common';
import { asId, type OperationId } from '@app/kernel';
import { readStoreMigrations, Database, migrate, Processes } from '@app/read-store';
import { SystemClock } from '@app/runtime';
import { timersMigrations, Timers } from '@app/timers';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { at } from '../../test/operation-facts';
import { operationTimer } from '../operation/operation-start';
import { OperationWatchdog } from './operation-watchdog';
import { operationsMigrations, OperationRow } from '../operation/operations.projection';

const idOf = (nth: number) => asId<OperationId>(`0b7a3b7e-0000-7000-8000-00000000000${nth}`);
const statuses = ['prepared', 'submitted', 'submitted', 'unresolved', 'settled', 'failed'] as const;
const driven = idOf(1);

let created: TestDatabase;
let database: Database;
let timers: Timers;
beforeAll(async () => {
  Logger.overrideLogger(false);
  created = await createTestDatabase();
  const migrations = [...readStoreMigrations, ...timersMigrations, ...operationsMigrations];
  database = await Database.connect({ url: created.url, poolSize: 2, rows: [OperationRow], migrations });
  await migrate(database);
  timers = new Timers(database);
  for (const [nth, status] of statuses.entries()) {
    await database.query(
      `INSERT INTO financial_operations (id, user_id, kind, status, approval_id, contract, actions, created_at, updated_at,
         opened_position, position)
       VALUES ($1, $2, 'withdrawal', $3, $2, '{}', '[]', $4, $4, $5, $5)`,
      [idOf(nth), idOf(9), status, at, nth],
    );
  }
  await timers.schedule(operationTimer(driven, at));
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

test('what is under way and has no timer gets one, and nothing else does', async () => {
  const watchdog = new OperationWatchdog(
    database,
    timers,
    new SystemClock(),
    new Processes(database, { api: false, worker: true }),
  );
  const found = async () =>
    database.query<{ id: string; at: number }>('SELECT id, due_at_ms AS at FROM timers ORDER BY id');
  const before = Date.now();
  await watchdog.sweep();
  const first = await found();
  expect(first.map(({ id }) => id)).toEqual([driven, idOf(2), idOf(3)].map((id) => `operation/${id}`));
  expect(first[0]?.at).toBe(Date.parse(at));
  expect(first[1]?.at).toBeGreaterThanOrEqual(before);
  await watchdog.sweep();
  expect(await found()).toEqual(first);
});
