import { TookTooLong, Unavailable } from '@app/kernel';
import { DatabaseError } from 'pg';
import { overtakenCode, tablesChangedCode } from '../migrations/migrations';

/** PostgreSQL's codes when tables are not where they were left, or are not the right ones. */
const movedCodes: ReadonlySet<string> = new Set([overtakenCode, tablesChangedCode]);

/**
 * Another projector has moved the tables, or there are others to follow, which are behind what was passed. The same batch would leave
 * something out; starting over reads the tables' present positions.
 */
export class Overtaken extends Error {}

export function hasMoved(error: unknown): boolean {
  return error instanceof DatabaseError && movedCodes.has(error.code ?? '');
}

/** Whether the cause may be one table or one event: anything but an unreachable database, and tables that others moved. */
export function isTableError(error: unknown): boolean {
  if (error instanceof TookTooLong) return true;
  return !(error instanceof Unavailable || error instanceof Overtaken || hasMoved(error));
}
