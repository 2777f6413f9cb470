import { fromBase64, parseCount, toBase64 } from './bytes';
import { hashBytes, type Hash } from './merkle';

/** The proof that a leaf is in a log, with everything needed to verify it offline. Source: C2SP tlog-proof. */
export interface LogProof {
  /** Index of the leaf, from 0. */
  readonly index: number;
  /** Sibling hashes, from the leaf's own sibling up. */
  readonly path: readonly Hash[];
  /** The signed note with its cosignatures, as it was served. */
  readonly checkpoint: string;
}

const firstLine = 'c2sp.org/tlog-proof@v1';
/** Exceeds the height of any tree. */
const pathMax = 63;

/** The contents of a `.tlog-proof` file. */
export function proofText({ index, path, checkpoint }: LogProof): string {
  return [firstLine, `index ${index}`, ...path.map(toBase64), '', checkpoint].join('\n');
}

/** @returns null if the text is not a proof. The content of an `extra` line is not authenticated, and is ignored. */
export function parseProof(text: string): LogProof | null {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (first !== firstLine) return null;
  if (lines[0]?.startsWith('extra ') === true) lines.shift();
  const index = parseCount(/^index (\d+)$/.exec(lines.shift() ?? '')?.[1] ?? '');
  const path = parsePath(lines);
  if (index === null || path === null) return null;
  return { index, path, checkpoint: text.slice(end + 2) };
}

/** Parses hashes in base64, one per line; null if one is invalid, and for more than the path of any tree has. */
export function parsePath(lines: readonly string[]): Hash[] | null {
  if (lines.length > pathMax) return null;
  const hashes = lines.map(fromBase64);
  // Reason for the assertion: there is no null among them.
  return hashes.every((hash) => hash?.length === hashBytes) ? (hashes as Hash[]) : null;
}
