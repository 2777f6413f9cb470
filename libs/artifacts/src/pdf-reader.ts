import { Turns } from '@app/event-store';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { pdfThreadProgram, type PdfAnswer, type PdfTask } from './pdf-thread';

/** Pages that are read of a PDF; its text says so when there are more. */
const pagesMax = 200;
/** Code units of text that are taken from a PDF. */
const textLengthMax = 4_000_000;
const readWithinMs = 20_000;
const heapMbMax = 256;
const waitingMax = 64;

/** Reads the text of PDFs, in a thread that is ended when it takes too long or too much: a PDF is a program of whoever wrote it. */
export class PdfReader {
  private readonly turns = new Turns(waitingMax);

  /**
   * The text of its pages, in order; null where it is broken, locked, or more than the bounds allow. One PDF at a time.
   * Rejects with the signal's reason when it aborts. @throws Unavailable when too many wait
   */
  async textOf(bytes: Buffer, signal: AbortSignal): Promise<string | null> {
    return this.turns.take('pdf', () => this.readNow(bytes, signal));
  }

  private async readNow(bytes: Buffer, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    const library = pathToFileURL(require.resolve('pdfjs-dist/legacy/build/pdf.mjs')).href;
    const task: PdfTask = { bytes: new Uint8Array(bytes), library, pagesMax, textLengthMax };
    const thread = new Worker(pdfThreadProgram, {
      eval: true,
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
      // Whatever the library prints is about a stranger's file.
      ...{ stdout: true, stderr: true },
    });
    const ended = AbortSignal.any([signal, AbortSignal.timeout(readWithinMs)]);
    try {
      const { text, pages } = await answerOf(thread, ended);
      if (text === null) return null;
      return pages > pagesMax ? `${text}\n[Only the first ${pagesMax} of ${pages} pages were read.]` : text;
    } finally {
      await thread.terminate();
      signal.throwIfAborted();
    }
  }
}

const nothing: PdfAnswer = { text: null, pages: 0 };

/** What the thread answers before it ends or is told to; nothing where it does not. */
function answerOf(thread: Worker, ended: AbortSignal): Promise<PdfAnswer> {
  return new Promise((resolve) => {
    thread.once('message', (answer: PdfAnswer) => resolve(answer));
    // Out of memory, for one.
    thread.once('error', () => resolve(nothing));
    thread.once('exit', () => resolve(nothing));
    ended.addEventListener('abort', () => resolve(nothing), { once: true });
  });
}
