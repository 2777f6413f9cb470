import { fsyncSync, fstatSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Where results go. */
const stdout = 1;

const lost = new AbortController();

/** Aborted once stdout takes no more, by the error that it gave: whatever follows or repeats ends then. */
export const outputLost: AbortSignal = lost.signal;

/**
 * Notices when results cannot be written: the reader has gone, the disk is full. What a command is about goes on to its end, so that
 * nothing is left half done; the exit code says that its output was lost. Notes are no result, so that a stderr that takes none changes
 * nothing.
 */
export function noticeLostOutput(): void {
  process.stdout.on('error', lose);
  process.stderr.on('error', () => undefined);
  if (isFile()) process.stdout.write = writeToFile;
}

/**
 * Resolves when all that was written is handed over, in a file to the disk itself.
 * @returns why some of it was lost; null where all of it was taken
 */
export async function outputTaken(): Promise<NodeJS.ErrnoException | null> {
  if (!outputLost.aborted) await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // The stream reports an error after it has called back.
  await setImmediate();
  if (!outputLost.aborted && isFile()) attempt(() => fsyncSync(stdout));
  // Reason for the assertion: `lose` alone aborts.
  return outputLost.aborted ? (outputLost.reason as NodeJS.ErrnoException) : null;
}

/** Node takes what a file has taken in part for written: on a disk that becomes full, the rest would be lost without an error. */
function writeToFile(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  attempt(() => {
    for (let at = 0; at < bytes.length && !outputLost.aborted;) at += writeSync(stdout, bytes, at);
  });
  const done = rest.find((argument): argument is () => void => typeof argument === 'function');
  if (done !== undefined) process.nextTick(done);
  return true;
}

function attempt(write: () => void): void {
  try {
    write();
  } catch (error) {
    // Reason for the assertion: the calls of the system throw nothing else.
    lose(error as NodeJS.ErrnoException);
  }
}

function lose(error: NodeJS.ErrnoException): void {
  if (!outputLost.aborted) lost.abort(error);
}

function isFile(): boolean {
  try {
    return fstatSync(stdout).isFile();
  } catch {
    return false; // it was closed from the beginning
  }
}
