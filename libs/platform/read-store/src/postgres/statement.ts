import type { EntityManager } from 'typeorm';

/** One statement with positional parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs one statement. */
export type Execute = <Row = unknown>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** Runs statements in a transaction. */
export function executeOf(manager: EntityManager): Execute {
  return async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    const found: unknown = await manager.query(sql, [...parameters]);
    // TypeORM returns rows, and for UPDATE and DELETE pairs of rows and their number.
    const isPair = Array.isArray(found) && Array.isArray(found[0]) && typeof found[1] === 'number';
    // Reason for the assertion: the caller names the columns that its statement returns.
    return (isPair ? found[0] : found) as Row[];
  };
}
