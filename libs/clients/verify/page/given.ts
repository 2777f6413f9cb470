/** Reads the input of the page: a receipt, and keys. A returned text says why the input cannot be used. */
import { parseVerifierKey, trustPolicy, type SignatureKind, type TrustPolicy } from '../src/index.js';

/** A receipt is about ten kilobytes; anything far larger than the largest is not read. */
const receiptBytesMax = 4 * 1024 * 1024;
/** More keys than a user would ever trust. */
const keysMax = 100;

const tooLarge = 'This is larger than 4 MB: no receipt is.';

export async function readFile(file: File): Promise<{ readonly text: string } | string> {
  if (file.size > receiptBytesMax) return tooLarge;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    return `${file.name} cannot be read as text. Is it a receipt (JSON)?`;
  }
}

/** Reads a receipt for display; `verifyReceiptText` verifies the text itself. */
export function readReceipt(text: string): { readonly receipt: unknown } | string {
  if (text.length > receiptBytesMax) return tooLarge;
  try {
    return { receipt: JSON.parse(text) };
  } catch {
    return 'This is not JSON, so it is no receipt. Take the whole answer of the service, unchanged.';
  }
}

/** Returns the keys to trust; null for none. */
export function readTrust(logText: string, witnessText: string, neededText: string): TrustPolicy | null | string {
  const [log, witnesses] = [linesOf(logText), linesOf(witnessText)];
  if (log.length === 0 && witnesses.length === 0) return null;
  if (log.length === 0) return 'Add a public key of the log: witnesses sign what the log signed.';
  if (log.length + witnesses.length > keysMax) return `These are more than ${keysMax} keys.`;
  const refused = refusedKey('log', log) ?? refusedKey('witness', witnesses);
  if (refused !== null) return refused;
  const wanted = neededText.trim();
  const needed = wanted === '' ? witnesses.length : /^\d{1,3}$/.test(wanted) ? Number(wanted) : Infinity;
  if (needed > witnesses.length) return `Of ${witnesses.length} witnesses, 0 to ${witnesses.length} can be asked for.`;
  return trustPolicy({ log, witnesses, needed });
}

/** A key that is given twice counts once, because a witness counts once. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== '');
}

function refusedKey(kind: SignatureKind, lines: readonly string[]): string | null {
  const wrong = lines.findIndex((line) => parseVerifierKey(line)?.kind !== kind);
  if (wrong === -1) return null;
  return `Key ${wrong + 1} of the ${kind === 'log' ? 'log' : 'witnesses'} is not a public key of a ${kind}.`;
}
