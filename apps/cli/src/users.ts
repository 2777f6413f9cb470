import type { UserId } from '@app/kernel';
import { DisableUser, EnableUser } from '@app/users';
import type { Command } from 'commander';
import { idArgument, reasonArgument } from './arguments';
import { execute, operatorCause } from './deployment';
import { unwrap, print } from './outcome';

/** `parley users`: takes accounts out of service and back. */
export function userCommands(program: Command): void {
  const users = program.command('users').description('accounts');

  for (const verb of ['disable', 'enable'] as const) {
    users
      .command(verb)
      .description(
        verb === 'disable' ? 'refuse all requests of an account (account_disabled)' : 'admit an account again',
      )
      .argument('<userId>', 'its id', idArgument<UserId>)
      .requiredOption('--reason <text>', 'why, 1 to 500 characters', reasonArgument)
      .action(async (userId: UserId, { reason }: { reason: string }, command: Command) => {
        const change = { userId, reason, cause: operatorCause() };
        const done = await execute(verb === 'disable' ? new DisableUser(change) : new EnableUser(change));
        unwrap(done, `user ${userId}`);
        print(command, { userId, disabled: verb === 'disable' }, [`${userId} is ${verb}d.`]);
      });
  }
}
