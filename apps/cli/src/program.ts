import { Command } from 'commander';
import { auditCommands } from './audit-commands';
import { backupCommand, restoreCommand } from './backup';
import { contractCommand } from './contract';
import { copyDatabaseCommand } from './copy-database';
import { doctorCommand } from './doctor';
import { listenCommand } from './listen';
import { migrateCommand } from './migrate-events';
import { operatorCommands } from './operator-commands';
import { tailCommand } from './tail';
import { triggerCommand } from './trigger/trigger-command';
import { protectStreamsCommand } from './protect-streams';
import { sayUsage } from './output';

/**
 * `parley`: operations on a deployment from a shell. Results go to stdout, everything else to stderr.
 * @param addLast adds commands that need all other commands
 */
export function parleyProgram(addLast: (program: Command) => void): Command {
  const program = new Command('parley')
    .description(
      'The command line of Parley. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 141 output unread.',
    )
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
  protectStreamsCommand(program);
  addLast(program);
  throwOnExit(program);
  return program;
}

/** Makes wrong usage end with our exit code for it. */
function throwOnExit(command: Command): void {
  command.exitOverride();
  sayUsage(command);
  command.commands.forEach(throwOnExit);
}
