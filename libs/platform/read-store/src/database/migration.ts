import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One step of the schema. Steps go forward only: an applied step is never changed or reverted. */
export interface Migration {
  /** Unique in the product; missing migrations are applied in ascending order. */
  readonly number: number;
  /** The name under which databases record it. */
  readonly name: string;
  readonly sql: string;
}

/** TypeORM sorts by a timestamp in ms at the end of the name; ours is this one plus the number. */
const numberZeroMs = 1_700_000_000_000;

/**
 * Creates a migration that databases record as `CreateRuns1700000000020`. @param sql any number of statements; they run in one transaction
 */
export function migration(number: number, title: string, sql: string): Migration {
  return { number, name: `${title}${numberZeroMs + number}`, sql };
}

/** The migrations as TypeORM's classes. @throws Error when two have the same number */
export function migrationClasses(migrations: readonly Migration[]): (new () => MigrationInterface)[] {
  const names = new Map<number, string>();
  for (const { number, name } of migrations) {
    const other = names.get(number);
    if (other !== undefined) throw new Error(`the migrations ${other} and ${name} have the same number`);
    names.set(number, name);
  }
  return migrations.map(
    ({ name, sql }) =>
      class implements MigrationInterface {
        readonly name = name;

        async up(runner: QueryRunner): Promise<void> {
          // A table that is changed may be in use for longer than other statements wait.
          await runner.query('SET LOCAL lock_timeout = 0');
          await runner.query(sql);
        }

        /** Required by TypeORM's interface; nothing calls it. */
        async down(): Promise<void> {
          throw new Error('migrations go forward only');
        }
      },
  );
}
