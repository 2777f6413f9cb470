import 'reflect-metadata';
import { CommanderError } from 'commander';
import { inspect } from 'node:util';
import { completionCommand } from './completion';
import { noticeLostOutput, outputLost, outputTaken } from './lost-output';
import { describe, exitCodes } from './outcome';
import { note } from './output';
import { parleyProgram } from './program';

async function run(): Promise<number> {
  try {
    await parleyProgram(completionCommand).parseAsync();
    return exitCodes.done;
  } catch (error) {
    // Commander has said what is wrong by then, or shown its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    // Why the output was lost is said once, at the end.
    if (!outputLost.aborted || !(error instanceof Error) || ![error, error.cause].includes(outputLost.reason)) {
      const words = describe(error);
      note(typeof words === 'string' ? words : inspect(words));
    }
    return exitCodes.failed;
  }
}

/** Exit code of a command whose output was not taken: it did not succeed, whatever else it did. */
function unwritten({ code, message }: NodeJS.ErrnoException): number {
  // A reader that has seen enough, such as `head`, knows it.
  if (code === 'EPIPE') return exitCodes.unread;
  note(`The output could not be written: ${message}`);
  return exitCodes.failed;
}

noticeLostOutput();
// What a closed connection leaves behind must not keep the terminal waiting.
void run().then(async (code) => {
  const lost = await outputTaken();
  process.exit(lost === null ? code : unwritten(lost));
});
