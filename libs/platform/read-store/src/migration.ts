import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One step of the schema. Steps go forward only: what a database has taken is never changed, and never taken back. */
export interface Migration {
  /** Unique in the product; a database takes what it lacks in ascending order. */
  readonly number: number;
  /** Under which databases know it. */
  readonly name: string;
  readonly sql: string;
}

/** TypeORM sorts by an instant in ms at the end of a name; ours are this one and the number. */
const numberZeroMs = 1_700_000_000_000;

/** A migration that databases know as `CreateRuns1700000000020`. @param sql any number of statements; they run in one transaction */
export function migration(number: number, title: string, sql: string): Migration {
  return { number, name: `${title}${numberZeroMs + number}`, sql };
}

/** As TypeORM takes them. @throws Error when two have the same number */
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

        /** TypeORM asks for one; nothing calls it. */
        async down(): Promise<void> {
          throw new Error('migrations go forward only');
        }
      },
  );
}
