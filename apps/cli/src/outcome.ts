import { CannotExport } from '@app/audit';
import { describeFailure } from '@app/composition';
import { CannotCopy } from '@app/database-copies';
import { DataFolderUnusable } from '@app/embedded-postgres';
import { CannotMigrate } from '@app/event-migration';
import { Unavailable } from '@app/kernel';
import type { Command } from 'commander';

/** What scripts may rely on. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** A command could not do what it was asked, for a reason that its message says in one line. */
export class CommandFailed extends Error {}

/** The service does not answer now; it may later. */
export class NoAnswer extends CommandFailed {}

/** Prints a result to stdout: as one JSON document where `--json` was given, else as these lines. */
export function print(command: Command, value: unknown, lines: readonly string[]): void {
  const { json } = command.optsWithGlobals<{ readonly json?: boolean }>();
  console.log(json === true ? JSON.stringify(value, null, 2) : lines.join('\n'));
}

/** Rows in columns, below their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The tables of others that a copy does not hold, in a line; none where there are none. */
export function leftOutLines(tables: readonly string[]): string[] {
  return tables.length === 0 ? [] : [`Not copied, since they are no tables of Parley's: ${tables.join(', ')}.`];
}

/** What goes to stderr for an error: one line for what its user can mend, all that is known for anything else. */
export function describe(error: unknown): unknown {
  const whole = [CommandFailed, CannotCopy, CannotExport, CannotMigrate, DataFolderUnusable];
  if (error instanceof Error && whole.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof Unavailable) return `${error.message}: ${causeOf(error)}`;
  return describeFailure(error);
}

/** Why something failed, in the words of what is at the bottom of it. */
export function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? cause.message : 'it did not answer';
}
