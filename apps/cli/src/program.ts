import { productVersion } from '@app/kernel';
import { Command } from 'commander';
import { auditCommands } from './audit/audit-commands';
import { backupCommand, restoreCommand } from './stores/backup';
import { contractCommand } from './contract';
import { copyDatabaseCommand } from './stores/copy-database';
import { doctorCommand } from './doctor/doctor';
import { listenCommand } from './feeds/listen';
import { migrateCommand } from './stores/migrate-events';
import { operatorCommands } from './operators/operator-commands';
import { tailCommand } from './feeds/tail';
import { triggerCommand } from './trigger/trigger-command';
import { protectStreamsCommand } from './stores/protect-streams';
import { rotateMasterCommand } from './stores/rotate-master';
import { sayUsage } from './terminal/output';

/**
 * `parley`: operations on a deployment from a shell. Results go to stdout, everything else to stderr.
 * @param addLast adds commands that need all other commands
 */
export function parleyProgram(addLast: (program: Command) => void): Command {
  const program = new Command('parley')
    .description(
      'The command line of Parley. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 141 output unread.',
    )
    .version(productVersion, '--version', 'print the version')
    .option('--json', 'print the result as one JSON document')
    .addCommand(contractCommand());
  operatorCommands(program);
  rotateMasterCommand(program);
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
