import { CannotExport } from '@app/audit';
import { describeFailure } from '@app/composition';
import { systemWords } from '@app/data-folder';
import { CannotCopy } from '@app/database-copies';
import { DataFolderUnusable } from '@app/embedded-postgres';
import { CannotMigrate } from '@app/event-migration';
import { DamagedStream, quotedExactly, Unavailable } from '@app/kernel';
import { visible } from './output';

/** Exit codes that scripts may rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** The reader of the output closed it, as `head` does: the code that a shell reports for a program that SIGPIPE ended. */
  unread: 141,
} as const;

/** A command could not do what it was asked; the message gives the reason in one line. */
export class CommandFailed extends Error {}

/** The command was given wrongly: it ends with the exit code of wrong usage. */
export class WrongUsage extends CommandFailed {}

/** The service does not answer now; it may later. */
export class NoAnswer extends CommandFailed {}

/** Lists foreign tables that a copy does not contain, in one line; empty when there are none. Their names are foreign as well. */
export function leftOutLines(tables: readonly string[]): string[] {
  const names = tables.map((name) => quotedExactly(name)).join(', ');
  return tables.length === 0 ? [] : [`Not copied, since they are no tables of Parley's: ${names}.`];
}

/** The text on stderr for an error: one line for what its user can fix, everything known for anything else. */
export function describe(error: unknown): unknown {
  const whole = [CommandFailed, CannotCopy, CannotExport, CannotMigrate, DataFolderUnusable];
  if (error instanceof Error && whole.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof DamagedStream) return error.message;
  if (error instanceof Unavailable) return `${error.message}: ${causeOf(error)}`;
  // A file that cannot be written, a full disk, a port that is taken: the system's message has the call, and the path if there is one.
  return systemWords(error) ?? describeFailure(error);
}

/** The reason for a failure: the message of its cause, if there is one. */
export function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return visible(error.cause instanceof Error ? error.cause.message : error.message);
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? cause.message : 'it did not answer';
}
