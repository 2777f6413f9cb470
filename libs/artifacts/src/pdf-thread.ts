/** What the thread is given. */
export interface PdfTask {
  readonly bytes: Uint8Array;
  /** URL of pdf.js. */
  readonly library: string;
  readonly pagesMax: number;
  readonly textLengthMax: number;
}

/** What it answers, once. */
export interface PdfAnswer {
  /** Null where the PDF could not be read. */
  readonly text: string | null;
  /** How many it has. */
  readonly pages: number;
}

/**
 * The thread's program, as text: a file of its own would be TypeScript where the sources are run, and JavaScript where the build is.
 * Nothing of the PDF is executed or fetched: no scripts, no fonts, no evaluated code.
 */
export const pdfThreadProgram = `
const { parentPort, workerData: task } = require('node:worker_threads');

async function read() {
  const { getDocument } = await import(task.library);
  const pdf = await getDocument({
    data: task.bytes,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    stopAtErrors: false,
    verbosity: 0,
  }).promise;
  const pages = [];
  let length = 0;
  for (let number = 1; number <= Math.min(pdf.numPages, task.pagesMax) && length < task.textLengthMax; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const text = items.map((item) => (item.str ?? '') + (item.hasEOL ? '\\n' : '')).join('');
    pages.push(text);
    length += text.length;
  }
  const text = pages.join('\\n\\n').slice(0, task.textLengthMax).toWellFormed();
  return { text, pages: pdf.numPages };
}

read().then(
  (answer) => parentPort.postMessage(answer),
  () => parentPort.postMessage({ text: null, pages: 0 }),
);
`;
