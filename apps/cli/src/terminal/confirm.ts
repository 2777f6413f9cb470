import { createInterface } from 'node:readline/promises';
import { CommandFailed, WrongUsage } from './outcome';
import { noteStream, visible } from './output';

/** The two ends of a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const own: Terminal = { input: process.stdin, output: noteStream };

/**
 * Asks at a terminal whether to continue. Without a terminal, or without an answer (Ctrl-C, Ctrl-D, a closed terminal), the command ends.
 * @throws CommandFailed unless the answer is yes
 */
export async function confirmed(what: string, { input, output }: Terminal = own): Promise<void> {
  if (input.isTTY !== true || output.isTTY !== true)
    throw new WrongUsage(`${what}: add --yes, because there is no terminal to ask on`);
  const terminal = createInterface({ input, output });
  try {
    // A question whose input ends is never settled.
    const gone = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)));
    const asked = terminal.question(`${visible(what)}. Go on? [y/N] `).catch(noAnswer);
    const said = await Promise.race([asked, gone]);
    if (said === null) output.write('\n');
    if (said === null || !/^y(es)?$/i.test(said.trim())) throw new CommandFailed('nothing was changed');
  } finally {
    terminal.close();
  }
}

/** Ctrl-C and Ctrl-D reject the question. */
function noAnswer(error: unknown): null {
  if (error instanceof Error && error.name === 'AbortError') return null;
  throw error;
}
