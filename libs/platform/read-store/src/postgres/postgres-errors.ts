import { TookTooLong, Unavailable } from '@app/kernel';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';

// Connection failures (class 08), a server that became read-only, as in a failover (25006), shutdown and start-up (57P0x), too many
// connections (53300), broken sockets; and a transaction that was rolled back so that others could go on (class 40). A retry may well
// succeed.
const awayCodes =
  /^(08...|25006|40001|40P01|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/;
// Messages of `pg` without a code; and PostgreSQL's, with an ambiguous code, for a database that an administrator has closed to
// connections.
const awayMessages =
  /not currently accepting connections|connection terminated|timeout exceeded when trying to connect|timeout expired|query read timeout|not queryable/i;

/** PostgreSQL's code for a table that does not exist. */
const undefinedTable = '42P01';
/** PostgreSQL's codes for a statement that it cancelled: after `statement_timeout` or `lock_timeout`. */
const endedCodes: ReadonlySet<string> = new Set(['57014', '55P03']);

/**
 * Runs the body. Turns errors that mean "PostgreSQL does not answer" or "not this time" into Unavailable, and those of a statement that
 * PostgreSQL cancelled into TookTooLong.
 */
export async function answering<Value>(body: () => Promise<Value>): Promise<Value> {
  try {
    return await body();
  } catch (error) {
    throw asUnavailable(error) ?? error;
  }
}

function asUnavailable(error: unknown): Unavailable | null {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (typeof cause !== 'object' || cause === null) return null;
  const code = 'code' in cause ? String(cause.code) : '';
  const message = 'message' in cause ? String(cause.message) : '';
  if (endedCodes.has(code)) return new TookTooLong('database', { cause: error });
  const isAway = awayCodes.test(code) || awayMessages.test(message);
  return isAway ? new Unavailable('database', { cause: error }) : null;
}

/** Whether PostgreSQL refused because a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === undefinedTable;
}

/** The innermost cause, as text. */
export function rootCauseText(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? rootCauseText(error.cause) : String(error);
}
