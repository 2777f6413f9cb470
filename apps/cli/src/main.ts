import 'reflect-metadata';
import { CommanderError } from 'commander';
import { inspect } from 'node:util';
import { completionCommand } from './completion';
import { describe, exitCodes } from './outcome';
import { note, onReaderGone, written } from './output';
import { parleyProgram } from './program';

async function run(): Promise<number> {
  try {
    await parleyProgram(completionCommand).parseAsync();
    return exitCodes.done;
  } catch (error) {
    // Commander has said what is wrong by then, or shown its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const words = describe(error);
    note(typeof words === 'string' ? words : inspect(words));
    return exitCodes.failed;
  }
}

// A reader that has seen enough, such as `head`, is no failure.
onReaderGone(({ code }) => process.exit(code === 'EPIPE' ? exitCodes.done : exitCodes.failed));
// What a closed connection leaves behind must not keep the terminal waiting.
void run().then(async (code) => {
  await written();
  process.exit(code);
});
