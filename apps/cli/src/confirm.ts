import { createInterface } from 'node:readline/promises';
import { CommandFailed } from './outcome';
import { noteStream, visible } from './output';

/** Asks at a terminal whether to go on; elsewhere nobody can be asked. @throws CommandFailed unless the answer is yes */
export async function confirmed(what: string): Promise<void> {
  if (!process.stdin.isTTY || !noteStream.isTTY)
    throw new CommandFailed(`${what}: say --yes, since nobody can be asked here`);
  const terminal = createInterface({ input: process.stdin, output: noteStream });
  try {
    const said = await terminal.question(`${visible(what)}. Go on? [y/N] `);
    if (!/^y(es)?$/i.test(said.trim())) throw new CommandFailed('nothing was changed');
  } finally {
    terminal.close();
  }
}
