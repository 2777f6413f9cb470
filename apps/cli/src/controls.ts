import {
  controls as controlNames,
  DeploymentControls,
  PauseControl,
  ResumeControl,
  type Control,
} from '@app/deployment';
import { Argument, type Command } from 'commander';
import { reasonArgument } from './arguments';
import { execute, onDeployment, operatorCause } from './deployment';
import { unwrap, print, table } from './outcome';

/** `parley controls`: what operators can pause (docs/decisions/operators.md). */
export function controlCommands(program: Command): void {
  const controls = program.command('controls').description('what the deployment takes on');

  controls
    .command('list')
    .description('show each control, and since when and why it is paused')
    .action(async (_options: object, command: Command) => {
      const state = await onDeployment((product) => product.get(DeploymentControls, { strict: false }).controls());
      const data = controlNames.map((control) => {
        const paused = state[control];
        return { control, paused: paused !== null, since: paused?.at ?? null, reason: paused?.reason ?? null };
      });
      const rows = data.map(({ control, paused, since, reason }) => [
        control,
        paused ? 'paused' : 'on',
        since ?? '-',
        reason ?? '-',
      ]);
      print(command, { data }, table(['CONTROL', 'STATE', 'SINCE', 'REASON'], rows));
    });

  for (const verb of ['pause', 'resume'] as const) {
    controls
      .command(verb)
      .description(verb === 'pause' ? 'take on no more; what was admitted goes on' : 'take on work again')
      .addArgument(new Argument('<control>', 'which').choices(controlNames))
      .requiredOption('--reason <text>', 'why, 1 to 500 characters', reasonArgument)
      .action(async (control: Control, { reason }: { reason: string }, command: Command) => {
        const change = { control, reason, cause: operatorCause() };
        const done = await execute(verb === 'pause' ? new PauseControl(change) : new ResumeControl(change));
        unwrap(done, control);
        print(command, { control, paused: verb === 'pause' }, [`${control}: ${verb}d.`]);
      });
  }
}
