import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The child's only argument; the bytes of the PDF arrive on its standard input. */
export interface PdfTask {
  /** URL of pdf.js. */
  readonly library: string;
  readonly pagesMax: number;
  /** Most code units of text that are taken from the PDF. */
  readonly textLengthMax: number;
  /** The requested part of the text, in code points. */
  readonly offset: number;
  readonly length: number;
}

/** The child's standard output; empty if the PDF could not be read. */
export interface PdfAnswer {
  readonly text: string;
  /** Code points of the whole text that was taken. */
  readonly totalLength: number;
}

/** Limits of JavaScript's heap and of all writable memory of the process, in MiB; the second includes typed arrays. */
const heapMiB = 256;
const memoryMiB = 512;
/** Address space that V8 reserves for code. From Node 23 on the kernel counts it as writable memory; hardly any is ever used. */
const codeSpaceMiB = Number.parseInt(process.versions.node, 10) >= 23 ? 512 : 0;
const cpuSeconds = 10;
const openFilesMax = 64;

// The shell sets the limits, which then apply to the process that replaces it. A kernel without one of them (macOS has no limit of memory)
// skips it. No file can be written, and a crash leaves no image of the memory.
const limits = [`-d ${(memoryMiB + codeSpaceMiB) * 1024}`, `-t ${cpuSeconds}`, `-n ${openFilesMax}`, '-f 0', '-c 0'];
const withLimits = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$@"`;

const library = require.resolve('pdfjs-dist/legacy/build/pdf.mjs');
/** Node's flags for permissions: the current name, and that of Node 20. */
const permission = ['--permission', '--experimental-permission'].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);
const readable = join(dirname(library), '..', '..', '*');

/**
 * The command that runs the child: Node with limits on memory, time and files, no environment, and no permission except to read pdf.js. So
 * it starts no process or thread and opens no file, and from Node 25 on no connection.
 */
export function pdfCommand(task: Omit<PdfTask, 'library'>): readonly [string, readonly string[]] {
  const permitted = permission === undefined ? [] : [permission, `--allow-fs-read=${readable}`];
  const flags = [...permitted, '--no-warnings', `--max-old-space-size=${heapMiB}`, '--input-type=commonjs'];
  const told = JSON.stringify({ ...task, library: pathToFileURL(library).href } satisfies PdfTask);
  return ['/bin/sh', ['-c', withLimits, 'sh', process.execPath, ...flags, '-e', program, told]];
}

/*
 * The child's program, as text: a file of its own would be TypeScript where the sources are run, and JavaScript where the build is.
 * It executes and fetches nothing of the PDF: no scripts, no fonts, no evaluated code.
 */
const program = `
const task = JSON.parse(process.argv[1]);
// The library warns of what the file is like, to the output that is for the answer.
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => undefined;

async function read() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const { getDocument } = await import(task.library);
  const pdf = await getDocument({
    data: new Uint8Array(Buffer.concat(chunks)),
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
  return pdf.numPages > task.pagesMax
    ? text + '\\n[Only the first ' + task.pagesMax + ' of ' + pdf.numPages + ' pages were read.]'
    : text;
}

function partOf(text) {
  const from = unitsOf(text, 0, task.offset);
  let totalLength = 0;
  for (const _ of text) totalLength += 1;
  return { text: text.slice(from, unitsOf(text, from, task.length)), totalLength };
}

function unitsOf(text, from, count) {
  let at = from;
  for (let passed = 0; passed < count && at < text.length; passed += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

read().then(
  (text) => process.stdout.write(JSON.stringify(partOf(text))),
  () => process.exit(1),
);
`;
