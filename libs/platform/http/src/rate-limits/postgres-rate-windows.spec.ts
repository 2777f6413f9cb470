import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SqlExecutor } from '../ports';
import { PostgresRateWindows } from './postgres-rate-windows';

/** A database that counts sweeps, and answers nothing else. */
class Swept extends SqlExecutor {
  sweeps = 0;
  query<Row>(sql: string): Promise<Row[]> {
    if (sql.includes('sweep')) this.sweeps += 1;
    return Promise.resolve([]);
  }
}

it('a start that failed leaves nothing behind that asks its database', async () => {
  jest.useFakeTimers();
  const sql = new Swept();
  const windows = { provide: PostgresRateWindows, useFactory: () => new PostgresRateWindows(sql) };
  @Injectable()
  class Failing implements OnModuleInit {
    onModuleInit(): void {
      throw new Error('refused');
    }
  }
  const started = NestFactory.createApplicationContext(
    { module: class Root {}, providers: [windows, Failing] },
    { logger: false, abortOnError: false },
  );
  await expect(started).rejects.toThrow('refused');
  await jest.advanceTimersByTimeAsync(120_000);
  expect(sql.sweeps).toBe(0);
  jest.useRealTimers();
});

it('idle subjects are swept where requests come, every 30 s at most', async () => {
  const sql = new Swept();
  let nowMs = 5;
  const windows = new PostgresRateWindows(sql, () => nowMs);
  const sweepsAt = async (ms: number): Promise<number> => {
    nowMs = ms;
    // Without a row there is no answer.
    await expect(windows.consume([{ subject: 'user:u', limit: 1 }])).rejects.toThrow();
    return sql.sweeps;
  };
  const sweeps = [];
  for (const ms of [29_000, 30_005, 30_006, 60_000, 60_005, 600_000]) sweeps.push(await sweepsAt(ms));
  expect(sweeps).toEqual([0, 1, 1, 1, 2, 3]);
});
