import { TookTooLong, Unavailable } from '@app/kernel';
import { DatabaseError } from 'pg';
import { overtakenCode, tablesChangedCode } from './migrations';

/** Of what PostgreSQL answers: tables are not where they were left, are not these, or are gone. */
const movedCodes: ReadonlySet<string> = new Set([overtakenCode, tablesChangedCode]);
const undefinedTable = '42P01';

/**
 * The tables were moved by another projector, or there are others to follow, which are not as far as what was passed. The same batch would
 * leave something out; starting over reads where the tables are now.
 */
export class Overtaken extends Error {}

export function hasMoved(error: unknown): boolean {
  return error instanceof DatabaseError && movedCodes.has(error.code ?? '');
}

export function isGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === undefinedTable;
}

/** Whether it can be the fault of one table or of one event: of anything but a database that is away, and tables that others moved. */
export function isOfATable(error: unknown): boolean {
  if (error instanceof TookTooLong) return true;
  return !(error instanceof Unavailable || error instanceof Overtaken || hasMoved(error));
}

/** The first cause, in its own words. */
export function rootOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : String(error);
}
