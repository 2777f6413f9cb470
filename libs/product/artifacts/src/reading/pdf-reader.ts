import { abortAfter, FairTurns } from '@app/runtime';
import { spawn, type ChildProcess } from 'node:child_process';
import { pdfCommand, type PdfAnswer } from './pdf-child';

/** Most pages of a PDF that are read; its text says so when there are more. */
const pagesMax = 200;
/** Most code units of text that are taken from a PDF. */
const textLengthMax = 4_000_000;
/** Generous, for a busy machine; the child has a limit of its own as well. */
const readWithinMs = 30_000;
/** More than the longest part takes as JSON. */
const answerBytesMax = 256 * 1024;

/** PDFs that are read concurrently: of all users, and of one; and those of one user that may wait. */
const bounds = { atOnceMax: 4, atOncePerKeyMax: 2, waitingPerKeyMax: 16 };

/** A part of a text, in code points; `totalLength` counts the whole. */
export type TextPart = PdfAnswer;

/**
 * Reads the text of PDFs, each in a process of its own that is killed when it takes too much time or memory, because a PDF can make its
 * reader do almost anything. If this process is killed, the child ends by itself, since its time is limited.
 */
export class PdfReader {
  private readonly turns = new FairTurns(bounds);

  /**
   * Returns a part of the text of its pages, in order; null if the PDF is broken, locked, or exceeds the bounds. Users take turns. Rejects
   * with the signal's reason when it aborts, and as `open` does. @throws TooManyWaiting when too many of the user's wait
   * @param open returns the PDF's bytes; called when it is their turn
   */
  async textOf(
    userId: string,
    open: () => Promise<Buffer>,
    part: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): Promise<TextPart | null> {
    return this.turns.run(userId, signal, async () => {
      const bytes = await open();
      const answer = await answerOf(bytes, part, AbortSignal.any([signal, abortAfter(readWithinMs)]));
      signal.throwIfAborted();
      return answer;
    });
  }
}

async function answerOf(
  bytes: Buffer,
  part: { readonly offset: number; readonly length: number },
  ended: AbortSignal,
): Promise<PdfAnswer | null> {
  if (ended.aborted) return null;
  const [command, args] = pdfCommand({ pagesMax, textLengthMax, ...part });
  // The library's warnings would be about an untrusted file.
  const child = spawn(command, args, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  const stop = () => void child.kill('SIGKILL');
  ended.addEventListener('abort', stop, { once: true });
  try {
    child.stdin.on('error', () => undefined).end(bytes); // the child may have ended before it read them
    const text = await outputOf(child);
    // Reason for the assertion: the child writes nothing else, and writes it completely or exits with another code.
    return text === null || ended.aborted ? null : (JSON.parse(text) as PdfAnswer);
  } finally {
    ended.removeEventListener('abort', stop);
  }
}

/** Returns a child's output; null if it is too large, or the child does not exit cleanly. */
function outputOf(child: ChildProcess): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null)); // no process could be started
    child.once('close', (code) => resolve(code === 0 ? Buffer.concat(chunks).toString('utf8') : null));
  });
}
