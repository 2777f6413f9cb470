import { fsyncSync, fstatSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** File descriptor of the results. */
const stdout = 1;

const lost = new AbortController();

/** Aborted once stdout accepts no more, with the error as its reason; commands that follow or repeat then end. */
export const outputLost: AbortSignal = lost.signal;

/**
 * Notices when results cannot be written: the reader has gone, the disk is full. A command still finishes its work, so that nothing is left
 * half done; its exit code reports the lost output. Notes are no results, so a stderr that accepts none changes nothing.
 */
export function noticeLostOutput(): void {
  process.stdout.on('error', lose);
  process.stderr.on('error', () => undefined);
  if (isFile()) process.stdout.write = writeToFile;
}

/**
 * Resolves when everything written has been passed on; for a file, flushed to disk.
 * @returns why some of it was lost; null when all of it was accepted
 */
export async function outputTaken(): Promise<NodeJS.ErrnoException | null> {
  if (!outputLost.aborted) await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // The stream reports an error after it has called back.
  await setImmediate();
  if (!outputLost.aborted && isFile()) attempt(() => fsyncSync(stdout));
  // Reason for the assertion: only `lose` aborts.
  return outputLost.aborted ? (outputLost.reason as NodeJS.ErrnoException) : null;
}

/** Node takes a partial write to a file for a complete one: on a disk that becomes full, the remainder would be lost without an error. */
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
    // Reason for the assertion: system calls throw nothing else.
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
