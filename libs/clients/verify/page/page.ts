/** The page that verifies a receipt offline, from a file (scripts/verify-page.mjs builds it as a single file). */
import { verifyReceiptText } from '../src/index.js';
import { byId, say } from './elements.js';
import { readFile, readReceipt, readTrust } from './given.js';
import { reportElements, verdictElement } from './report.js';

const form = byId('given', HTMLFormElement);
const file = byId('file', HTMLInputElement);
const pasted = byId('receipt', HTMLTextAreaElement);
const log = byId('log', HTMLTextAreaElement);
const witnesses = byId('witnesses', HTMLTextAreaElement);
const needed = byId('needed', HTMLInputElement);
const chosen = byId('chosen', HTMLParagraphElement);
const refused = byId('refused', HTMLParagraphElement);
const judged = byId('judged', HTMLElement);
const report = byId('report', HTMLElement);

/** A file's text is not put into the text area, which is slow with long lines. */
let fileText: string | null = null;
/** The file that was chosen last; reading an earlier one may finish after it. */
let reading: File | null = null;

/** Pause before verifying, so that pasting or typing is not interrupted at every letter. */
const pauseMs = 250;
let pause: ReturnType<typeof setTimeout> | undefined;

function refuse(words: string | null): void {
  for (const part of [judged, report]) {
    part.hidden = true;
    part.replaceChildren();
  }
  say(refused, words);
}

/** Verifies what is there now. @returns whether there is a report */
function verify(): boolean {
  clearTimeout(pause);
  refuse(null);
  const text = fileText ?? pasted.value;
  if (text.trim() === '') return false;
  const read = readReceipt(text);
  const trust = readTrust(log.value, witnesses.value, needed.value);
  if (typeof read === 'string' || typeof trust === 'string') {
    refuse([read, trust].filter((one) => typeof one === 'string').join(' '));
    return false;
  }
  try {
    // The verdict and the findings say which words are not there.
    const found = verifyReceiptText(text, trust, { acceptErased: true });
    report.replaceChildren(...reportElements(read.receipt, found));
    judged.replaceChildren(verdictElement(found));
  } catch {
    refuse('This cannot be verified: it is not built like a receipt.'); // nested so deeply that the stack overflows
    return false;
  }
  [judged.hidden, report.hidden] = [false, false];
  return true;
}

async function take(given: File): Promise<void> {
  reading = given;
  fileText = null;
  pasted.value = '';
  const read = await readFile(given);
  if (reading !== given) return;
  reading = null;
  if (typeof read === 'string') {
    say(chosen, null);
    return refuse(read);
  }
  fileText = read.text;
  say(chosen, `Receipt: ${given.name}`);
  verify();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (verify()) byId('verdict', HTMLHeadingElement).focus();
  else if (refused.hidden && reading === null) refuse('Choose, drop or paste a receipt first.');
});

form.addEventListener('input', ({ target }) => {
  if (target === file) return;
  if (target === pasted) {
    [fileText, reading, file.value] = [null, null, ''];
    say(chosen, null);
  }
  refuse(null); // the last report no longer applies
  clearTimeout(pause);
  pause = setTimeout(verify, pauseMs);
});

file.addEventListener('change', () => {
  const [first] = file.files ?? [];
  if (first !== undefined) void take(first);
});

// Otherwise a browser would leave the page to show a dropped file.
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
document.addEventListener('dragleave', () => document.body.classList.remove('dropping'));
document.addEventListener('drop', (event) => {
  document.body.classList.remove('dropping');
  const [first] = event.dataTransfer?.files ?? [];
  if (first === undefined) return; // a text, which is inserted where it is dropped
  event.preventDefault();
  file.value = '';
  void take(first);
});
