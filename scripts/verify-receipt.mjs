// npm run -s verify-receipt -- receipt.json --key <vkey> [--witness <vkey> … --needed N] [--accept-erased] (or - for standard input):
// verifies the answer of approvals.receipt. It needs nothing but the file, this build, and the public keys of the log (from GET /transparency/key, or from anyone
// else who knows it) and of witnesses. The first line on stdout is the verdict, red or green on a terminal; the findings follow.
// Exit code 0: it holds, and everything that was demanded is proven; 1: it does not, or the output could not be written; 2: there was
// nothing to verify; 141: the reader of the output closed it.
import './node-version.mjs';
import { answerHelp } from './arguments.mjs';
import { closeSync, openSync, readSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { withOutput } from './lost-output.mjs';
import { runScript, sayOn } from './tool.mjs';

const usage =
  'usage: npm run verify-receipt -- <file> [--key <vkey>] [--witness <vkey> … --needed <count>] [--accept-erased]';
const options = {
  key: { type: 'string', multiple: true, default: [] },
  witness: { type: 'string', multiple: true, default: [] },
  needed: { type: 'string' },
  'accept-erased': { type: 'boolean', default: false },
};

const ofErasures =
  'python3 test/transparency/verify.py erasure <file> --key <vkey> verifies it, and verifyErasure of @parley/verify';

/** SGR codes of a terminal. */
const [red, green] = ['31', '32'];

/** Larger than any receipt (docs/audit.md, "A receipt"). */
const bytesMax = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

answerHelp(usage);
await runScript(async () => {
  const given = readArguments();
  if (typeof given === 'string') return cannot(`${given}\n${usage}`);
  let text;
  let document;
  try {
    [text, document] = read(given.file);
  } catch (error) {
    // The parser's own message quotes the text.
    return cannot(`${given.file} cannot be read: ${error instanceof SyntaxError ? 'it is no JSON' : error.message}`);
  }
  if (isCertificate(document))
    return cannot(`${given.file} is a certificate of erasure, and no receipt: ${ofErasures}`);
  // The first line on stdout is the verdict.
  sayOn(process.stderr);
  await prepare({ build: true });
  const { trustPolicy, verifyReceiptText } = await import('../libs/clients/verify/dist/esm/index.js');
  const policy = policyOf(given, trustPolicy);
  if (typeof policy === 'string') return cannot(policy);
  const report = verifyReceiptText(text, policy, { acceptErased: given.acceptErased });
  return withOutput(() => {
    print(report, document);
    return report.holds ? 0 : 1;
  });
});

/** A receipt's text, and its document for display. Throws for a file that is unreadable, too large or no JSON. */
function read(file) {
  const from = file === '-' ? 0 : openSync(file, 'r');
  try {
    const chunks = [];
    let length = 0;
    for (let chunk = nextChunk(from); chunk.length > 0; chunk = nextChunk(from)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bytesMax) throw new Error('it is larger than 64 MB: no receipt is');
    }
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return [text, JSON.parse(text)];
  } finally {
    if (from !== 0) closeSync(from);
  }
}

function nextChunk(from) {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  return chunk.subarray(0, readSync(from, chunk));
}

/** Whether a document is a certificate of erasure (docs/audit.md, "A certificate of erasure"). */
function isCertificate(document) {
  return typeof document?.note === 'string' && document.note.startsWith('parley-erasure/1\n');
}

/** The arguments, or what is wrong with them. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { key, witness, needed } = values;
    if (positionals.length !== 1) return 'name one receipt, or - for standard input';
    if (witness.length > 0 && key.length === 0) return '--witness needs --key: a witness signs what the log has signed';
    if (needed !== undefined && !/^[0-9]{1,3}$/.test(needed)) return '--needed must be a whole number';
    const count = needed === undefined ? witness.length : Number(needed);
    if (count > witness.length)
      return `--needed ${count} is more than the witnesses named by --witness: ${witness.length}`;
    return { file: positionals[0], key, witness, needed: count, acceptErased: values['accept-erased'] };
  } catch {
    return 'there is an option that is none of these, or one without its value';
  }
}

/** The keys to trust; null for none, and a message for an invalid key. */
function policyOf({ key, witness, needed }, trustPolicy) {
  try {
    return key.length === 0 ? null : trustPolicy({ log: key, witnesses: witness, needed });
  } catch (error) {
    return error.message;
  }
}

function print({ holds, proven, unproven, unchecked, problems, erased }, document) {
  console.log(coloured(plain(verdictOf({ holds, unchecked, problems, erased }, document)), holds ? green : red));
  const sayEach = (word, texts) => texts.forEach((text) => console.log(`  ${word.padEnd(11)} ${plain(text)}`));
  sayEach('wrong', problems.map(problemWords));
  sayEach('proven', proven.map(textOf));
  sayEach('not proven', unproven.map(textOf));
  sayEach('not checked', unchecked.map(textOf));
}

function verdictOf({ holds, unchecked, problems, erased }, document) {
  if (!holds) return `DOES NOT HOLD: ${problems.length === 1 ? '1 thing is' : `${problems.length} things are`} wrong.`;
  const { approval, events } = document;
  const said = `approval ${approval.id} is ${approval.status}, by ${events.length} events`;
  const isUnsigned = unchecked.some(({ aspect }) => aspect === 'signature');
  const apart = erased.length === 0 ? '' : ' APART FROM ERASED WORDS';
  if (!isUnsigned) return `HOLDS${apart}: ${said}, all of them in the log.`;
  return `HOLDS AS FAR AS IT WAS CHECKED${apart}: ${said}; the signature of the log was not checked.`;
}

function problemWords({ path, stream, revision, message }) {
  const where = stream === null ? '' : ` (event ${revision} of ${stream})`;
  return `${path === '' ? 'the document' : path}${where} ${message}`;
}

function textOf({ text }) {
  return text;
}

/** Shows characters that a terminal would obey as their codes: a text becomes no line of its own, and moves no cursor. */
function plain(text) {
  const code = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, code);
}

/** Colours a text on a terminal, unless its user wants none (NO_COLOR). */
function coloured(text, colour) {
  const isColoured = process.stdout.isTTY === true && process.stdout.hasColors();
  return isColoured ? `\u001b[1;${colour}m${text}\u001b[0m` : text;
}

function cannot(message) {
  console.error(message);
  return 2;
}
