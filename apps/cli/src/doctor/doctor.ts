import { readDotEnv } from '@app/composition';
import { isJsonObject } from '@app/kernel';
import type { Command } from 'commander';
import { checks } from './doctor-checks';
import { codeOf, finding, type Finding } from './doctor-finding';
import { CommandFailed } from '../terminal/outcome';
import { table } from '../terminal/layout';
import { print } from '../terminal/output';

const marks = { ok: 'ok', warning: 'WARNING', bad: 'BAD' } as const;

/** `parley doctor`: checks everything that a deployment depends on, changes nothing, and says what to do. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look at settings, stores, keys, clock, disk and versions, and say what to do; changes nothing')
    .action(async (_options: object, command: Command) => {
      readDotEnv();
      const findings: Finding[] = [];
      for (const check of checks) findings.push(...(await check(process.env).catch(unreadable)));
      const rows = findings.map(({ what, state, says }) => [what, marks[state], says]);
      print(command, { data: findings }, table(['WHAT', 'STATE', 'FOUND'], rows));
      const bad = findings.filter(({ state }) => state === 'bad').length;
      if (bad > 0) throw new CommandFailed(`${bad} of ${findings.length} findings are bad`);
    });
}

/** Turns a file that cannot be read into a finding, so that the other checks still run. */
function unreadable(error: unknown): readonly Finding[] {
  const [code, path] = [codeOf(error), isJsonObject(error) ? error['path'] : undefined];
  if (code === null || typeof path !== 'string') throw error;
  return [finding('file', 'bad', `${path} cannot be read (${code}): repair it`)];
}
