import { createInterface } from 'node:readline/promises';
import { CommandFailed } from './outcome';

/** Asks at a terminal whether to go on; elsewhere nobody can be asked. @throws CommandFailed unless the answer is yes */
export async function confirmed(what: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailed(`${what}: say --yes, since nobody can be asked here`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await terminal.question(`${what}. Go on? [y/N] `);
    if (!/^y(es)?$/i.test(said.trim())) throw new CommandFailed('nothing was changed');
  } finally {
    terminal.close();
  }
}
