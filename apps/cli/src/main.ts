import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { auditCommands } from './audit-commands';
import { backupCommand, restoreCommand } from './backup';
import { completionCommand } from './completion';
import { contractCommand } from './contract';
import { copyDatabaseCommand } from './copy-database';
import { doctorCommand } from './doctor';
import { listenCommand } from './listen';
import { migrateCommand } from './migrate-events';
import { operatorCommands } from './operator-commands';
import { describe, exitCodes } from './outcome';
import { tailCommand } from './tail';
import { triggerCommand } from './trigger/trigger-command';

/** `parley`: what is done to a deployment from a shell. Results go to stdout, everything else to stderr. */
const program = new Command('parley')
  .description('The command line of Parley. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.')
  .option('--json', 'print the result as one JSON document')
  .addCommand(contractCommand());
operatorCommands(program);
auditCommands(program);
listenCommand(program);
tailCommand(program);
triggerCommand(program);
backupCommand(program);
restoreCommand(program);
doctorCommand(program);
copyDatabaseCommand(program);
migrateCommand(program);
completionCommand(program);
throwOnExit(program);

/** Makes wrong usage end with our exit code for it. */
function throwOnExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwOnExit);
}

async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return exitCodes.done;
  } catch (error) {
    // Commander has said what is wrong by then, or shown its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    console.error(describe(error));
    return exitCodes.failed;
  }
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.done : exitCodes.failed),
);
// What a closed connection leaves behind must not keep the terminal waiting.
void run().then((code) => process.stdout.write('', () => process.exit(code)));
