import { parseVerifierKey, type VerifierKey } from '@app/transparency';
import { Command, InvalidArgumentError, Option } from 'commander';

/** The settings of a running witness. */
export interface ProgramOptions {
  readonly name?: string;
  readonly log: readonly VerifierKey[];
  readonly dir: string;
  readonly host: string;
  readonly port: number;
}

const portMax = 65_535;
/** The exit code for wrong arguments, as of `parley` (docs/production.md). */
const wrongUsage = 2;

/** The command line of a witness; each option is a variable as well. Ends the process for help and for wrong arguments. */
export function witnessCommand(): Command {
  return new Command('witness')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : wrongUsage))
    .description(
      'Signs that it saw transparency logs grow, and refuses what contradicts what it signed (docs/witness.md).',
    )
    .addOption(new Option('--name <name>', 'how this witness is called, the first time').env('WITNESS_NAME'))
    .addOption(
      new Option('--log <vkey>', "a log's verifier key; again for another log, or another key of one")
        .env('WITNESS_LOGS')
        .default([])
        .argParser(parseLogs),
    )
    .addOption(
      new Option('--dir <folder>', 'where its key and what it signed are').env('WITNESS_DIR').default('.witness'),
    )
    .addOption(new Option('--host <address>', 'where it listens').env('HOST').default('127.0.0.1'))
    .addOption(new Option('--port <port>', 'where it listens').env('PORT').default(8090).argParser(parsePort));
}

function parseLogs(text: string, before: readonly VerifierKey[]): VerifierKey[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .map(parseVerifierKey);
  const found = keys.filter((key) => key?.kind === 'log');
  if (found.length < keys.length) throw new InvalidArgumentError('It is no verifier key of a log, <name>+<id>+<key>.');
  // Reason for the assertion: the list contains no null.
  return [...before, ...(found as VerifierKey[])];
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(port <= portMax)) throw new InvalidArgumentError('It is no port.');
  return port;
}
