import 'reflect-metadata';
import { CommanderError } from 'commander';
import { inspect } from 'node:util';
import { completionCommand } from './terminal/completion';
import { noticeLostOutput, outputLost, outputTaken } from './terminal/lost-output';
import { describe, exitCodes, WrongUsage } from './terminal/outcome';
import { note } from './terminal/output';
import { parleyProgram } from './program';

async function run(): Promise<number> {
  try {
    await parleyProgram(completionCommand).parseAsync();
    return exitCodes.done;
  } catch (error) {
    // Commander has printed the error by then, or its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    // The reason for lost output is printed once, at the end.
    if (!outputLost.aborted || !(error instanceof Error) || ![error, error.cause].includes(outputLost.reason)) {
      const words = describe(error);
      note(typeof words === 'string' ? words : inspect(words));
    }
    return error instanceof WrongUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** Returns the exit code of a command whose output was lost: it did not succeed, whatever else it did. */
function unwritten({ code, message }: NodeJS.ErrnoException): number {
  // A reader that has read enough, such as `head`, expects it.
  if (code === 'EPIPE') return exitCodes.unread;
  note(`The output could not be written: ${message}`);
  return exitCodes.failed;
}

noticeLostOutput();
// Open handles of a closed connection must not keep the terminal waiting.
void run().then(async (code) => {
  const lost = await outputTaken();
  process.exit(lost === null ? code : unwritten(lost));
});
