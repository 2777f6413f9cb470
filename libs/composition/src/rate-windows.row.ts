import { rateWeightsMigration, rateWindowsMigration } from '@app/http';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables and functions of the HTTP core's rate windows. */
export class CreateRateWindows1700000000520 implements MigrationInterface {
  name = 'CreateRateWindows1700000000520';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(rateWindowsMigration);
  }

  async down(): Promise<void> {
    throw new Error('the product migrates forward only');
  }
}

/** Requests that count as several. */
export class WeighRequests1700000000725 implements MigrationInterface {
  name = 'WeighRequests1700000000725';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(rateWeightsMigration);
  }

  async down(): Promise<void> {
    throw new Error('the product migrates forward only');
  }
}
